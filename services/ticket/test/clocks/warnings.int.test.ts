import { type NotificationRaised, notificationRaised } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually, recordEvents, testLogger } from '@app/testing';
import { createTicketTimers } from '../../moves/ticket-timers.ts';
import { ticketCollection } from '../../tickets/stores/ticket-collection.ts';
import { type Client, idOf, newTicket, usePlatform } from '../platform.ts';
import { ticketStores } from '../tickets/stores/ticket-stores.ts';

/** A Friday, 17:40 in Lille. Four hours of work end on Monday 11:40, three of them at 10:40. */
const friday = new Date('2026-11-27T16:40:00.000Z');
const monday = (time: string) => new Date(`2026-11-30T${time}:00.000Z`);
const [soon, due] = [monday('09:40'), monday('10:40')];
let time = friday;
const platform = usePlatform({ now: () => time });
beforeEach(() => {
  time = friday;
});

const openings = [1, 2, 3, 4, 5].map((day) => ({ day, from: '08:00', to: '18:00' }));
const hours = [{ location_id: null, time_zone: 'Europe/Paris', openings, holidays: 'FR', closed: [] }];
const policy = (amount: number, warn_percent = 75) => ({
  priority: 'high',
  response: { amount, unit: 'hours' },
  arrival: null,
  finish: null,
  warn_percent,
});
const set = (client: Client, policies: object[]) => client.put('/clock-settings', { policies, hours });

/** A ticket that was opened on Friday and is to be answered in four hours. */
async function begin() {
  const client = platform.as({ permissions: ['admin'] });
  await set(client, [policy(4)]);
  const path = await newTicket(client, { priority: 'high' });
  return { client, path, id: idOf(path) };
}

const warnAt = async (now: Date) => {
  time = now;
  return platform.app.timers.warn();
};

/** The warnings of a ticket, as they were published: those before `end`, which is published after all of them. */
async function told(client: Client, path: string): Promise<unknown[]> {
  const { length } = platform.published('message_added', idOf(path));
  expect((await client.post(`${path}/notes`, { note: 'The end', type: 'public' })).status).toBe(201);
  await eventually(() => expect(platform.published('message_added', idOf(path))).toHaveLength(length + 1));
  const warnings = platform.webhookEvents.filter(({ payload }) => 'deadline' in payload);
  return warnings
    .filter(({ payload }) => (payload['ticket'] as { id: string }).id === idOf(path))
    .map(({ type, audience, payload }) => [type.split('.')[1], payload['deadline'], audience.length]);
}
const warning = (kind: string, at: Date, companies = 1) => [
  kind,
  { clock: 'response', due_at: at.toISOString() },
  companies,
];

test('a warning comes when a share of the time has passed, another one at its end, each once', async () => {
  const { client, path } = await begin();
  expect(await warnAt(new Date(soon.getTime() - 1))).toBe(0);
  expect([await warnAt(soon), await warnAt(soon)]).toEqual([1, 0]);
  expect(await told(client, path)).toEqual([warning('due_soon', due)]);
  expect([await warnAt(due), await warnAt(monday('12:00'))]).toEqual([1, 0]);
  expect(await told(client, path)).toEqual([warning('due_soon', due), warning('overdue', due)]);
});

test('whoever comes late tells both; a clock that jumps back and forth tells nothing again', async () => {
  const { client, path } = await begin();
  await warnAt(monday('15:00'));
  for (const now of [friday, soon, due, monday('15:00')]) await warnAt(now);
  time = monday('15:01');
  expect(await told(client, path)).toEqual([warning('due_soon', due), warning('overdue', due)]);
});

test('two replicas tell a warning once, and one that dies before it published leaves it to the other', async () => {
  const { client, path, id } = await begin();
  time = soon;
  const { relay, ...dying } = ticketStores(platform.connection, () => time);
  const timers = createTicketTimers({
    ...dying,
    clockSettings: { nextWalk: async () => null, walked: async () => undefined },
    clockRulesOf: async () => null,
    logger: testLogger(),
    now: () => time,
    everyMs: 60_000,
  });
  await Promise.all([timers.warn(), dying.tickets.warn(id), dying.tickets.warn(id)]);
  expect(await platform.app.timers.warn()).toBe(0);
  const stored = await ticketCollection(platform.connection).findOne({ _id: id });
  const unsent = stored?.outbox?.map(({ type }) => type).filter((type) => type !== 'ticket.changed.v1');
  expect(unsent).toEqual(['ticket.due_soon.v1', 'notification.raised.v1']);
  // Its relay publishes nothing. Those of the others leave to it what is younger than some seconds.
  time = new Date(soon.getTime() + 60_000);
  await eventually(() => expect(platform.published('due_soon', id)).toHaveLength(1));
  await platform.app.timers.warn();
  expect(await told(client, path)).toEqual([warning('due_soon', due)]);
});

