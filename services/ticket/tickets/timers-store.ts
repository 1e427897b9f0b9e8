import type { Logger } from '@app/runtime';
import { datesPast } from './dates.ts';
import { expire } from './moves.ts';
import type { TicketStore } from './ticket-store.ts';

type Deps = { tickets: TicketStore; logger: Logger; now: () => Date; everyMs: number };

const batchSize = 100;

export type Timers = { start(): void; stop(): Promise<void>; sweep(): Promise<number> };

/**
 * What time alone does to tickets (domain.md section 4): proposals expire, planned dates pass. An idempotent sweep over
 * an index of when the next thing is due, so that a restart or a second replica does nothing twice.
 */
export function createTimers({ tickets, logger, now, everyMs }: Deps): Timers {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function sweep(): Promise<number> {
    let moved = 0;
    for (;;) {
      const due = await tickets.due(now(), batchSize);
      for (const id of due) await pass(id);
      moved += due.length;
      if (due.length < batchSize) return moved;
    }
  }

  async function pass(id: string): Promise<void> {
    try {
      await tickets.change(id, (ticket) => expire(ticket, now()));
      await tickets.change(id, (ticket) => datesPast(ticket, now()));
    } catch (error) {
      logger.error('a timer could not move a ticket', { ticketId: id, error });
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
