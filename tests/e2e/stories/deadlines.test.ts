import { furtherWebhooks } from '@app/contracts';
import { eventually, type Receiver } from '@app/testing';
import { bodiesAt, newCompany, newContractorOf, newReceiver, newTicket, ok } from '../platform.ts';

const openings = [1, 2, 3, 4, 5].map((day) => ({ day, from: '08:00', to: '18:00' }));
const hours = [{ location_id: null, time_zone: 'Europe/Paris', openings, holidays: 'FR', closed: ['2026-12-24'] }];
const policies = [
  {
    priority: 'high',
    location_id: null,
    domain_id: null,
    typology_id: null,
    response: { amount: 4, unit: 'hours' },
    arrival: { amount: 10, unit: 'hours' },
    finish: { amount: 5, unit: 'days' },
    warn_percent: 75,
  },
];

test('a client sets deadlines, and its contractor sees those of its ticket, and why one was moved', async () => {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  const preview = { policies, hours, opened_at: '2026-11-27T16:40:00.000Z' };
  const { due } = (await ok(client.ts('POST /clock-settings/preview', preview))).data;
  expect(due[0].response_due_at).toBe('2026-11-30T10:40:00.000Z');
  await ok(client.ts('PUT /clock-settings', { policies, hours }));
  expect((await ok(client.ts('GET /clock-settings'))).data).toEqual({ policies, hours });
  const ticket = await newTicket(client, { priority: 'high' });
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  const due_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await ok(client.api(`PUT ${ticket}/due-date`, { clock: 'finish', due_at, reason: 'The part comes next month' }));
  const { data } = await ok(contractor.api(`GET ${ticket}`));
  expect([data.finish_due_at, data.clocks.finish.state]).toEqual([due_at, 'running']);
  const found = (await ok(contractor.api(`GET /tickets?due_before=${Date.now() + 31 * 86_400_000}&sort=due_date`)))
    .data;
  expect(found.tickets).toHaveLength(1);
});

let receiver: Receiver;
beforeAll(async () => {
  receiver = await newReceiver();
});
afterAll(() => receiver.close());

test('what runs out, and has run out, is told once to the endpoints of both parties that name these events', async () => {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  const further = furtherWebhooks.map(({ event }) => event);
  const subscribe = (member: typeof client, path: string, events: string[]) =>
    ok(member.ts('POST /webhooks/endpoints', { name: 'e2e', url: receiver.url(path), events }));
  await subscribe(client, '/client', [...further, 'ticket.message_added']);
  await subscribe(contractor, '/contractor', [...further, 'ticket.message_added']);
  await subscribe(client, '/plain', ['ticket.status_changed', 'ticket.message_added']);
  await ok(client.ts('PUT /clock-settings', { policies, hours }));
  const ticket = await newTicket(client, { priority: 'high' });
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  const due_at = new Date(Date.now() + 20_000).toISOString();
  await ok(client.api(`PUT ${ticket}/due-date`, { clock: 'finish', due_at, reason: 'Today after all' }));
  const told = (path: string) =>
    bodiesAt(receiver, path)
      .filter(({ event }) => event !== 'ticket.status_changed')
      .map(({ event, data }) => [event, data['deadline']])
      .sort();
  const deadline = { clock: 'finish', due_at };
  const both = [
    ['ticket.due_soon', deadline],
    ['ticket.overdue', deadline],
  ];
  await eventually(() => expect([told('/client'), told('/contractor')]).toEqual([both, both]));
  // Whatever was published before a note has been delivered before it, or is on its way.
  await ok(client.api(`POST ${ticket}/notes`, { note: 'The end', type: 'public' }));
  const end = ['ticket.message_added', undefined];
  await eventually(() => {
    expect([told('/client'), told('/contractor')]).toEqual([[...both, end].sort(), [...both, end].sort()]);
    expect(told('/plain')).toEqual([end]);
  });
});
