import type { TicketContext } from '../tickets/ticket-context.ts';

/**
 * The contractor that a ticket is assigned to at a version of the ticket; null: none. `company_id` is null for a contractor
 * without an account, which is the supplier all the same: a contractor assigned later does not replace it.
 */
export type Assignment = { version: number; contractor_id: string | null; company_id: string | null };

/** The assignments of a ticket received so far: the newest one, and those that name a contractor, ascending by version. */
export type AssignmentHistory = { newest: Assignment; assignments: Assignments };

export type Assignments = readonly Assignment[];

/** The account of contractors that got one later, by contractor id. A contractor gets one account and keeps it. */
export type Accounts = ReadonlyMap<string, string>;

/** Before any assignment of a ticket was received. */
export const noHistory: AssignmentHistory = {
  newest: { version: -1, contractor_id: null, company_id: null },
  assignments: [],
};

/**
 * The supplier of a document being created: the currently assigned contractor, by the newer of the ticket's context and the
 * received assignments. Only documents of the ticket's client have a supplier; a contractor's are not shown to competitors.
 */
export function supplierOf(context: TicketContext, buyerId: string, { newest }: AssignmentHistory): Assignment {
  const { contractor_id = null, company_id = null } = context.contractor ?? {};
  const current = { version: context.version, contractor_id, company_id };
  const latest = newest.version > current.version ? newest : current;
  if (buyerId !== context.client_id) return { version: latest.version, contractor_id: null, company_id: null };
  return { ...latest, company_id: companySupplying(latest.company_id, buyerId) };
}

/**
 * The supplier of an existing document; `stored` is what it has. Its contractor stays, and may have got an account since. A
 * document without a contractor gets the first one assigned after its creation, however many followed.
 */
export function supplierAfter(
  stored: Assignment,
  { assignments, accounts }: { assignments: Assignments; accounts: Accounts },
  buyerId: string,
): Assignment {
  const after = assignments.filter(({ version }) => version > stored.version);
  const { version, contractor_id }: Assignment =
    stored.contractor_id === null ? (after.find((one) => one.contractor_id !== null) ?? stored) : stored;
  if (contractor_id === null) return stored;
  const withAccount = [stored, ...after].find((one) => one.contractor_id === contractor_id && one.company_id !== null);
  const companyId = withAccount?.company_id ?? accounts.get(contractor_id) ?? null;
  return { version, contractor_id, company_id: companySupplying(companyId, buyerId) };
}

/** A contractor entry with the client's own account is not another party, so it is no supplier. */
function companySupplying(companyId: string | null, buyerId: string): string | null {
  return companyId === buyerId ? null : companyId;
}
