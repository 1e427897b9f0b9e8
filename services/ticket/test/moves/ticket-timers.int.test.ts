import { newId } from '@app/kernel';
import { testLogger } from '@app/testing';
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

const sweep = (change = stores.tickets.change) =>
  createTicketTimers({
    tickets: { ...stores.tickets, change },
    clockSettings: createClockSettings({ ...stores, now }),
    clockRulesOf: async () => null,
    logger,
    now,
    everyMs: 1_000,
  }).sweep();

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
}, 30_000);

test('a proposal that cannot expire does not keep the planned dates of its ticket from passing', async () => {
  const ticket = planned(1);
  await store([ticket]);
  await sweep((start, rule, options) =>
    rule === expire ? Promise.reject(new Error('no answer')) : stores.tickets.change(start, rule, options),
  );
  expect(await statusNow(ticket._id)).toBe('intervention_finish');
});

test('a sweep moves due tickets once, and leaves the others', async () => {
  const [due, toCome] = [planned(1), planned(48)];
  await store([due, toCome]);
  expect([await sweep(), await sweep()]).toEqual([1, 0]);
  expect([await statusNow(due._id), await statusNow(toCome._id)]).toEqual(['intervention_finish', 'intervention']);
});
