import type { Route } from '@app/http';
import { type Platform, pdf, startPlatform } from '../platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

async function aTicket(body: object = {}) {
  const client = platform.as();
  const { ticket_id } = (await client.post('/api/v3.0/tickets', { title: 'Leak', ...body })).data;
  return { client, ticket: `/api/v3.0/tickets/${ticket_id}` };
}

test('a removed ticket takes no note, document or report, and its time stays', async () => {
  const { client, ticket } = await aTicket();
  await client.post(`${ticket}/remove`);
  const before = (await client.get(ticket)).data;
  const answers = [
    await client.post(`${ticket}/notes`, { note: 'n', type: 'internal' }),
    await client.upload(`${ticket}/documents`, {}, pdf),
    await client.upload(`${ticket}/reports`, {}, pdf),
  ];
  const refused = { status: 409, code: 'ticket_transition_forbidden', from: 'removed' };
  const expected = ['add_note', 'add_document', 'add_report'].map((operation) => ({ ...refused, operation }));
  expect(answers.map(({ status, data: { code, from, operation } }) => ({ status, code, from, operation }))).toEqual(
    expected,
  );
  expect((await client.get(ticket)).data).toEqual(before);
  expect((await client.get(`${ticket}/notes`)).data.notes).toEqual([]);
  expect((await client.get(`${ticket}/documents`)).data.documents).toEqual([]);
});

test('an empty text is read back as an empty text, as documented', async () => {
  const client = platform.as();
  const create = async (path: string, body: object) =>
    Object.values((await client.post(`/api/v3.0/${path}`, body)).data)[0] as { _id: string };
  const address = { postalCode: '', country: '', city: '', route: '', streetNumber: '', fullAddress: '', zone: '' };
  const billed = await create('locations', { name: 'Siège', reference: '', address });
  const site = { name: 'Lyon', reference: '', address, location_facturation_id: billed._id };
  const location = await create('locations', site);
  const field = await create('custom-fields', { name: { fr: 'Code', en: 'Code' } });
  const fields = [{ field_id: field._id, value: '' }];
  const body = { title: 'Leak', description: '', location_ids: [location._id], fields };
  const { ticket_id } = (await client.post('/api/v3.0/tickets', body)).data;
  const contractor = (await client.post('/api/v3.0/contractors', { name: 'Fixit', fields })).data._id;
  const answers = [
    ['/api/v3.0/tickets/:ticket_id', (await client.get(`/api/v3.0/tickets/${ticket_id}`)).data],
    ['/api/v3.0/tickets', (await client.get('/api/v3.0/tickets')).data],
    ['/api/v3.0/contractors/:contractor_id', (await client.get(`/api/v3.0/contractors/${contractor}`)).data],
  ] as const;
  expect(answers[0][1]).toMatchObject({ description: '', fields: [{ value: '' }], locations: [{ address }] });
  for (const [path, answer] of answers) {
    const { reply } = platform.routes.find((route) => route.method === 'get' && route.path === path) as Route;
    expect(reply.schema?.validate(answer)).toEqual({ value: answer });
  }
});

test('intervention_scheduled_at keeps a date that took place, and not one that did not', async () => {
  const { client, ticket } = await aTicket();
  const worker = await platform.contractorOf(client);
  await client.post(`${ticket}/assign`, { contractor_id: worker.id });
  const day = (date: number) => new Date(Date.UTC(2030, 0, date)).toISOString();
  const add = async (type: string, date: number) =>
    (await client.post(`${ticket}/dates`, { start: day(date), end: day(date), type })).data.date._id;
  const scheduled = async () => (await client.get(ticket)).data.intervention_scheduled_at;
  await add('planned', 1);
  const missed = await add('planned', 8);
  await add('actual', 2);
  expect(await scheduled()).toEqual([day(1), day(8)]);
  await client.put(`${ticket}/dates/${missed}/not-done`);
  expect(await scheduled()).toEqual([day(1)]);
  await add('planned', 15);
  await client.post(`${ticket}/reschedule`);
  expect(await scheduled()).toEqual([day(1)]);
  expect((await client.get(ticket)).data.intervention_occured_at).toEqual([day(2)]);
});