test('of a clock that was met, or stands, nobody warns; what runs again, or was moved, has a time of its own', async () => {
  const { client, path } = await begin();
  const worker = await platform.contractorOf(client);
  await client.post(`${path}/assign`, { contractor_id: worker.id });
  time = monday('09:00');
  await worker.post(`${path}/ask-to-plan`);
  await warnAt(monday('16:00'));
  expect(await told(client, path)).toEqual([]);
  time = monday('16:01');
  await client.post(`${path}/ask-for-date`);
  const again = new Date((await client.get(path)).data.response_due_at);
  expect(again.toISOString()).toBe('2026-12-01T07:41:00.000Z');
  const moved = new Date('2026-12-02T09:00:00.000Z');
  await warnAt(new Date('2026-12-01T07:20:00.000Z'));
  expect(await told(client, path)).toEqual([warning('due_soon', again, 2)]);
  await client.put(`${path}/due-date`, { clock: 'response', due_at: moved, reason: 'The lift is closed' });
  await warnAt(new Date('2026-12-02T08:00:00.000Z'));
  expect(await told(client, path)).toEqual([warning('due_soon', again, 2), warning('due_soon', moved, 2)]);
  const start = '2026-12-04T09:00:00.000Z';
  await worker.post(`${path}/dates`, { type: 'planned', start, end: start });
  expect(await warnAt(new Date('2026-12-02T10:00:00.000Z'))).toBe(0);
});

test('a clock that was late, and told of, keeps no other from its warnings when that stood meanwhile', async () => {
  const client = platform.as({ permissions: ['admin'] });
  const [arrival, finish] = [1, 10].map((amount) => ({ amount, unit: 'hours' }));
  await set(client, [{ ...policy(1), response: null, arrival, finish }]);
  const path = await newTicket(client, { priority: 'high' });
  const worker = await platform.contractorOf(client);
  await client.post(`${path}/assign`, { contractor_id: worker.id });
  await warnAt(monday('07:40'));
  time = monday('08:00');
  const { data } = await worker.upload(`${path}/quotes`, { reference: 'Q-1', price: '90' });
  // When a warning of the finish would have come, if no quote waited for the client.
  await warnAt(monday('14:10'));
  time = monday('15:00');
  expect((await client.put(`${path}/quotes/${data.quote._id}/validate`)).status).toBe(200);
  const finish_due_at = '2026-12-01T13:40:00.000Z';
  expect((await client.get(path)).data).toMatchObject({ finish_due_at });
  await warnAt(new Date(finish_due_at));
  const late = { clock: 'arrival', due_at: monday('07:40').toISOString() };
  const deadline = { clock: 'finish', due_at: finish_due_at };
  const both = (of: object) => ['due_soon', 'overdue'].map((kind) => [kind, of, 2]);
  expect(await told(client, path)).toEqual([...both(late), ...both(deadline)]);
});

/** Saves settings by which tickets are to be answered in so many hours, and what more is given. */
async function save(client: Client, amount: number, now: Date, more: object[] = []) {
  time = now;
  await set(client, [policy(amount), ...more]);
}
const applyAt = async (now: Date) => {
  time = now;
  while (await platform.app.timers.applySettings());
};
const [early, later] = [monday('07:40'), monday('09:41')];

test('settings tell nothing of what was due before they were saved, also if they hold for the first time', async () => {
  const { client, path } = await begin();
  await warnAt(soon);
  await save(client, 1, later);
  await applyAt(later);
  await warnAt(later);
  await save(client, 4, monday('09:42'));
  await applyAt(monday('09:42'));
  await warnAt(due);
  expect(await told(client, path)).toEqual([warning('due_soon', due), warning('overdue', due)]);
  const other = platform.as({ permissions: ['admin'] });
  time = friday;
  const unruled = await newTicket(other, { priority: 'high' });
  await save(other, 1, later);
  await applyAt(later);
  await warnAt(later);
  expect(await told(other, unruled)).toEqual([]);
});

