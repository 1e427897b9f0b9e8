import { newTicket, type Platform, startPlatform } from '../platform.ts';

const tickets = '/api/v3.0/tickets';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

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
