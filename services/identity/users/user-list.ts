import { permissions } from '@app/contracts';
import type { List } from '@app/kernel';
import { permissionWords, yesOrNo } from '@app/kernel/words';

/** What the users of a company can be filtered by, and what files of them hold. */
export const userList = {
  tenant: 'company_id',
  columns: {
    created: { path: '_id', type: 'id' },
    lastName: { path: 'last_name', type: 'text', title: { fr: 'Nom', en: 'Last name' } },
    firstName: { path: 'first_name', type: 'text', title: { fr: 'Prénom', en: 'First name' } },
    email: { path: 'email', type: 'text', title: { fr: 'E-mail', en: 'Email' } },
    phone: { path: 'phone', type: 'text', title: { fr: 'Téléphone', en: 'Phone' } },
    permissions: {
      path: 'permissions',
      type: 'text',
      values: permissions,
      words: permissionWords,
      equals: 'permission',
      about: 'has one of these permissions, separated by commas',
      title: { fr: 'Permissions', en: 'Permissions' },
    },
    active: { path: 'active', type: 'flag', words: yesOrNo, equals: 'active', title: { fr: 'Actif', en: 'Active' } },
    invited: {
      path: 'invited',
      type: 'flag',
      words: yesOrNo,
      equals: 'invited',
      about: 'has not set a password yet',
      title: { fr: 'Invité', en: 'Invited' },
    },
    createdAt: { path: 'created_at', type: 'moment', title: { fr: 'Créé le (UTC)', en: 'Created (UTC)' } },
    id: { path: 'id', type: 'id', title: { fr: 'Identifiant', en: 'Id' } },
  },
  indexes: [{ name: 'company', order: 'created' }],
  words: { path: 'words', index: 'companyWords' },
} as const satisfies List;
