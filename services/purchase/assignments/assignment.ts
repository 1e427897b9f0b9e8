import type { TicketContext } from '../tickets/ticket-context.ts';

/**
 * The contractor that a ticket is assigned to, as of a version of the ticket; null: none. `company_id` is null for one without
 * account, which is a supplier all the same: whoever is assigned after it never takes its place.
 */
export type Assignment = { version: number; contractor_id: string | null; company_id: string | null };

/** What was heard of a ticket: the newest assignment, and those that named a contractor, ascending by version. */
export type AssignmentHistory = { newest: Assignment; assignments: Assignments };

export type Assignments = readonly Assignment[];

/** Accounts that contractors were given which had none, by contractor: each gets one, and never another. */
export type Accounts = ReadonlyMap<string, string>;

/** Before anything was heard of a ticket. */
export const noHistory: AssignmentHistory = {
  newest: { version: -1, contractor_id: null, company_id: null },
  assignments: [],
};

/**
 * Who supplies a document being issued: the contractor assigned by now, by whichever is newer of what was asked and what was
 * heard meanwhile. Documents of the ticket's client alone have a supplier: a contractor is never its own, and never
 * shows its documents to a competitor.
 */
export function supplierOf(context: TicketContext, buyerId: string, { newest }: AssignmentHistory): Assignment {
  const { contractor_id = null, company_id = null } = context.contractor ?? {};
  const asked = { version: context.version, contractor_id, company_id };
  const known = newest.version > asked.version ? newest : asked;
  if (buyerId !== context.client_id) return { version: known.version, contractor_id: null, company_id: null };
  return { ...known, company_id: companySupplying(known.company_id, buyerId) };
}

/**
 * Who supplies a document that knows `known` so far: its contractor stays, and may have been given its account since. One
 * without contractor takes the first that was assigned after it was made, however many followed by the time they are heard.
 */
export function supplierAfter(
  known: Assignment,
  { assignments, accounts }: { assignments: Assignments; accounts: Accounts },
  buyerId: string,
): Assignment {
  const after = assignments.filter(({ version }) => version > known.version);
  const { version, contractor_id }: Assignment =
    known.contractor_id === null ? (after.find((one) => one.contractor_id !== null) ?? known) : known;
  if (contractor_id === null) return known;
  const withAccount = [known, ...after].find((one) => one.contractor_id === contractor_id && one.company_id !== null);
  const companyId = withAccount?.company_id ?? accounts.get(contractor_id) ?? null;
  return { version, contractor_id, company_id: companySupplying(companyId, buyerId) };
}

/** A contractor of the client's own, with the client's own account, is no other party. */
function companySupplying(companyId: string | null, buyerId: string): string | null {
  return companyId === buyerId ? null : companyId;
}
