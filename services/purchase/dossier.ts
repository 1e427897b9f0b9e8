import type { TicketContext } from './ticket-context.ts';

/** Live documents of a buyer on a ticket (spec section 8). */
export const placesPerBuyer = 200;

/**
 * The contractor that a ticket is assigned to, as of a version of the ticket; null: none. `company_id` is null for one without
 * account, which is a supplier all the same: whoever is assigned after it never takes its place.
 */
export type Assignment = { version: number; contractor_id: string | null; company_id: string | null };

/** Before anything was heard of a ticket. */
export const unheard: Assignment = { version: -1, contractor_id: null, company_id: null };

/**
 * Who supplies a document being issued: the contractor assigned by now, by whichever is newer of what was asked and what
 * was heard meanwhile. Documents of the ticket's client alone have a supplier: a contractor is never its own, and never
 * shows its documents to a competitor.
 */
export function supplierOf(context: TicketContext, buyerId: string, heard: Assignment): Assignment {
  const { contractor_id = null, company_id = null } = context.contractor ?? {};
  const asked = { version: context.version, contractor_id, company_id };
  const newest = heard.version > asked.version ? heard : asked;
  if (buyerId !== context.client_id) return { version: newest.version, contractor_id: null, company_id: null };
  return { ...newest, company_id: companySupplying(newest.company_id, buyerId) };
}

/** The assignments of a ticket as far as they were heard, ascending by version. */
export type Assignments = readonly Assignment[];

/**
 * Who supplies a document that knows `known` so far: its contractor stays, and may have been given its account since. One
 * without contractor takes the first that was assigned after it was made, however many followed by the time they are heard.
 */
export function addresseeOf(known: Assignment, assignments: Assignments, buyerId: string): Assignment {
  const after = assignments.filter(({ version }) => version > known.version);
  const { version, contractor_id }: Assignment =
    known.contractor_id === null ? (after.find((one) => one.contractor_id !== null) ?? known) : known;
  if (contractor_id === null) return known;
  const withAccount = [known, ...after].find((one) => one.contractor_id === contractor_id && one.company_id !== null);
  return { version, contractor_id, company_id: companySupplying(withAccount?.company_id ?? null, buyerId) };
}

/** A contractor of the client's own, with the client's own account, is no other party. */
function companySupplying(companyId: string | null, buyerId: string): string | null {
  return companyId === buyerId ? null : companyId;
}

const settledWithinMs = 60_000;

/** Longer than that after its place was taken, a document is not written any more: half of what makes its place free. */
export const issuedWithinMs = settledWithinMs / 2;

/** True for an id whose document, if there is none yet, may still be on its way. Ids begin with their second. */
export function isOnItsWay(id: string, now: Date): boolean {
  return Number.parseInt(id.slice(0, 8), 16) * 1000 > now.getTime() - settledWithinMs;
}
