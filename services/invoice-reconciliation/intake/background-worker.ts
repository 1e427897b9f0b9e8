import { conflict, type Logger, retryOnConflict } from '@app/runtime';
import { createPoller, type Poller } from '@app/work-queue';
import { changed, type Decision, type Invoice, unchanged } from '../invoices/invoice.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { leaseMs } from '../invoices/state-machine.ts';
import type { ReceivedStatuses } from '../lifecycle/received-status-store.ts';
import type { RematchQueue } from '../matching/rematch-queue.ts';
import type { DueInvoices } from './due-invoice-store.ts';
import type { Pipeline } from './pipeline.ts';
import { retry } from './pipeline-rules.ts';

type Deps = {
  store: InvoiceStore;
  due: DueInvoices;
  pipeline: Pick<Pipeline, 'run' | 'rematch'>;
  rematches: Pick<RematchQueue, 'queueRematches'>;
  statuses: Pick<ReceivedStatuses, 'applyDue'>;
  everyMs: number;
  logger: Logger;
  now: () => Date;
};

const batchSize = 50;
const maxAttempts = 5;

/**
 * Work that no message triggers: queues rematches for changed tickets, notes statuses that came before their invoice, continues invoices after a
 * crash, retries failed steps, and matches invoices of the queue again. One replica at a time works
 * on an invoice, under a lease.
 */
export class BackgroundWorker {
  readonly #deps: Deps;
  readonly #poller: Poller;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#poller = createPoller({
      everyMs: deps.everyMs,
      run: async () => (await this.runOnce()) > 0,
      onError: (error) => deps.logger.warn('background work on invoices failed', { error }),
    });
  }

  start(): void {
    this.#poller.start();
  }

  /** Resolves once the round under way has ended. */
  stop(): Promise<void> {
    return this.#poller.stop();
  }

  /** Runs one round. @returns how many tickets and invoices it processed; 0: nothing was due */
  async runOnce(): Promise<number> {
    const { due, rematches, statuses, now } = this.#deps;
    const queued = (await rematches.queueRematches()) + (await statuses.applyDue());
    const leasedUntil = new Date(now().getTime() + leaseMs);
    const claimed = [
      ...(await due.claimSteps(now(), leasedUntil, batchSize)),
      ...(await due.claimRematches(now(), leasedUntil, batchSize)),
    ];
    await Promise.all(claimed.map((invoice) => this.#process(invoice)));
    return queued + claimed.length;
  }

  async #process(claimed: Invoice): Promise<void> {
    const { store, logger } = this.#deps;
    try {
      const attempt = async (number: number) => {
        const invoice = number === 0 ? claimed : await store.find(claimed.client_id, claimed._id);
        if (!invoice?.due_at) return null;
        const decision = await this.#decide(invoice);
        const isDone = decision.invoice === invoice || (await store.save(invoice, decision)) === 'saved';
        return isDone ? null : conflict;
      };
      await retryOnConflict(attempt, { code: 'invoice_busy', what: 'this invoice', maxAttempts });
    } catch (error) {
      // The lease expires, and it is claimed again.
      logger.warn('processing of an invoice failed', { invoiceId: claimed._id, error });
    }
  }

  async #decide(invoice: Invoice): Promise<Decision> {
    const { pipeline, now } = this.#deps;
    if (invoice.state === 'error') return pipeline.run(retry(invoice, now()));
    const isQueued = invoice.state === 'ticket_unmatched';
    const after = isQueued ? await pipeline.rematch(invoice) : await pipeline.run(unchanged(invoice));
    const isChanged = after.invoice !== invoice;
    if (!isQueued && isChanged) return after;
    // The lease ends with the work, also if nothing else changed: a person may have placed the invoice under it.
    if (isChanged) return { ...after, invoice: { ...after.invoice, due_at: null } };
    return changed(invoice, { due_at: null, updated_at: invoice.updated_at }, invoice.updated_at);
  }
}
