import { eventually } from '@app/testing';
import { type Client, type Platform, pdf, startPlatform } from './platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

const tickets = '/api/v3.0/tickets';

async function newTicket(client: Client, body: object = {}): Promise<string> {
  const { status, data } = await client.post(tickets, { title: 'Leak in the hall', ...body });
  expect([status, data]).toEqual([201, { ticket_id: expect.any(String) }]);
  return `${tickets}/${data.ticket_id}`;
}

async function statusChanges(client: Client, ticket: string): Promise<string[]> {
  const id = ticket.split('/').pop();
  return platform.webhookEvents
    .filter(
      ({ type, audience, payload }) =>
        type === 'ticket.status_changed.v1' &&
        audience.includes(client.caller.companyId) &&
        (payload['ticket'] as { id: string }).id === id,
    )
    .map(({ payload }) => Object.values(payload['status'] as object).join(' → '));
}

const inADay = () => ({ start: Date.now() + 86_400_000, end: Date.now() + 90_000_000 });

test('a ticket is created with every field and read back', async () => {
  const client = platform.as();
  const create = async (path: string, body: object) =>
    Object.values((await client.post(`/api/v3.0/${path}`, body)).data)[0] as { _id: string };
  const manager = {
    id: client.caller.userId,
    company_id: client.caller.companyId,
    first_name: 'Ada',
    last_name: 'Martin',
    email: 'ada@example.com',
    phone: null,
    permissions: [],
  };
  platform.identity.users.set(manager.id, manager);
  const location = await create('locations', {
    name: 'Siège',
    reference: 'S1',
    address: { city: 'Lyon', postalCode: '69003' },
  });
  const equipment = await create('equipments', { name: 'Boiler' });
  const job = await create('jobs', { name: 'Plumbing' });
  const domain = await create('domains', { name: 'Water' });
  const field = await create('custom-fields', { name: { fr: 'Code', en: 'Code' } });
  const body = {
    title: 'Leak',
    description: 'On the 2nd floor',
    priority: 'high',
    typology_id: '5ebb096fe1bde10a7ee21349',
    price_threshold: 500.5,
    location_ids: [location._id],
    equipment_ids: [equipment._id],
    job_ids: [job._id],
    domain_ids: [domain._id],
    manager_ids: [manager.id],
    contact_ids: [manager.id],
    fields: [{ field_id: field._id, value: 'C-42' }],
    maintenance: 'Yearly check',
    start_date: '2026-12-01',
    end_date: '2026-12-31T00:00:00.000Z',
    from_public_interface: true,
  };
  const ticket = await newTicket(client, body);
  const { data } = await client.get(ticket);
  expect(data).toMatchObject({
    id: data._id,
    number: expect.stringMatching(/^T-\d{6}$/),
    url: `http://api.test${ticket}`,
    status: 'opened',
    priority_label: 'high',
    typology: { _id: body.typology_id, name: 'typology-maintenance' },
    price_threshold: 500.5,
    client: { _id: client.caller.companyId, name: 'Acme' },
    contractors: [],
    locations: [
      { _id: location._id, name: 'Siège', address: { city: 'Lyon', postalCode: '69003' }, location_facturation: null },
    ],
    equipments: [{ _id: equipment._id, name: 'Boiler', parent_id: null }],
    jobs: [{ _id: job._id, name: 'Plumbing' }],
    domains: [{ _id: domain._id, name: 'Water', parent_id: null }],
    managers: [{ _id: manager.id, firstName: 'Ada', lastName: 'Martin', email: 'ada@example.com', phone: null }],
    contacts: [{ _id: manager.id }],
    fields: [{ field_id: field._id, name: { fr: 'Code', en: 'Code' }, value: 'C-42' }],
    maintenance: 'Yearly check',
    start_date: '2026-12-01T00:00:00.000Z',
    end_date: '2026-12-31T00:00:00.000Z',
    from_public_interface: true,
    quotes: [],
    invoices: [],
    purchases: [],
    intervention_scheduled_at: [],
    intervention_occured_at: [],
    assigned_at: null,
    closed_at: null,
    validated_by: null,
    created_by: { _id: client.caller.userId, email: 'ada@example.com', company_id: client.caller.companyId },
    views: [{ company_id: client.caller.companyId, role: 'client', status: 'opened' }],
  });
  const { data: found } = await client.get(`${tickets}/get-id-from-number?ticket_number=${data.number}`);
  expect(found).toEqual({ ticket_id: data.id });
});

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
    expect.objectContaining({ price: '1234.56', status: 'pending', contractor_id: a.id, s3_key: expect.any(String) }),
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
  await eventually(async () => expect((await statusChanges(client, ticket)).sort()).toEqual([...expected].sort()));
  const fromA = [' → proposed', ...expected.slice(1)];
  await eventually(async () => expect((await statusChanges(a, ticket)).sort()).toEqual(fromA.sort()));
  expect(await statusChanges(b, ticket)).toEqual([' → proposed', 'proposed → declined']);
});

