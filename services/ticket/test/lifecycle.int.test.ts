import { contractorLinked } from '@app/contracts';
import { toCloudEvents } from '@app/messaging';
import { eventually } from '@app/testing';
import { ticketCollection } from '../tickets/stores/ticket-collection.ts';
import { type Client, idOf, newTicket, pdf, tickets, usePlatform } from './platform.ts';

const platform = usePlatform();

const statusChanges = ({ caller }: Client, ticket: string) =>
  platform
    .published('status_changed', idOf(ticket))
    .filter(({ audience }) => audience.includes(caller.companyId))
    .map(({ payload }) => Object.values(payload['status'] as object).join(' → '));

const inADay = () => ({ start: Date.now() + 86_400_000, end: Date.now() + 90_000_000 });

test('a ticket goes to closed and back to opened, with one event for each change and party', async () => {
  const client = platform.as();
  const a = await platform.contractorOf(client);
  const b = await platform.contractorOf(client);
  const ticket = await newTicket(client);
  await client.post(`${ticket}/propose`, { contractor_ids: [a.id, b.id] });
  expect((await b.post(`${ticket}/decline`, { reason: 'far' })).data).toMatchObject({
    status: 'declined',
    contractors: [],
  });
  expect((await a.post(`${ticket}/accept`)).data).toMatchObject({
    status: 'waiting_contractor',
    contractors: [{ _id: a.id, name: 'Fixit', type: 'external' }],
  });
  const quote = await a.upload(`${ticket}/quotes`, { reference: 'D-1', price: '1234.56' }, pdf);
  expect([quote.status, quote.data.quote]).toEqual([
    201,
    expect.objectContaining({ price: '1234.56', includes_vat: false, contractor_id: a.id, s3_key: expect.any(String) }),
  ]);
  expect((await client.get(`${tickets}?status=validation`)).data.tickets).toHaveLength(1);
  const validated = await client.put(`${ticket}/quotes/${quote.data.quote._id}/validate`);
  expect(validated.data).toMatchObject({
    status: 'validated',
    validated_by: { _id: client.caller.userId },
    quotes: [{ validated: true, validated_at: expect.any(String) }],
  });
  expect((await a.post(`${ticket}/dates`, { ...inADay(), type: 'planned' })).status).toBe(201);
  expect((await client.get(ticket)).data).toMatchObject({
    status: 'intervention',
    quotes: [{ validated: false }],
    intervention_scheduled_at: [expect.any(String)],
  });
  expect((await a.post(`${ticket}/dates`, { ...inADay(), type: 'actual' })).status).toBe(201);
  expect((await client.put(`${ticket}/close`)).data).toMatchObject({
    status: 'closed',
    closed_at: expect.any(String),
    intervention_occured_at: [expect.any(String)],
  });
  expect((await client.post(`${ticket}/open`)).data).toMatchObject({ status: 'opened', closed_at: null });

  const expected = [
    'opened → proposed',
    'proposed → waiting_contractor',
    'waiting_contractor → validation',
    'validation → validated',
    'validated → intervention',
    'intervention → finished',
    'finished → closed',
    'closed → opened',
  ];
  await eventually(() => expect(statusChanges(client, ticket).sort()).toEqual([...expected].sort()));
  const fromA = [' → proposed', ...expected.slice(1)];
  await eventually(() => expect(statusChanges(a, ticket).sort()).toEqual(fromA.sort()));
  expect(statusChanges(b, ticket)).toEqual([' → proposed', 'proposed → declined']);
});

