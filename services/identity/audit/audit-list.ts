import { type AuditAction, auditActions } from '@app/contracts';
import type { List } from '@app/kernel';
import { auditActionWords, auditKindWords, auditReasonWords, type Worded } from '@app/kernel/words';

/** What the audit log can be filtered by, and what files of it hold. */
export const auditList = {
  tenant: 'company_id',
  columns: {
    at: {
      path: 'at',
      type: 'moment',
      from: 'since',
      to: 'until',
      about: 'an ISO date or milliseconds',
      title: { fr: 'Quand (UTC)', en: 'When (UTC)' },
    },
    action: {
      path: 'action',
      type: 'text',
      values: auditActions,
      words: auditActionWords satisfies Record<AuditAction, Worded>,
      equals: 'action',
      about: 'an action, or several separated by commas',
      title: { fr: 'Action', en: 'Action' },
    },
    user: { path: 'user_ids', type: 'id', equals: 'user_id', about: 'who did it, or whose account it was done to' },
    actorKind: {
      path: 'actor.kind',
      type: 'text',
      words: auditKindWords,
      title: { fr: 'Type d’auteur', en: 'Kind of actor' },
    },
    actor: { path: 'actor.name', type: 'text', title: { fr: 'Auteur', en: 'Actor' } },
    targetKind: {
      path: 'target.kind',
      type: 'text',
      words: auditKindWords,
      title: { fr: 'Type d’objet', en: 'Kind of target' },
    },
    target: { path: 'target.name', type: 'text', title: { fr: 'Objet', en: 'Target' } },
    targetId: { path: 'target.id', type: 'text', title: { fr: 'Identifiant de l’objet', en: 'Target id' } },
    reason: { path: 'details.reason', type: 'text', words: auditReasonWords, title: { fr: 'Motif', en: 'Reason' } },
    address: { path: 'from.address', type: 'text', title: { fr: 'Adresse', en: 'Address' } },
    id: { path: 'id', type: 'text', title: { fr: 'Identifiant', en: 'Id' } },
  },
  indexes: [
    { name: 'company', order: 'at' },
    { name: 'action', equal: ['action'], order: 'at' },
    { name: 'user', equal: ['user'], order: 'at' },
    { name: 'userAction', equal: ['user', 'action'], order: 'at' },
  ],
} as const satisfies List;

/** Newest first. */
export const newestFirst = { by: 'at', descending: true } as const;
