import { type Platform, pdf, startPlatform } from '../../test/platform.ts';

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
