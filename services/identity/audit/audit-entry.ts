import { type Audited, type AuditRecord, auditRecord } from '@app/contracts';
import { idFrom, newId } from '@app/kernel';

/** An entry of the audit log of a company. It never changes. */
export type AuditEntry = AuditRecord & { id: string; at: Date };

export const retentionDays = 400;
/**
 * Refused logins of an account, or of a company, make one entry per reason within this time, so
 * that nobody can fill the log.
 */
const refusalWindowMs = 15 * 60_000;

export function auditEntry(audited: Audited, at: Date): AuditEntry {
  return { id: newId(at), at, ...auditRecord(audited) };
}

/**
 * An entry whose id is the same for all actions of its kind on its target, or without one in its
 * company, within a window: only the first is stored.
 */
export function entryOfWindow(audited: Audited, at: Date): AuditEntry {
  const window = Math.floor(at.getTime() / refusalWindowMs);
  const { action, reason = '', target, companyId } = audited;
  const id = idFrom(new Date(window * refusalWindowMs), [action, reason, target?.id ?? companyId, window].join(':'));
  return { ...auditEntry(audited, at), id };
}

/**
 * The entry of another service's event. Its id follows from the event's id, so that an event that comes twice is one
 * entry.
 */
export function entryOfEvent({ id: eventId, time }: { id: string; time: string }, record: AuditRecord): AuditEntry {
  const { company_id, action, actor, from, target, details } = record;
  const at = new Date(time);
  return { id: idFrom(at, eventId), at, company_id, action, actor, from, target, details };
}

/** The users whom an entry is about: who did it, and whose account it was done to. */
export function usersOf({ actor, target }: Pick<AuditRecord, 'actor' | 'target'>): string[] {
  const ids = [actor.user_id, target?.kind === 'user' ? target.id : null];
  return [...new Set(ids.filter((id) => id !== null))];
}

/**
 * The entry as the API gives it. Names of users are looked up, not stored with the entry: personal data is kept in
 * one place.
 */
export function entryResponse(
  { id, at, action, actor, from, target, details }: AuditEntry,
  names: Map<string, string>,
) {
  const nameOf = (userId: string | null) => (userId === null ? null : (names.get(userId) ?? null));
  const named = target && { ...target, name: target.kind === 'user' ? nameOf(target.id) : target.name };
  const { kind, user_id, credential, api_token_id } = actor;
  const actorResponse = { kind, user_id, name: nameOf(user_id), credential, api_token_id };
  return { id, at: at.toISOString(), action, actor: actorResponse, from, target: named, details };
}
