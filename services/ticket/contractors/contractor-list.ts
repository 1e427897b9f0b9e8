import type { List } from '@app/kernel';
import { contractorTypes } from '@app/kernel/words';

/** What the directory can be filtered and sorted by, and what files of it hold. */
export const contractorList = {
  tenant: 'client_id',
  columns: {
    created: { path: '_id', type: 'id' },
    called: { path: 'name', type: 'text', title: { fr: 'Nom', en: 'Name' } },
    name: { path: 'name_order', type: 'text', optional: true },
    type: {
      path: 'type',
      type: 'text',
      values: Object.keys(contractorTypes),
      words: contractorTypes,
      equals: 'type',
      title: { fr: 'Type', en: 'Type' },
    },
    siret: { path: 'siret', type: 'text', optional: true, title: { fr: 'SIRET', en: 'SIRET' } },
    siren: { path: 'siren', type: 'text', title: { fr: 'SIREN', en: 'SIREN' } },
    email: { path: 'email', type: 'text', optional: true, title: { fr: 'E-mail', en: 'Email' } },
    phone: { path: 'phone', type: 'text', title: { fr: 'Téléphone', en: 'Phone' } },
    company: { path: 'company_id', type: 'id', title: { fr: 'Compte', en: 'Account' } },
    id: { path: '_id', type: 'id', title: { fr: 'Identifiant', en: 'Id' } },
  },
  indexes: [
    { name: 'list', order: 'created' },
    { name: 'name', order: 'name' },
    { name: 'type', order: 'type' },
    { name: 'siret', order: 'siret' },
    { name: 'email', order: 'email' },
  ],
  words: { path: 'words', index: 'words' },
} as const satisfies List;

export const inOrderOfCreation = { given: {}, sort: { by: 'created', descending: false } };
