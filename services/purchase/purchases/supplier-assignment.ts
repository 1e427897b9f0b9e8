import type { ContractorLinked, TicketAssigned } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Account, AccountStore, DueAccount } from '../assignments/account-store.ts';
import type { AssignmentHistory, Assignments } from '../assignments/assignment.ts';
import type { AssignmentStore, ClientTicket, DueTicket } from '../assignments/assignment-store.ts';
import type { Purchase } from './purchase.ts';
import { assignSupplier, type KnownAssignments } from './purchase-rules.ts';
import type { PurchaseStore } from './purchase-store.ts';

/** Gives documents to the contractor that is assigned after they were made, and to its account, whenever it gets one. */
export type SupplierAssignment = {
  /** Keeps an assignment, made at that time, then looks at the documents that wait for one. */
  onAssigned(event: TicketAssigned, at: Date): Promise<void>;
  /** Keeps the account that a contractor was given at that time, then looks at the documents that were frozen to it without one. */
  onLinked(event: ContractorLinked, at: Date): Promise<void>;
  /** A document just written, as it is now: who was assigned, or given an account, while it was on its way did not find it. */
  recheck(purchase: Purchase, clientId: string): Promise<Purchase>;
  /** Looks once more at tickets assigned and accounts given a minute ago: for documents whose process died before it could `settle` them. */
  sweep(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

type Deps = {
  purchases: PurchaseStore;
  assignments: AssignmentStore;
  accounts: AccountStore;
  now: () => Date;
  logger: Logger;
  sweepEveryMs?: number;
};

/** By then what asked the ticket service before the assignment is written, or given up: `issue.ts` takes 10 s at most. */
const checkedAfterMs = 60_000;
const checkedAtOnce = 100;

/**
 * An assignment or account is kept before the documents are read, and a document is written before the assignments and
 * accounts are read: whoever comes later sees the earlier (docs/decisions.md).
 */
export function createSupplierAssignment(deps: Deps): SupplierAssignment {
  const { purchases, assignments, accounts, now, logger, sweepEveryMs = 10_000 } = deps;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let stopped = false;

  /** With the accounts of contractors that had none: of those that were assigned, and of those that documents are frozen to. */
  async function withAccounts(heard: Assignments, documents: Purchase[]): Promise<KnownAssignments> {
    const assigned = heard.filter(({ company_id }) => company_id === null);
    const ids = [...assigned, ...documents].flatMap(({ contractor_id }) => contractor_id ?? []);
    return { assignments: heard, accounts: await accounts.byContractors([...new Set(ids)]) };
  }

  /** Told after what it follows from, whichever service's clock is ahead. */
  async function addressOne(
    purchase: Purchase,
    heard: KnownAssignments,
    since = purchase.updated_at,
  ): Promise<Purchase> {
    if (assignSupplier(purchase, heard, now()).purchase === purchase) return purchase;
    const at = ({ updated_at }: Purchase) =>
      new Date(Math.max(now().getTime(), since.getTime() + 1, updated_at.getTime() + 1));
    try {
      return (await purchases.change(purchase, (current) => assignSupplier(current, heard, at(current)))).purchase;
    } catch (error) {
      // Deleted meanwhile.
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
      return purchase;
    }
  }

  async function addressWaiting(
    ticket: ClientTicket,
    { assignments: heard }: AssignmentHistory,
    since?: Date,
  ): Promise<void> {
    const { ticketId, clientId } = ticket;
    if (heard.length === 0) return;
    const waiting = await purchases.findWithoutSupplier(ticketId, clientId);
    const known = await withAccounts(heard, waiting);
    for (const purchase of waiting) await addressOne(purchase, known, since);
  }

  async function addressFrozen({ contractorId, clientId, companyId }: Account, since?: Date): Promise<void> {
    const known = { assignments: [], accounts: new Map([[contractorId, companyId]]) };
    for (const purchase of await purchases.findByContractor(contractorId, clientId))
      await addressOne(purchase, known, since);
  }

  async function sweep(): Promise<void> {
    const [tickets, given] = await Promise.all([
      assignments.due(now(), checkedAtOnce),
      accounts.due(now(), checkedAtOnce),
    ]);
    const checked = await Promise.allSettled([...tickets.map(checkTicket), ...given.map(checkAccount)]);
    const failed = checked.filter((one) => one.status === 'rejected');
    // One that fails keeps none of the others.
    for (const { reason } of failed)
      logger.warn('a ticket assigned a minute ago is looked at later', { error: reason });
    const isMore = tickets.length === checkedAtOnce || given.length === checkedAtOnce;
    if (isMore && failed.length === 0 && !stopped) await sweep();
  }

  async function checkTicket(due: DueTicket): Promise<void> {
    await addressWaiting(due, due.history);
    await assignments.checked(due);
  }

  async function checkAccount(due: DueAccount): Promise<void> {
    await addressFrozen(due);
    await accounts.checked(due);
  }

  const checkLater = () => new Date(now().getTime() + checkedAfterMs);

  function sweepLater(): void {
    timer = setTimeout(() => {
      sweeping = sweep()
        .catch((error: unknown) => logger.warn('tickets assigned a minute ago cannot be looked at', { error }))
        .finally(() => !stopped && sweepLater());
    }, sweepEveryMs);
  }

  return {
    async onAssigned({ ticket_id: ticketId, client_id: clientId, version, contractor_id, company_id }, at) {
      const ticket = { ticketId, clientId };
      const heard = await assignments.record(ticket, { version, contractor_id, company_id }, checkLater());
      await addressWaiting(ticket, heard, at);
    },
    async onLinked({ client_id: clientId, contractor_id: contractorId, company_id: companyId }, at) {
      const account = { clientId, contractorId, companyId };
      await accounts.save(account, checkLater());
      await addressFrozen(account, at);
    },
    async recheck(purchase, clientId) {
      const mayWait = purchase.supplier_company_id === null && purchase.buyer_company_id === clientId;
      if (!mayWait) return purchase;
      const { assignments: heard } = await assignments.history(purchase.ticket_id);
      return addressOne(purchase, await withAccounts(heard, [purchase]));
    },
    sweep,
    start: sweepLater,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
    },
  };
}
