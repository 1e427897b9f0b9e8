import { newCompany, newContractorOf, newTicket, ok } from '../platform.ts';

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
