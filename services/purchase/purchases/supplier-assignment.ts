import type { ContractorLinked, TicketAssigned } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import { createPoller, type Poller } from '@app/work-queue';
import type { Account, AccountStore, DueAccount } from '../assignments/account-store.ts';
import type { Assignments } from '../assignments/assignment.ts';
import type { AssignmentStore, ClientTicket, DueTicket } from '../assignments/assignment-store.ts';
import type { Purchase } from './purchase.ts';
import { assignSupplier, type KnownAssignments } from './purchase-rules.ts';
import type { PurchaseStore } from './purchase-store.ts';

/** Gives documents their supplier: the contractor assigned after their creation, by the account it has or gets later. */
export type SupplierAssignment = Pick<Poller, 'start' | 'stop'> & {
  /** Records an assignment of that time, and updates the documents that wait for one. */
  onAssigned(event: TicketAssigned, at: Date): Promise<void>;
  /** Records the account that a contractor got at that time, and updates the documents assigned to it. */
  onLinked(event: ContractorLinked, at: Date): Promise<void>;
  /** Updates a document just written, which assignments and accounts that arrived meanwhile did not find. @returns it as it is then */
  recheck(purchase: Purchase, clientId: string): Promise<Purchase>;
  /** Checks tickets assigned and accounts given a minute ago, for documents whose process died before `recheck`. */
  sweep(): Promise<void>;
};

type Deps = {
  purchases: PurchaseStore;
  assignments: AssignmentStore;
  accounts: AccountStore;
  now: () => Date;
  logger: Logger;
  sweepEveryMs?: number;
};

/** By then a creation that read its ticket before the assignment has ended: it takes 10 s at most. */
const checkAfterMs = 60_000;
const maxChecks = 100;

/**
 * An assignment or account is recorded before the documents are read, and a document is written before assignments and
 * accounts are read: of the two, whichever comes later sees the other.
 */
export function createSupplierAssignment(deps: Deps): SupplierAssignment {
  const { purchases, assignments, accounts, now, logger, sweepEveryMs = 10_000 } = deps;

  /** Adds the accounts of contractors without one: of those assigned, and of those that documents are assigned to. */
  async function withAccounts(received: Assignments, documents: Purchase[]): Promise<KnownAssignments> {
    const withoutAccount = received.filter(({ company_id }) => company_id === null);
    const ids = [...withoutAccount, ...documents].flatMap(({ contractor_id }) => contractor_id ?? []);
    return { assignments: received, accounts: await accounts.byContractors([...new Set(ids)]) };
  }

  /** Its events come after those of `since`, even if the clock of the other service is ahead. */
  async function update(
    purchase: Purchase,
    known: KnownAssignments,
    since: Date = purchase.updated_at,
  ): Promise<Purchase> {
    if (assignSupplier(purchase, known, now()).purchase === purchase) return purchase;
    const timeAfter = ({ updated_at }: Purchase) =>
      new Date(Math.max(now().getTime(), since.getTime() + 1, updated_at.getTime() + 1));
    try {
      const decide = (current: Purchase) => assignSupplier(current, known, timeAfter(current));
      return (await purchases.change(purchase, decide)).purchase;
    } catch (error) {
      const isDeleted = error instanceof AppError && error.kind === 'not_found';
      if (!isDeleted) throw error;
      return purchase;
    }
  }

  async function updateOnTicket({ ticketId, clientId }: ClientTicket, received: Assignments, since?: Date) {
    if (received.length === 0) return;
    const waiting = await purchases.findWithoutSupplier(ticketId, clientId);
    const known = await withAccounts(received, waiting);
    for (const purchase of waiting) await update(purchase, known, since);
  }

  async function updateOfContractor({ contractorId, clientId, companyId }: Account, since?: Date) {
    const known = { assignments: [], accounts: new Map([[contractorId, companyId]]) };
    for (const purchase of await purchases.findByContractor(contractorId, clientId))
      await update(purchase, known, since);
  }

  async function sweep(): Promise<void> {
    const [tickets, given] = await Promise.all([assignments.due(now(), maxChecks), accounts.due(now(), maxChecks)]);
    const checked = await Promise.allSettled([...tickets.map(checkTicket), ...given.map(checkAccount)]);
    const failed = checked.filter((one) => one.status === 'rejected');
    for (const { reason } of failed) logger.warn('an assignment could not be checked; later again', { error: reason });
    const isMore = tickets.length === maxChecks || given.length === maxChecks;
    if (isMore && failed.length === 0) poller.notify();
  }

  async function checkTicket(due: DueTicket): Promise<void> {
    await updateOnTicket(due, due.history.assignments);
    await assignments.checked(due);
  }

  async function checkAccount(due: DueAccount): Promise<void> {
    await updateOfContractor(due);
    await accounts.checked(due);
  }

  const checkAt = () => new Date(now().getTime() + checkAfterMs);

  const onError = (error: unknown) => logger.warn('assignments could not be checked', { error });
  const poller = createPoller({ run: sweep, everyMs: sweepEveryMs, onError });

  return {
    async onAssigned({ ticket_id: ticketId, client_id: clientId, version, contractor_id, company_id }, at) {
      const ticket = { ticketId, clientId };
      const history = await assignments.record(ticket, { version, contractor_id, company_id }, checkAt());
      await updateOnTicket(ticket, history.assignments, at);
    },
    async onLinked({ client_id: clientId, contractor_id: contractorId, company_id: companyId }, at) {
      const account = { clientId, contractorId, companyId };
      await accounts.save(account, checkAt());
      await updateOfContractor(account, at);
    },
    async recheck(purchase, clientId) {
      const mayLackSupplier = purchase.supplier_company_id === null && purchase.buyer_company_id === clientId;
      if (!mayLackSupplier) return purchase;
      const { assignments: received } = await assignments.history(purchase.ticket_id);
      return update(purchase, await withAccounts(received, [purchase]));
    },
    sweep,
    start: poller.start,
    stop: poller.stop,
  };
}
