import { eventually } from '@app/testing';
import { type Client, type Contractor, newTicket, pdf, usePlatform } from '../platform.ts';

const platform = usePlatform();
let client: Client;
let ticket: string;

beforeAll(async () => {
  client = platform.as();
  const contractor = await platform.contractorOf(client);
  ticket = await assignedTo(contractor);
});

const records = () => platform.connection.collection('uploads').countDocuments();

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of platform.storage.list({ olderThan: new Date(Date.now() + 1000) })) keys.push(key);
  return keys;
}

const kinds: [string, Record<string, string>][] = [
  ['quotes', { reference: 'D-1', price: '10' }],
  ['reports', { comment: 'in a field that reports do not have' }],
  ['documents', {}],
];

test.each(kinds)('a file of %s that was saved stays: it is no longer recorded as pending', async (kind, fields) => {
  const before = await stored();
  expect((await client.upload(`${ticket}/${kind}`, fields, pdf)).status).toBe(201);
  expect([await records(), (await stored()).length]).toEqual([0, before.length + 1]);
});

test.each(kinds)('a file of %s whose ticket could not be saved is removed', async (kind, fields) => {
  const before = await stored();
  const { put } = platform.storage;
  // The sweep removes the upload after it is stored and before it is saved, as if the request had
  // hung for a quarter of an hour.
  platform.storage.put = async (...given) => {
    const kept = await put(...given);
    await platform.connection.collection('uploads').updateMany({}, { $set: { abandoned: true } });
    return kept;
  };
  const refused = await client.upload(`${ticket}/${kind}`, fields, pdf);
  platform.storage.put = put;
  expect([refused.status, refused.data.code]).toEqual([504, 'service_timeout']);
  expect([await records(), await stored()]).toEqual([0, before]);
});

/** Uploads a document; once its bytes are stored, and before it is saved, `meanwhile` happens. */
async function uploadWhile(by: Client, path: string, meanwhile: () => Promise<unknown>) {
  const { put } = platform.storage;
  platform.storage.put = async (...given) => {
    platform.storage.put = put;
    const kept = await put(...given);
    await meanwhile();
    return kept;
  };
  return by.upload(`${path}/documents`, {}, pdf);
}

async function assignedTo(worker: Contractor): Promise<string> {
  const path = await newTicket(client);
  expect((await client.post(`${path}/assign`, { contractor_id: worker.id })).status).toBe(200);
  return path;
}

test.each([
  ['another contractor has it', 409, 'ticket_transition_forbidden', ['assign']],
  ['it is removed', 404, 'ticket_not_found', ['unassign', 'remove']],
  ['it was taken and removed', 404, 'ticket_not_found', ['assign', 'unassign', 'remove']],
] as const)(
  'a contractor that adds a document to a ticket while %s by then gets %i, and its file is removed',
  async (_what, status, code, moves) => {
    const [worker, other] = [await platform.contractorOf(client), await platform.contractorOf(client)];
    const path = await assignedTo(worker);
    const before = await stored();
    const refused = await uploadWhile(worker, path, async () => {
      for (const move of moves) {
        const body = move === 'assign' ? { contractor_id: other.id } : {};
        expect((await client.post(`${path}/${move}`, body)).status).toBe(200);
      }
    });
    expect([refused.status, refused.data.code]).toEqual([status, code]);
    expect([await records(), await stored()]).toEqual([0, before]);
    expect((await client.get(`${path}/documents`)).data.documents).toEqual([]);
  },
);

test('a document is published to who is on the ticket when the upload ends, not when it begins', async () => {
  const [former, current] = [await platform.contractorOf(client), await platform.contractorOf(client)];
  const path = await assignedTo(former);
  const added = await uploadWhile(client, path, () => client.post(`${path}/assign`, { contractor_id: current.id }));
  expect(added.status).toBe(201);
  await eventually(() => {
    const audiences = platform.published('document_added', added.data.document._id).map(({ audience }) => audience);
    expect(audiences).toEqual([[client.caller.companyId, current.caller.companyId]]);
  });
});