test('nor does a change of a ticket that comes before they are applied to it; its own lateness is told', async () => {
  const { client, path } = await begin();
  const urgent = { ...policy(2), priority: 'medium' };
  await save(client, 1, later, [urgent]);
  const worker = await platform.contractorOf(client);
  await client.post(`${path}/assign`, { contractor_id: worker.id });
  await warnAt(later);
  expect(await told(client, path)).toEqual([]);
  await client.patch(path, { priority: 'medium' });
  await warnAt(later);
  await applyAt(later);
  await warnAt(later);
  expect(await told(client, path)).toEqual([warning('overdue', monday('08:40'), 2)]);
});

test('what becomes due after they were saved is told, though it takes long to apply them', async () => {
  const { client, path } = await begin();
  await save(client, 1, monday('07:39'));
  await applyAt(monday('07:45'));
  await warnAt(monday('07:45'));
  expect(await told(client, path)).toEqual([warning('overdue', early)]);
});

test('what they leave as it was is told, also if it was due before', async () => {
  const { client, path } = await begin();
  await save(client, 4, monday('11:00'), [{ ...policy(1), priority: 'low' }]);
  const worker = await platform.contractorOf(client);
  await client.post(`${path}/assign`, { contractor_id: worker.id });
  await applyAt(monday('11:00'));
  await warnAt(monday('11:00'));
  expect(await told(client, path)).toEqual([warning('due_soon', due, 2), warning('overdue', due, 2)]);
});

test('the share is that of the policy; a warning is no change of the ticket', async () => {
  const client = platform.as({ permissions: ['admin'] });
  await set(client, [policy(4, 50)]);
  const path = await newTicket(client, { priority: 'high' });
  const { headers, data } = await client.get(path);
  expect(data.clocks.response.warn_at).toBe(monday('08:40').toISOString());
  expect(await warnAt(monday('08:40'))).toBe(1);
  const after = await client.get(path);
  expect([after.headers['etag'], after.data.updated_at]).toEqual([headers['etag'], data.updated_at]);
});

test('with each warning goes a notification: for who is at the places of the ticket, and for the contractor that has it', async () => {
  const raised = await recordEvents(platform.broker, [notificationRaised], newId());
  const { client, path, id } = await begin();
  const worker = await platform.contractorOf(client);
  const site = (await client.post('/api/v3.0/locations', { name: 'Site' })).data.location._id;
  const room = (await client.post('/api/v3.0/locations', { name: 'Room', parent_id: site })).data.location._id;
  await client.patch(path, { location_ids: [room] });
  await client.post(`${path}/assign`, { contractor_id: worker.id });
  await warnAt(soon);
  await warnAt(due);
  const of = (member: Client) =>
    raised
      .map(({ data }) => data as NotificationRaised)
      .filter(({ company_id, ticket }) => company_id === member.caller.companyId && ticket?.id === id)
      .filter(({ kind }) => kind === 'due_soon' || kind === 'overdue')
      .map(({ kind, key, to, text }) => ({ kind, key, to, text }));
  const told = (to: object) =>
    ['due_soon', 'overdue'].map((kind) => {
      const key = `ticket:${id}:${kind}:response:${due.toISOString()}`;
      return { kind, key, to, text: `response ${due.toISOString()}` };
    });
  const to = { permission: 'tickets', manager_ids: [] };
  await eventually(() => {
    expect(of(client)).toEqual(told({ ...to, place_ids: [room, site] }));
    expect(of(worker)).toEqual(told({ ...to, place_ids: null }));
  });
});

test('what cannot be told of one ticket does not keep others waiting', async () => {
  const [first, second] = [await begin(), await begin()];
  await ticketCollection(platform.connection).updateOne({ _id: first.id }, { $set: { views: null as never } });
  await warnAt(soon);
  expect(await told(second.client, second.path)).toEqual([warning('due_soon', due)]);
  await ticketCollection(platform.connection).deleteOne({ _id: first.id });
});
