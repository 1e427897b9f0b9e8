import { type Client, type Platform, startPlatform } from '../../test/platform.ts';

let platform: Platform;
let client: Client;
let ticket: string;

beforeAll(async () => {
  platform = await startPlatform();
  client = platform.as();
  const contractor = await platform.contractorOf(client);
  const created = await client.post('/api/v3.0/tickets', { title: 'Leak' });
  ticket = `/api/v3.0/tickets/${created.data.ticket_id}`;
  await client.post(`${ticket}/assign`, { contractor_id: contractor.id });
});
afterAll(() => platform.stop());

const file = { name: 'a.pdf', content: Buffer.from('%PDF-1.4 hello') };
const records = () => platform.connection.collection('uploads').countDocuments();

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of platform.storage.list({ olderThan: new Date(Date.now() + 1000) })) keys.push(key);
  return keys;
}

const kinds: [string, Record<string, string>][] = [
  ['quotes', { reference: 'D-1', price: '10' }],
  ['reports', {}],
  ['documents', {}],
];

test.each(kinds)('a file of %s that was saved is there to stay: no record calls it an orphan', async (kind, fields) => {
  const before = await stored();
  expect((await client.upload(`${ticket}/${kind}`, fields, file)).status).toBe(201);
  expect([await records(), (await stored()).length]).toEqual([0, before.length + 1]);
});

test.each(kinds)('a file of %s whose ticket could not be saved goes again', async (kind, fields) => {
  const before = await stored();
  const { put } = platform.storage;
  // Once stored, and not yet saved, the sweep gives the upload up: as where the request hung for a quarter of an hour.
  platform.storage.put = async (...given) => {
    const kept = await put(...given);
    await platform.connection.collection('uploads').updateMany({}, { $set: { abandoned: true } });
    return kept;
  };
  const refused = await client.upload(`${ticket}/${kind}`, fields, file);
  platform.storage.put = put;
  expect([refused.status, refused.data.code]).toEqual([504, 'service_timeout']);
  expect([await records(), await stored()]).toEqual([0, before]);
});
