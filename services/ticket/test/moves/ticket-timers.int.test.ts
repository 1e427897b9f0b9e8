import { newId } from '@app/kernel';
import { profiled, testLogger } from '@app/testing';
import { createClockSettings } from '../../clock-settings/clock-settings-store.ts';
import { expire } from '../../moves/moves.ts';
import { createTicketTimers } from '../../moves/ticket-timers.ts';
import { ticketModel } from '../../tickets/stores/ticket-collection.ts';
import { statusOf, type Ticket } from '../../tickets/ticket.ts';
import { aContractor, aDate, later, withPlanned, worked } from '../tickets/fixtures.ts';
import { useTicketStores } from '../tickets/stores/ticket-stores.ts';

const hours = (count: number) => new Date(later.getTime() + count * 3_600_000);
const now = () => hours(24);
const worker = aContractor();
const logger = testLogger();

const stores = useTicketStores(now);
const collection = () => ticketModel(stores.connection).collection;
afterEach(() => collection().deleteMany({}));

const timersOf = (tickets: typeof stores.tickets, everyMs = 1_000) =>
  createTicketTimers({
    tickets,
    clockSettings: createClockSettings({ ...stores, now }),
    clockRulesOf: async () => null,
    logger,
    now,
    everyMs,
  });
const sweep = (change = stores.tickets.change) => timersOf({ ...stores.tickets, change }).sweep();

/** A ticket whose only intervention is over after `hour` hours. */
function planned(hour: number): Ticket {
  const start = hours(hour - 1);
  return { ...withPlanned(worked('toplan', worker), aDate({ start, end: hours(hour) })), _id: newId() };
}

const store = (all: object[]) => collection().insertMany(all as never);
async function statusNow(id: string) {
  const { companyId } = worker;
  const ticket = await stores.tickets.find(id, { companyId, companyKind: 'contractor' });
  return ticket && statusOf(ticket);
}

test('failing timers of some tickets do not stop those of others, however many fail', async () => {
  const unreadable = Array.from({ length: 120 }, () => ({ ...planned(1), dates: null }));
  const good = planned(2);
  await store([...unreadable, good]);
  expect(await sweep()).toBe(121);
  expect(await statusNow(good._id)).toBe('intervention_finish');
});

test('a proposal that cannot expire does not keep the planned dates of its ticket from passing', async () => {
  const ticket = planned(1);
  await store([ticket]);
  await sweep((start, rule, options) =>
    rule === expire ? Promise.reject(new Error('no answer')) : stores.tickets.change(start, rule, options),
  );
  expect(await statusNow(ticket._id)).toBe('intervention_finish');
});

test('a warning waits neither for dates that take long, nor for another one that does', async () => {
  const all = [planned(48), planned(48)].map((ticket) => ({ ...ticket, warn_at: hours(1) }));
  await store([planned(1), ...all]);
  const [both, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  const tickets: typeof stores.tickets = {
    ...stores.tickets,
    async change(...given) {
      await told.promise;
      return stores.tickets.change(...given);
    },
    async warn(id) {
      begun += 1;
      if (begun === all.length) both.resolve();
      await both.promise;
      await stores.tickets.warn(id);
      if ((await collection().countDocuments({ warn_at: { $ne: null } })) === 0) told.resolve();
    },
  };
  const timers = timersOf(tickets, 10);
  timers.start();
  await told.promise;
  await timers.stop();
});

test.each(['due_at', 'warn_at'] as const)('of many tickets those alone are read whose %s has come', async (timer) => {
  const at = (hour: number) => ({ ...planned(1), due_at: null, [timer]: hours(hour) });
  await store([...Array.from({ length: 50 }, () => at(48)), at(1), at(2)]);
  const found: string[] = [];
  const [plan] = await profiled(stores, async () => {
    for await (const ids of stores.tickets.due(timer, now())) found.push(...ids);
  });
  expect(found).toHaveLength(2);
  expect(plan).toMatchObject({ planSummary: `IXSCAN { ${timer}: 1 }`, keysExamined: 2, docsExamined: 2 });
  expect(plan?.hasSortStage).toBeUndefined();
});

test('a sweep moves due tickets once, and leaves the others', async () => {
  const [due, toCome] = [planned(1), planned(48)];
  await store([due, toCome]);
  expect([await sweep(), await sweep()]).toEqual([1, 0]);
  expect([await statusNow(due._id), await statusNow(toCome._id)]).toEqual(['intervention_finish', 'intervention']);
});
