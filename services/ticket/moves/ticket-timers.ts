import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@app/runtime';
import { createPoller, type Poller } from '@app/work-queue';
import type { ClockSettingsStore } from '../clock-settings/clock-settings-store.ts';
import { datesPast } from '../dates/dates.ts';
import { openStatuses } from '../statistics/ticket-entries.ts';
import type { HistoryOperation } from '../tickets/history.ts';
import { unchanged } from '../tickets/lifecycle/decision.ts';
import { type ClockRulesOf, ruledBy } from '../tickets/lifecycle/ticket-clocks.ts';
import type { TicketStore } from '../tickets/stores/ticket-store.ts';
import type { Decision, Ticket } from '../tickets/ticket.ts';
import { expire } from './moves.ts';

type Deps = {
  tickets: Pick<TicketStore, 'due' | 'change' | 'warn' | 'list'>;
  clockSettings: Pick<ClockSettingsStore, 'nextWalk' | 'walked'>;
  clockRulesOf: ClockRulesOf;
  logger: Logger;
  now: () => Date;
  everyMs: number;
};

export type TicketTimers = Pick<Poller, 'start' | 'stop'> & {
  /** Runs what is due, each ticket once. @returns how many tickets were due */
  sweep(): Promise<number>;
  /** Tells the warnings whose time has come. @returns how many tickets were looked at */
  warn(): Promise<number>;
  /** Applies changed deadlines to a page of the open tickets of one client. @returns whether there was one */
  applySettings(): Promise<boolean>;
};

type Timer = { operation: HistoryOperation; rule: (ticket: Ticket, now: Date) => Decision };

const ticketsOfPage = 100;

const timers: Timer[] = [
  { operation: 'expire', rule: expire },
  { operation: 'dates_past', rule: datesPast },
];

/**
 * Moves tickets when a time has come: proposals expire, planned dates pass; and warns of what is due. A sweep follows an index of due times and its
 * rules are idempotent, so a restart or a second replica does nothing twice. A ticket that fails is logged, and retried
 * by the next sweep.
 */
export function createTicketTimers(deps: Deps): TicketTimers {
  const { tickets, clockSettings, clockRulesOf, logger, now, everyMs } = deps;

  async function forEachDue(timer: 'due_at' | 'warn_at', work: (id: string) => Promise<void>): Promise<number> {
    let passed = 0;
    // One cursor for the whole sweep: what fails stays due, and must not keep the tickets after it waiting.
    for await (const ids of tickets.due(timer, now())) {
      await Promise.all(ids.map(work));
      passed += ids.length;
    }
    return passed;
  }

  const sweep = () => forEachDue('due_at', applyRules);

  const warn = () =>
    forEachDue('warn_at', async (ticketId) => {
      try {
        await tickets.warn(ticketId);
      } catch (error) {
        logger.error('the warnings of a ticket could not be told', { ticketId, error });
      }
    });

  async function applyRules(id: string): Promise<void> {
    for (const { operation, rule } of timers) {
      try {
        await tickets.change(id, rule, { write: null, log: { operation, by: null } });
      } catch (error) {
        logger.error('a timer could not move a ticket', { ticketId: id, timer: rule.name, error });
      }
    }
  }

  async function applySettings(): Promise<boolean> {
    const walk = await clockSettings.nextWalk();
    if (!walk) return false;
    const viewer = { companyId: walk.clientId, companyKind: 'client' } as const;
    const page = {
      limit: ticketsOfPage,
      status: [...openStatuses],
      ...(walk.after === null ? {} : { cursor: walk.after }),
    };
    const { items, cursor } = await tickets.list(page, viewer);
    for (const ticket of items) {
      try {
        const rules = await clockRulesOf(ticket);
        await tickets.change(ticket, (current) => ruleAgain(current, rules), { write: null });
      } catch (error) {
        logger.error('changed deadlines could not be applied to a ticket', { ticketId: ticket._id, error });
      }
    }
    await clockSettings.walked(walk, cursor);
    return true;
  }

  const onError = (error: unknown) => logger.warn('sweep of the ticket timers failed', { error });
  let sweeping: Promise<unknown> | null = null;
  const run = async () => {
    // A warning waits neither for thousands of dates that have passed at midnight, nor for a sweep that fails.
    sweeping ??= sweep()
      .catch(onError)
      .finally(() => {
        sweeping = null;
      });
    await warn();
    return applySettings();
  };
  const poller = createPoller({ run, everyMs, onError });
  return {
    ...poller,
    async stop() {
      await poller.stop();
      await sweeping;
    },
    sweep,
    warn,
    applySettings,
  };
}

/** If the ticket has changed meanwhile, the store goes by the rules for what it is now. */
function ruleAgain(ticket: Ticket, rules: Awaited<ReturnType<ClockRulesOf>>): Decision {
  if (!ticket.clock) return unchanged(ticket);
  const clock = ruledBy({ ...ticket, clock: ticket.clock }, rules);
  return isDeepStrictEqual(clock, ticket.clock) ? unchanged(ticket) : { ticket: { ...ticket, clock }, events: [] };
}