test('of two people who move a ticket at once one wins, the other gets 409, and one event is published', async () => {
  const client = platform.as();
  for (let round = 0; round < 10; round++) {
    const ticket = await newTicket(client);
    const answers = await Promise.all([client.put(`${ticket}/finish`), client.put(`${ticket}/cancel`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.data.code).toBe('ticket_transition_forbidden');
    await eventually(async () => expect(await statusChanges(client, ticket)).toHaveLength(1));
  }
});

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
    const added = platform.webhookEvents.filter(
      ({ type, audience }) => type === 'ticket.quote_added.v1' && audience.includes(a.caller.companyId),
    );
    expect(added).toMatchObject([
      {
        audience: [client.caller.companyId, a.caller.companyId],
        payload: { quote: { id: quote._id, reference: 'D-1', amount: 10 } },
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

test('a contractor opens a ticket for a client that has it in its directory, and no other', async () => {
  const client = platform.as();
  platform.identity.companies.set(client.caller.companyId, {
    id: client.caller.companyId,
    name: 'Acme',
    kind: 'client',
    siret: null,
    siren: null,
  });
  const a = await platform.contractorOf(client);
  const ticket = await newTicket(a, { client_id: client.caller.companyId });
  expect((await a.get(ticket)).data).toMatchObject({
    status: 'assigned',
    client: { name: 'Acme' },
    assigned_at: expect.any(String),
  });
  expect((await client.get(ticket)).data.status).toBe('assigned');
  expect((await a.post(tickets, { title: 'x' })).status).toBe(422);
  const foreign = await a.post(tickets, { title: 'x', client_id: 'a'.repeat(24) });
  expect([foreign.status, foreign.data.code]).toEqual([403, 'client_id_forbidden']);
  const wrong = await client.post(tickets, { title: 'x', client_id: client.caller.companyId });
  expect([wrong.status, wrong.data.code]).toEqual([403, 'client_id_contractors_only']);
});

test('a contractor that gets its account later then sees its tickets, and gets events', async () => {
  const client = platform.as();
  const { data: entry } = await client.post('/api/v3.0/contractors', { name: 'Solo' });
  const ticket = await newTicket(client);
  expect((await client.post(`${ticket}/assign`, { contractor_id: entry._id })).data.contractors).toMatchObject([
    { _id: entry._id, name: 'Solo' },
  ]);
  const solo = platform.as({ companyKind: 'contractor' });
  const id = solo.caller.companyId;
  platform.identity.companies.set(id, { id, name: 'Solo', kind: 'contractor', siret: null, siren: null });
  expect((await solo.get(ticket)).status).toBe(404);
  expect((await client.call('patch', `/api/v3.0/contractors/${entry._id}`, { company_id: id })).status).toBe(200);
  await eventually(async () => expect((await solo.get(ticket)).data.status).toBe('assigned'));
  await eventually(async () => expect(await statusChanges(solo, ticket)).toEqual([' → assigned']));
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
