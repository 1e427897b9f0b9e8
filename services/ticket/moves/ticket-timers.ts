import type { Logger } from '@app/runtime';
import { createPoller, type Poller } from '@app/work-queue';
import { datesPast } from '../dates/dates.ts';
import type { HistoryOperation } from '../tickets/history.ts';
import type { TicketStore } from '../tickets/stores/ticket-store.ts';
import type { Decision, Ticket } from '../tickets/ticket.ts';
import { expire } from './moves.ts';

type Deps = { tickets: Pick<TicketStore, 'due' | 'change'>; logger: Logger; now: () => Date; everyMs: number };

export type TicketTimers = Pick<Poller, 'start' | 'stop'> & {
  /** Runs what is due, each ticket once. @returns how many tickets were due */
  sweep(): Promise<number>;
};

type Timer = { operation: HistoryOperation; rule: (ticket: Ticket, now: Date) => Decision };

const timers: Timer[] = [
  { operation: 'expire', rule: expire },
  { operation: 'dates_past', rule: datesPast },
];

/**
 * Moves tickets when a time has come: proposals expire, planned dates pass. The sweep follows an index of due times and its
 * rules are idempotent, so a restart or a second replica does nothing twice. A ticket that fails is logged, and retried
 * by the next sweep.
 */
export function createTicketTimers({ tickets, logger, now, everyMs }: Deps): TicketTimers {
  async function sweep(): Promise<number> {
    let passed = 0;
    // One cursor for the whole sweep: what fails stays due, and must not keep the tickets after it waiting.
    for await (const id of tickets.due(now())) {
      await applyRules(id);
      passed += 1;
    }
    return passed;
  }

  async function applyRules(id: string): Promise<void> {
    for (const { operation, rule } of timers) {
      try {
        await tickets.change(id, rule, { write: null, log: { operation, by: null } });
      } catch (error) {
        logger.error('a timer could not move a ticket', { ticketId: id, timer: rule.name, error });
      }
    }
  }

  const onError = (error: unknown) => logger.warn('sweep of the ticket timers failed', { error });
  return { ...createPoller({ run: sweep, everyMs, onError }), sweep };
}
