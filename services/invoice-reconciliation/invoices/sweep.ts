import type { Logger } from '@app/runtime';
import type { KeepCopies } from '../copies/keep-copies.ts';
import { retry } from './arrival.ts';
import { changed, type Decision, type Invoice, unchanged } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';
import { takenUpAfterMs } from './machine.ts';
import type { MatchStore } from './match-store.ts';
import type { Reconcile } from './reconcile.ts';

export type Sweep = {
  start(): void;
  stop(): Promise<void>;
  /** One round; gives how many tickets and invoices it dealt with. */
  once(): Promise<number>;
};

type Deps = {
  store: InvoiceStore;
  invoices: MatchStore;
  reconcile: Reconcile;
  keep: Pick<KeepCopies, 'markOwed'>;
  logger: Logger;
  everyMs: number;
  now: () => Date;
};

const batch = 50;
const attempts = 5;

/**
 * What nobody's message does: marks the invoices that changed tickets may concern, goes on where a crash left an invoice, tries errors again when they are due, and looks again
 * for the tickets of what waits in the queue. Each invoice is taken by one replica, for a minute.
 */
export function createSweep({ store, invoices, reconcile, keep, logger, everyMs, now }: Deps): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function goOn(invoice: Invoice): Promise<Decision> {
    if (invoice.state === 'error') return reconcile.settle(retry(invoice, now()));
    if (invoice.state !== 'ticket_unmatched') return reconcile.settle(unchanged(invoice));
    const after = await reconcile.rematch(invoice);
    // The lease goes with the work: whatever it came to, it is done.
    if (after.invoice !== invoice) return { ...after, invoice: { ...after.invoice, due_at: null } };
    return changed(invoice, { due_at: null, updated_at: invoice.updated_at }, invoice.updated_at);
  }

  async function one(taken: Invoice): Promise<void> {
    try {
      let invoice: Invoice | null = taken;
      for (let attempt = 0; attempt < attempts && invoice?.due_at; attempt++) {
        const decision = await goOn(invoice);
        if (decision.invoice === invoice || (await store.save(invoice, decision)) === 'saved') return;
        invoice = await store.find(taken.client_id, taken._id);
      }
    } catch (error) {
      // It is taken up again when its minute is over.
      logger.warn('an invoice could not be taken further', { invoiceId: taken._id, error });
    }
  }

  async function once(): Promise<number> {
    const marked = await keep.markOwed();
    const until = new Date(now().getTime() + takenUpAfterMs);
    const due = await invoices.takeDue(now(), until, batch);
    const again = await invoices.takeRematch(now(), until, batch);
    const taken = [...due, ...again];
    await Promise.all(taken.map(one));
    return marked + taken.length;
  }

  async function round(): Promise<void> {
    try {
      while (!stopped && (await once()) > 0);
    } catch (error) {
      logger.warn('sweep of the invoices failed', { error });
    }
    if (!stopped) next();
  }

  function next(): void {
    timer = setTimeout(() => {
      running = round();
    }, everyMs);
  }

  return {
    once,
    start: next,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
