// An order may be made before a contractor is assigned, or has an account, and a successor must not read its predecessor's orders. Each
// side writes before it reads the other's collection, and a sweep looks again after a minute. The queue is handled one message at a time.
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

type Deps = {
  purchases: PurchaseStore;
  assignments: AssignmentStore;
  accounts: AccountStore;
  now: () => Date;
  logger: Logger;
  sweepEveryMs?: number;
};

type Rechecked = { clientId: string; ticketVersion: number | null };

/** By then a creation that read its ticket before the assignment has ended: it takes 10 s at most. */
const checkAfterMs = 60_000;
const maxChecks = 100;

/**
 * Gives documents their supplier: the contractor assigned after their creation, by the account it has or gets later. An
 * assignment or account is recorded before the documents are read, and a document is written before assignments and accounts
 * are read: of the two, whichever comes later sees the other.
 */
export class SupplierAssignment {
  private readonly deps: Deps;
  private readonly poller: Poller;

  constructor(deps: Deps) {
    this.deps = deps;
    const onError = (error: unknown) => deps.logger.warn('sweep of assigned suppliers failed', { error });
    this.poller = createPoller({ run: () => this.sweep(), everyMs: deps.sweepEveryMs ?? 10_000, onError });
  }

  /** Records an assignment of that time, and updates the documents that wait for one. */
  async onAssigned(event: TicketAssigned, at: Date): Promise<void> {
    const { ticket_id: ticketId, client_id: clientId, version, contractor_id, company_id } = event;
    const ticket = { ticketId, clientId };
    const assignment = { version, contractor_id, company_id };
    const history = await this.deps.assignments.record(ticket, assignment, this.checkAt());
    await this.updateOnTicket(ticket, history.assignments, at);
  }

  /** Records the account that a contractor got at that time, and updates the documents assigned to it. */
  async onLinked(event: ContractorLinked, at: Date): Promise<void> {
    const { client_id: clientId, contractor_id: contractorId, company_id: companyId } = event;
    const account = { clientId, contractorId, companyId };
    await this.deps.accounts.save(account, this.checkAt());
    await this.updateOfContractor(account, at);
  }

  /**
   * Updates a document just written, which assignments and accounts that arrived meanwhile did not find. `ticketVersion` was read
   * after the write, null if it is not known: a ticket that is still as the document knows it was not assigned meanwhile.
   * @returns the document as it is then
   */
  async recheck(purchase: Purchase, { clientId, ticketVersion }: Rechecked): Promise<Purchase> {
    const { supplier_company_id, buyer_company_id, contractor_id, assignment_version } = purchase;
    const mayLackSupplier = supplier_company_id === null && buyer_company_id === clientId;
    const isUnassigned = contractor_id === null && assignment_version === ticketVersion;
    if (!mayLackSupplier || isUnassigned) return purchase;
    const { assignments } = await this.deps.assignments.history(purchase.ticket_id);
    return this.update(purchase, await this.withAccounts(assignments, [purchase]));
  }

  /** Checks tickets assigned and accounts given a minute ago, for documents whose process died before `recheck`. */
  async sweep(): Promise<void> {
    const { assignments, accounts, now, logger } = this.deps;
    const [tickets, given] = await Promise.all([assignments.due(now(), maxChecks), accounts.due(now(), maxChecks)]);
    const checks = [...tickets.map((due) => this.checkTicket(due)), ...given.map((due) => this.checkAccount(due))];
    const failed = (await Promise.allSettled(checks)).filter((one) => one.status === 'rejected');
    for (const { reason } of failed)
      logger.warn('supplier of purchases could not be updated, trying again later', { error: reason });
    const isMore = tickets.length === maxChecks || given.length === maxChecks;
    if (isMore && failed.length === 0) this.poller.notify();
  }

  start(): void {
    this.poller.start();
  }

  stop(): Promise<void> {
    return this.poller.stop();
  }

  private checkAt(): Date {
    return new Date(this.deps.now().getTime() + checkAfterMs);
  }

  private async checkTicket(due: DueTicket): Promise<void> {
    await this.updateOnTicket(due, due.history.assignments);
    await this.deps.assignments.checked(due);
  }

  private async checkAccount(due: DueAccount): Promise<void> {
    await this.updateOfContractor(due);
    await this.deps.accounts.checked(due);
  }

  private async updateOnTicket(
    { ticketId, clientId }: ClientTicket,
    assignments: Assignments,
    since?: Date,
  ): Promise<void> {
    if (assignments.length === 0) return;
    const waiting = await this.deps.purchases.findWithoutSupplier(ticketId, clientId);
    const known = await this.withAccounts(assignments, waiting);
    for (const purchase of waiting) await this.update(purchase, known, since);
  }

  private async updateOfContractor({ contractorId, clientId, companyId }: Account, since?: Date): Promise<void> {
    const known = { assignments: [], accounts: new Map([[contractorId, companyId]]) };
    const documents = await this.deps.purchases.findByContractor(contractorId, clientId);
    for (const purchase of documents) await this.update(purchase, known, since);
  }

  /** Adds the accounts of contractors without one: of those assigned, and of those that documents are assigned to. */
  private async withAccounts(assignments: Assignments, documents: Purchase[]): Promise<KnownAssignments> {
    const withoutAccount = assignments.filter(({ company_id }) => company_id === null);
    const ids = [...withoutAccount, ...documents].flatMap(({ contractor_id }) => contractor_id ?? []);
    return { assignments, accounts: await this.deps.accounts.byContractors([...new Set(ids)]) };
  }

  /** Its events come after those of `since`, even if the clock of the other service is ahead. */
  private async update(
    purchase: Purchase,
    known: KnownAssignments,
    since: Date = purchase.updated_at,
  ): Promise<Purchase> {
    const { purchases, now } = this.deps;
    if (assignSupplier(purchase, known, now()).purchase === purchase) return purchase;
    const timeAfter = ({ updated_at }: Purchase) =>
      new Date(Math.max(now().getTime(), since.getTime() + 1, updated_at.getTime() + 1));
    try {
      const decide = (current: Purchase) => assignSupplier(current, known, timeAfter(current));
      return (await purchases.change(purchase, decide, { write: null })).purchase;
    } catch (error) {
      const isDeleted = error instanceof AppError && error.kind === 'not_found';
      if (!isDeleted) throw error;
      return purchase;
    }
  }
}
