import type { TicketContext } from './ticket-context.ts';

/** Live documents of a buyer on a ticket (spec section 8). */
export const placesPerBuyer = 200;

/** The company that a ticket is assigned to, as of a version of the ticket; null: none, or one without account. */
export type Assignment = { version: number; company_id: string | null };

/** Before anything was heard of a ticket. */
export const unheard: Assignment = { version: -1, company_id: null };

/**
 * Who supplies a document being issued: the contractor assigned by now, by whichever is newer of what was asked and what
 * was heard meanwhile. Documents of the ticket's client alone have a supplier: a contractor is never its own, and never
 * shows its documents to a competitor.
 */
export function supplierOf(context: TicketContext, buyerId: string, heard: Assignment): Assignment {
  const asked = { version: context.version, company_id: context.contractor?.company_id ?? null };
  const newest = heard.version > asked.version ? heard : asked;
  const supplies = buyerId === context.client_id && newest.company_id !== buyerId;
  return { version: newest.version, company_id: supplies ? newest.company_id : null };
}

const settledWithinMs = 60_000;

/** Longer than that after its place was taken, a document is not written any more: half of what makes its place free. */
export const issuedWithinMs = settledWithinMs / 2;

/** True for an id whose document, if there is none yet, may still be on its way. Ids begin with their second. */
export function isOnItsWay(id: string, now: Date): boolean {
  return Number.parseInt(id.slice(0, 8), 16) * 1000 > now.getTime() - settledWithinMs;
}
