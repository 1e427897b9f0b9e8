import { eventually } from '@app/testing';
import { type Client, newTicket, type Platform, startPlatform } from '../platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

test('notes are shown to those they are for, and published to those alone', async () => {
  const client = platform.as();
  const a = await platform.contractorOf(client);
  const b = await platform.contractorOf(client);
  const ticket = await newTicket(client);
  await client.post(`${ticket}/propose`, { contractor_ids: [a.id, b.id] });
  for (const type of ['internal', 'managers', 'public'])
    await client.post(`${ticket}/notes`, { note: `client ${type}`, type });
  for (const type of ['internal', 'public']) await a.post(`${ticket}/notes`, { note: `a ${type}`, type });
  const read = async (reader: Client) =>
    (await reader.get(`${ticket}/notes`)).data.notes.map(({ note }: { note: string }) => note);
  expect(await read(client)).toEqual(['client internal', 'client managers', 'client public', 'a public']);
  expect(await read(a)).toEqual(['client public', 'a internal', 'a public']);
  expect(await read(b)).toEqual(['client public']);
  const plain = { ...client.caller, permissions: ['tickets' as const] };
  expect(await read(platform.as({ ...plain, userId: 'f'.repeat(24) }))).toEqual([
    'client internal',
    'client public',
    'a public',
  ]);
  expect(await read(platform.as({ ...plain, via: 'token' }))).toContain('client managers');
  await eventually(() => {
    const messages = platform.webhookEvents.filter(
      ({ type, payload }) =>
        type === 'ticket.message_added.v1' && ticket.endsWith((payload['ticket'] as { id: string }).id),
    );
    const audiences = Object.fromEntries(
      messages.map(({ audience, payload }) => [(payload['message'] as { text: string }).text, [...audience].sort()]),
    );
    const [c, ofA, ofB] = [client, a, b].map(({ caller }) => caller.companyId) as [string, string, string];
    expect(audiences).toEqual({
      'client internal': [c],
      'client managers': [c],
      'client public': [c, ofA, ofB].sort(),
      'a internal': [ofA],
      'a public': [c, ofA].sort(),
    });
  });
});

test('1,000 notes are the most a ticket takes, also in parallel', async () => {
  const client = platform.as();
  const ticket = await newTicket(client);
  const add = () => client.post(`${ticket}/notes`, { note: 'n', type: 'internal' });
  const answers: number[] = [];
  for (let batch = 0; batch < 51; batch++)
    answers.push(...(await Promise.all(Array.from({ length: 20 }, add))).map(({ status }) => status));
  expect(answers.filter((status) => status === 201)).toHaveLength(1_000);
  expect(answers.filter((status) => status === 422)).toHaveLength(20);
  expect((await client.get(`${ticket}/notes`)).data.notes).toHaveLength(1_000);
});
