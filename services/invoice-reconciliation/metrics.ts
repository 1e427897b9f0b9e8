import { durationHistogram, gaugeOnScrape } from '@app/runtime';
import { Counter } from 'prom-client';
import type { WaitingStore } from './intake/waiting-store.ts';
import type { InvoiceObserver } from './invoices/invoice-observer.ts';

const moves = new Counter({
  name: 'invoice_moves_total',
  help: 'Moves of invoices into a state',
  labelNames: ['state'] as const,
});

const processing = durationHistogram({
  name: 'invoice_processing_duration_seconds',
  help: 'Time from the fetch of an invoice until it is on a ticket or waits for a person, by its state then',
  labelNames: ['state'],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200],
});

const matched = new Counter({
  name: 'invoices_matched_automatically_total',
  help: 'Invoices that were put on a ticket without a person',
});

const undone = new Counter({
  name: 'invoice_automatic_matches_undone_total',
  help: 'Of those, the ones that a person took from that ticket within 30 days: more than 1 % is too many',
});

export const invoiceObserver: InvoiceObserver = {
  moved: (state) => moves.inc({ state }),
  processed: (state, ms) => processing.observe({ state }, ms / 1000),
  matched: () => matched.inc(),
  undone: () => undone.inc(),
};

type Measured = { waiting: WaitingStore; now: () => Date };

/** Measures at each scrape what waits in the database. */
export function measureWaiting({ waiting, now }: Measured): void {
  gaugeOnScrape({
    name: 'invoices_waiting',
    help: 'Invoices that wait for a person, by state; all replicas see the same, at most 10,000',
    labelNames: ['state'] as const,
    read: async () => (await waiting.waiting()).map(({ state, count }) => ({ labels: { state }, value: count })),
  });
  gaugeOnScrape({
    name: 'invoices_oldest_waiting_seconds',
    help: 'Age of the oldest invoice that waits for a person, by state; 0: none waits',
    labelNames: ['state'] as const,
    async read() {
      const at = now().getTime();
      const age = (oldest: Date | null) => (oldest === null ? 0 : (at - oldest.getTime()) / 1000);
      return (await waiting.waiting()).map(({ state, oldest }) => ({ labels: { state }, value: age(oldest) }));
    },
  });
  gaugeOnScrape({
    name: 'invoices_overdue',
    help: 'Invoices whose next step or rematch has been due for a minute: the worker is behind; at most 20,000',
    read: async () => [{ value: await waiting.countOverdue(now()) }],
  });
}