test('of two people who move a ticket at once one wins, the other gets 409, and one event is published', async () => {
  const client = platform.as();
  for (let round = 0; round < 4; round++) {
    const ticket = await newTicket(client);
    const answers = await Promise.all([client.put(`${ticket}/finish`), client.put(`${ticket}/cancel`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.data.code).toBe('ticket_transition_forbidden');
    await eventually(() => expect(statusChanges(client, ticket)).toHaveLength(1));
  }
});

test('competitors never see each other', async () => {
  const client = platform.as();
  const a = await platform.contractorOf(client);
  const b = await platform.contractorOf(client);
  const ticket = await newTicket(client);
  await client.post(`${ticket}/propose`, { contractor_ids: [a.id, b.id] });
  const { quote } = (await a.upload(`${ticket}/quotes`, { reference: 'D-1', price: '10' }, pdf)).data;
  const report = (await a.upload(`${ticket}/reports`, {}, pdf)).data.report;
  const shared = (await a.upload(`${ticket}/documents`, { visibility: 'shared' }, pdf)).data.document;
  const mine = (await client.upload(`${ticket}/documents`, { visibility: 'internal' }, pdf)).data.document;
  const seen = (await b.get(ticket)).data;
  expect(seen).toMatchObject({ status: 'proposed', contractors: [{ _id: b.id }], quotes: [], reports: [] });
  expect(seen.views).toHaveLength(1);
  expect((await b.get(`${ticket}/documents`)).data.documents).toEqual([]);
  const link = (who: Client, key: string) => who.get(`${ticket}/documents/download-link?s3_key=${key}`);
  for (const { s3_key } of [quote, report, shared, mine]) {
    expect((await link(b, s3_key)).status).toBe(404);
    expect((await link(client, s3_key)).status).toBe(200);
  }
  expect((await link(a, mine.s3_key)).status).toBe(404);
  expect(shared).toMatchObject({
    name: 'devis été.pdf',
    mimetype: 'application/pdf',
    size: pdf.content.length,
    kind: 'document',
    visibility: 'shared',
  });
  await eventually(() => {
    expect(platform.published('quote_added', quote._id)).toMatchObject([
      {
        audience: [client.caller.companyId, a.caller.companyId],
        payload: { quote: { id: quote._id, reference: 'D-1', amount: 10, includes_vat: false } },
      },
    ]);
  });
});

test('a contractor that left a ticket adds nothing to it; faults of the form are reported first', async () => {
  const client = platform.as();
  const a = await platform.contractorOf(client);
  const ticket = await newTicket(client);
  await client.post(`${ticket}/propose`, { contractor_ids: [a.id] });
  await a.post(`${ticket}/decline`);
  expect((await a.upload(`${ticket}/documents`, { visibility: 'all' }, pdf)).status).toBe(422);
  expect((await a.upload(`${ticket}/quotes`, { reference: 'D-1', price: 'ten' }, pdf)).status).toBe(422);
  const forms: [string, Record<string, string>][] = [
    ['documents', {}],
    ['reports', {}],
    ['quotes', { reference: 'D-1', price: '10' }],
  ];
  for (const [path, fields] of forms) {
    const { status, data } = await a.upload(`${ticket}/${path}`, fields, pdf);
    expect([path, status, data.code, data.from]).toEqual([path, 409, 'ticket_transition_forbidden', 'declined']);
  }
  expect((await client.get(`${ticket}/documents`)).data.documents).toEqual([]);
});

test('a contractor that gets its account later then sees its tickets, and gets events; that its link is told again changes nothing', async () => {
  const client = platform.as();
  const { data: entry } = await client.post('/api/v3.0/contractors', { name: 'Solo' });
  const ticket = await newTicket(client);
  expect((await client.post(`${ticket}/assign`, { contractor_id: entry._id })).data.contractors).toMatchObject([
    { _id: entry._id, name: 'Solo' },
  ]);
  const solo = platform.as({ companyKind: 'contractor' });
  const id = solo.caller.companyId;
  expect((await solo.get(ticket)).status).toBe(404);
  expect((await client.patch(`/api/v3.0/contractors/${entry._id}`, { company_id: id })).status).toBe(200);
  expect((await solo.put(`/api/v3.0/clients/requests/${entry._id}`)).status).toBe(204);
  await eventually(async () => expect((await solo.get(ticket)).data.status).toBe('assigned'));
  await eventually(() => expect(statusChanges(solo, ticket)).toEqual([' → assigned']));

  const stored = () =>
    ticketCollection(platform.connection).findOne({ _id: idOf(ticket) }, { projection: { outbox: 0 } });
  const saved = await stored();
  const handled = await platform.handled('contractor-links');
  const link = { client_id: client.caller.companyId, contractor_id: entry._id, company_id: id };
  const again = toCloudEvents('ticket', [contractorLinked(link, new Date(), entry._id)]);
  await platform.broker.publish([...again, ...again]);
  await eventually(async () => expect(await platform.handled('contractor-links')).toBeGreaterThanOrEqual(handled + 2));
  expect(await stored()).toEqual(saved);
});

test('a contractor that gets its account while it is assigned has it in the same write: a crash after it leaves nothing to do', async () => {
  const client = platform.as();
  const { data: entry } = await client.post('/api/v3.0/contractors', { name: 'Solo' });
  const ticket = await newTicket(client);
  const solo = platform.as({ companyKind: 'contractor' });
  const handled = await platform.handled('contractor-links');
  const stored = ticketCollection(platform.connection);
  const save = stored.updateOne.bind(stored);
  stored.updateOne = async (...given) => {
    stored.updateOne = save;
    await client.patch(`/api/v3.0/contractors/${entry._id}`, { company_id: solo.caller.companyId });
    await solo.put(`/api/v3.0/clients/requests/${entry._id}`);
    await eventually(async () =>
      expect(await platform.handled('contractor-links')).toBeGreaterThanOrEqual(handled + 1),
    );
    return save(...given);
  };
  const assigned = await client.post(`${ticket}/assign`, { contractor_id: entry._id });
  expect([assigned.status, assigned.headers['etag']]).toEqual([200, '"2"']);
  expect((await solo.get(ticket)).data.status).toBe('assigned');
});
