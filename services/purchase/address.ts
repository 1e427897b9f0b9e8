import type { TicketAssigned } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import type { Assignments } from './assignment.ts';
import type { AssignmentStore, ClientTicket } from './assignment-store.ts';
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

type Deps = { purchases: PurchaseStore; assignments: AssignmentStore; now: () => Date; logger: Logger };

/** By then whatever asked the ticket service before the assignment is written, several times over (`issuedWithinMs`). */
const checkedAfterMs = 60_000;
const sweepEveryMs = 10_000;
const checkedAtOnce = 100;

/**
 * An assignment is kept before the documents are read, and a document is written before the assignments are read: whoever
 * comes later sees the earlier (design section 8).
 */
export function createAddressing({ purchases, assignments, now, logger }: Deps): Addressing {
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

  async function addressWaiting({ ticketId, clientId }: ClientTicket, heard: Assignments): Promise<void> {
    for (const purchase of await purchases.unaddressed(ticketId, clientId)) await addressOne(purchase, heard);
  }

  async function sweep(): Promise<void> {
    for (let full = true; full && !stopped; ) {
      const due = await assignments.due(now(), checkedAtOnce);
      for (const heard of due) {
        await addressWaiting(heard, heard.assignments);
        await assignments.checked(heard);
      }
      full = due.length === checkedAtOnce;
    }
  }

  function sweepLater(): void {
    timer = setTimeout(() => {
      sweeping = sweep()
        .catch((error: unknown) => logger.warn('tickets assigned a minute ago are looked at later', { error }))
        .finally(() => !stopped && sweepLater());
    }, sweepEveryMs);
  }

  return {
    async assigned({ ticket_id: ticketId, client_id: clientId, version, contractor_id, company_id }) {
      if (contractor_id === null) return;
      const ticket = { ticketId, clientId };
      const checkAt = new Date(now().getTime() + checkedAfterMs);
      await addressWaiting(ticket, await assignments.keep(ticket, { version, contractor_id, company_id }, checkAt));
    },
    async settle(purchase, clientId) {
      const mayWait = purchase.supplier_company_id === null && purchase.buyer_company_id === clientId;
      const heard = mayWait ? await assignments.heard(purchase.ticket_id) : [];
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
