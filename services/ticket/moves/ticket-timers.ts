import type { Logger } from '@app/runtime';
import { datesPast } from '../dates/dates.ts';
import type { Decision, Ticket } from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import { expire } from './moves.ts';

type Deps = { tickets: Pick<TicketStore, 'due' | 'change'>; logger: Logger; now: () => Date; everyMs: number };

export type TicketTimers = {
  start(): void;
  stop(): Promise<void>;
  /** Runs what is due, each ticket once. @returns how many tickets were due */
  sweep(): Promise<number>;
};

const rules: ((ticket: Ticket, now: Date) => Decision)[] = [expire, datesPast];

/**
 * What time alone does to tickets (domain.md section 4): proposals expire, planned dates pass. An idempotent sweep over
 * an index of when the next thing is due, so that a restart or a second replica does nothing twice. Each timer stands
 * alone: one that fails is logged, and tried again by the next sweep.
 */
export function createTicketTimers({ tickets, logger, now, everyMs }: Deps): TicketTimers {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function sweep(): Promise<number> {
    let passed = 0;
    // One walk along the index, not one question after the other: what fails stays due, and must not keep others out.
    for await (const id of tickets.due(now())) {
      await pass(id);
      passed += 1;
    }
    return passed;
  }

  async function pass(id: string): Promise<void> {
    for (const rule of rules) {
      try {
        await tickets.change(id, rule);
      } catch (error) {
        logger.error('a timer could not move a ticket', { ticketId: id, timer: rule.name, error });
      }
    }
  }

  function next(): void {
    timer = setTimeout(() => {
      running = sweep()
        .catch((error) => logger.warn('sweep of the ticket timers failed', { error }))
        .finally(() => !stopped && next());
    }, everyMs);
  }

  return {
    sweep,
    start: next,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
