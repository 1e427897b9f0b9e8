import type { TicketAssigned } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import { type Assignments, type Heard, unheard } from './assignment.ts';
import type { AssignmentStore, ClientTicket, Due } from './assignment-store.ts';
import { address } from './changes.ts';
import type { Purchase } from './purchase.ts';
import type { PurchaseStore } from './purchase-store.ts';

/** Gives documents to the contractor that is assigned after they were made. */
export type Addressing = {
  /** Keeps an assignment, then looks at the documents that wait for one. */
  assigned(event: TicketAssigned): Promise<void>;
  /** A document just written, as it is now: who was assigned while it was on its way did not find it. */
  settle(purchase: Purchase, clientId: string): Promise<Purchase>;
  /** Looks once more at tickets assigned a minute ago: for documents whose process died before it could `settle` them. */
  sweep(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

type Deps = {
  purchases: PurchaseStore;
  assignments: AssignmentStore;
  now: () => Date;
  logger: Logger;
  sweepEveryMs?: number;
};

/** By then what asked the ticket service before the assignment is written, or given up: `issue.ts` takes 10 s at most. */
const checkedAfterMs = 60_000;
const checkedAtOnce = 100;

/**
 * An assignment is kept before the documents are read, and a document is written before the assignments are read: whoever
 * comes later sees the earlier (design section 8; docs/decisions.md).
 */
export function createAddressing({ purchases, assignments, now, logger, sweepEveryMs = 10_000 }: Deps): Addressing {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let stopped = false;

  async function addressOne(purchase: Purchase, heard: Assignments): Promise<Purchase> {
    try {
      return (await purchases.change(purchase, (current) => address(current, heard, now()))).purchase;
    } catch (error) {
      // Deleted meanwhile.
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
      return purchase;
    }
  }

  async function addressWaiting({ ticketId, clientId }: ClientTicket, { assignments: heard }: Heard): Promise<void> {
    if (heard.length === 0) return;
    for (const purchase of await purchases.unaddressed(ticketId, clientId)) await addressOne(purchase, heard);
  }

  async function sweep(): Promise<void> {
    const due = await assignments.due(now(), checkedAtOnce);
    const checked = await Promise.allSettled(due.map(checkOne));
    const failed = checked.filter((one) => one.status === 'rejected');
    // One that fails keeps none of the others.
    for (const { reason } of failed)
      logger.warn('a ticket assigned a minute ago is looked at later', { error: reason });
    if (due.length === checkedAtOnce && failed.length === 0 && !stopped) await sweep();
  }

  async function checkOne(due: Due): Promise<void> {
    await addressWaiting(due, due.heard);
    await assignments.checked(due);
  }

  function sweepLater(): void {
    timer = setTimeout(() => {
      sweeping = sweep()
        .catch((error: unknown) => logger.warn('tickets assigned a minute ago cannot be looked at', { error }))
        .finally(() => !stopped && sweepLater());
    }, sweepEveryMs);
  }

  return {
    async assigned({ ticket_id: ticketId, client_id: clientId, version, contractor_id, company_id }) {
      const ticket = { ticketId, clientId };
      const checkAt = new Date(now().getTime() + checkedAfterMs);
      await addressWaiting(ticket, await assignments.keep(ticket, { version, contractor_id, company_id }, checkAt));
    },
    async settle(purchase, clientId) {
      const mayWait = purchase.supplier_company_id === null && purchase.buyer_company_id === clientId;
      const { assignments: heard } = mayWait ? await assignments.heard(purchase.ticket_id) : unheard;
      return heard.length === 0 ? purchase : addressOne(purchase, heard);
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
