import { type List, searchWords } from '@app/kernel';
import type { Contractor } from './contractor.ts';

const accounts = ['linked', 'requested', 'none'] as const;

/** What the directory can be filtered and sorted by, and what files of it hold. */
export const contractorList = {
  tenant: 'client_id',
  columns: {
    created: { path: '_id', type: 'id' },
    name: { path: 'keys.name', type: 'text' },
    title: { path: 'name', type: 'text', title: { fr: 'Nom', en: 'Name' } },
    type: {
      path: 'type',
      type: 'text',
      values: ['external', 'internal'],
      equals: 'type',
      title: { fr: 'Type', en: 'Type' },
    },
    account: {
      path: 'keys.account',
      type: 'text',
      values: accounts,
      equals: 'account',
      about: 'whether it has one: `requested` waits for its yes',
    },
    siret: { path: 'siret', type: 'text', title: { fr: 'SIRET', en: 'SIRET' } },
    siren: { path: 'siren', type: 'text', title: { fr: 'SIREN', en: 'SIREN' } },
    email: { path: 'email', type: 'text', title: { fr: 'E-mail', en: 'Email' } },
    phone: { path: 'phone', type: 'text', title: { fr: 'Téléphone', en: 'Phone' } },
    company: { path: 'company_id', type: 'id', title: { fr: 'Compte', en: 'Account' } },
    id: { path: '_id', type: 'id', title: { fr: 'Identifiant', en: 'Id' } },
  },
  indexes: [
    { name: 'list', order: 'created' },
    { name: 'name', order: 'name' },
  ],
  words: { path: 'keys.words', index: 'words' },
} as const satisfies List;

export const inOrderOfCreation = { by: 'created', descending: false } as const;

/** What the list finds and sorts an entry by, stored with it. `name`: without case and accents. */
export type ContractorKeys = { words: string[]; name: string; account: (typeof accounts)[number] };

type Keyed = Pick<Contractor, 'name' | 'siret' | 'email' | 'phone' | 'company_id' | 'requested_company_id'>;

export function keysOf({ name, siret, email, phone, company_id, requested_company_id }: Keyed): ContractorKeys {
  return {
    words: searchWords(name, siret, email, phone),
    name: name.normalize('NFKD').replace(/\p{M}/gu, '').trim().toUpperCase(),
    account: company_id ? 'linked' : requested_company_id ? 'requested' : 'none',
  };
}
