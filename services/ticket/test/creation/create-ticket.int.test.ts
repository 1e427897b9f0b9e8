import { newId } from '@app/kernel';
import { typologies } from '../../tickets/ticket.ts';
import { aUser, type Client, type Contractor, idOf, newTicket, outcome, tickets, usePlatform } from '../platform.ts';

const platform = usePlatform();
let client: Client;
let contractor: Contractor;
beforeEach(async () => {
  client = platform.as();
  contractor = await platform.contractorOf(client);
});

/** A user of the client whom identity knows. */
function aColleague(): string {
  const user = aUser(client.caller.companyId, { email: 'ada@example.com' });
  platform.identity.users.set(user.id, user);
  return user.id;
}
const open = (body: object = {}, who: Client = client) => who.post(tickets, { title: 'Leak', ...body });

test('a ticket is created with every field and read back', async () => {
  const create = async (path: string, body: object) =>
    Object.values((await client.post(`/api/v3.0/${path}`, body)).data)[0] as { _id: string };
  const manager = aColleague();
  const address = { city: 'Lyon', postalCode: '69003' };
  const location = await create('locations', { name: 'Siège', reference: 'S1', address });
  const equipment = await create('equipments', { name: 'Boiler' });
  const job = await create('jobs', { name: 'Plumbing' });
  const domain = await create('domains', { name: 'Water' });
  const field = await create('custom-fields', { name: { fr: 'Code', en: 'Code' } });
  const body = {
    title: 'Leak',
    description: 'On the 2nd floor',
    priority: 'high',
    typology_id: typologies.maintenance,
    price_threshold: 500.5,
    location_ids: [location._id],
    equipment_ids: [equipment._id],
    job_ids: [job._id],
    domain_ids: [domain._id],
    manager_ids: [manager],
    contact_ids: [manager],
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
    status: 'opened',
    priority_label: 'high',
    typology: { _id: body.typology_id, name: 'typology-maintenance' },
    price_threshold: 500.5,
    client: { _id: client.caller.companyId, name: 'Acme' },
    contractors: [],
    locations: [{ _id: location._id, name: 'Siège', address, location_facturation: null }],
    equipments: [{ _id: equipment._id, name: 'Boiler', parent_id: null }],
    jobs: [{ _id: job._id, name: 'Plumbing' }],
    domains: [{ _id: domain._id, name: 'Water', parent_id: null }],
    domain: [{ _id: domain._id, name: 'Water', parent_id: null }],
    managers: [{ _id: manager, firstName: 'Ada', lastName: 'Martin', email: 'ada@example.com', phone: null }],
    contacts: [{ _id: manager }],
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
    visit_scheduled_at: [],
    visit_occured_at: [],
    assigned_at: null,
    closed_at: null,
    validated_by: null,
    created_by: { _id: client.caller.userId, email: 'ada@example.com', company_id: client.caller.companyId },
    views: [{ company_id: client.caller.companyId, role: 'client', status: 'opened' }],
  });
  const pasted = `\u00a0${data.number.replace('-', '\u2013')}`;
  const { data: found } = await client.get(`${tickets}/get-id-from-number?ticket_number=${encodeURIComponent(pasted)}`);
  expect(found).toEqual({ ticket_id: data.id });
});

test('a contractor opens a ticket for a client that has it in its directory, and no other', async () => {
  const client_id = client.caller.companyId;
  const nobody = { contact_ids: [], manager_ids: [] };
  const ticket = await newTicket(contractor, { client_id, ...nobody });
  expect((await contractor.get(ticket)).data).toMatchObject({
    status: 'assigned',
    client: { name: 'Acme' },
    assigned_at: expect.any(String),
  });
  expect((await client.get(ticket)).data.status).toBe('assigned');
  expect((await open({}, contractor)).status).toBe(422);
  expect(outcome(await open({ client_id: 'a'.repeat(24) }, contractor))).toEqual([403, 'client_id_forbidden']);
  expect(outcome(await open({ client_id }))).toEqual([403, 'client_id_contractors_only']);
});

test.each(['contact_ids', 'manager_ids'])('a contractor cannot learn by %s who works for its client', async (path) => {
  const asked = platform.identity.asked.length;
  for (const id of [aColleague(), newId(), contractor.caller.userId]) {
    const { status, data } = await open({ client_id: client.caller.companyId, [path]: [id] }, contractor);
    const message = `${path} is for the client: its users are not yours to name`;
    expect([status, data.errors]).toEqual([422, [{ path, message }]]);
  }
  // Nobody is looked for either, so that no answer comes later than another.
  expect(platform.identity.asked.slice(asked).filter((line) => line.endsWith('/users'))).toEqual([]);
  expect((await contractor.get(tickets)).data.tickets).toEqual([]);
});

test('a typology is named in any case, as ids are, and found by it in any case', async () => {
  const id = typologies.leveeReserves;
  const _id = idOf(await newTicket(client, { typology_id: id.toUpperCase() }));
  for (const typology of [id, id.toUpperCase()]) {
    const found = (await client.get(`${tickets}?typology=${typology}`)).data.tickets;
    expect(found).toMatchObject([{ _id, typology: { _id: id, name: 'typology-levee-reserves' } }]);
  }
});

test.each(['f'.repeat(24), 'curatif', ''])('%j is no typology', async (typology) => {
  expect(outcome(await open({ typology_id: typology }))).toEqual([422, expect.arrayContaining(['typology_id'])]);
  expect(outcome(await client.get(`${tickets}?typology=${typology}`))).toEqual([
    422,
    expect.arrayContaining(['typology']),
  ]);
});

const maintained = { maintenance: 'Yearly', start_date: '2026-12-01', end_date: '2026-12-31' };

test.each([{}, { typology_id: typologies.travaux }])(
  'the maintenance and its period are refused, each by name, on a ticket of another typology: %j',
  async (typology) => {
    const { status, data } = await open({ ...maintained, ...typology, location_ids: ['f'.repeat(24)] });
    const paths = data.errors.map(({ path }: { path: string }) => path).sort();
    expect([status, paths]).toEqual([422, ['end_date', 'location_ids.0', 'maintenance', 'start_date']]);
    expect((await open({ maintenance: null, start_date: null, end_date: null, ...typology })).status).toBe(201);
  },
);

test('a period of maintenance must not end before it begins', async () => {
  const typology_id = typologies.maintenance.toUpperCase();
  expect((await open({ ...maintained, typology_id })).status).toBe(201);
  expect(outcome(await open({ ...maintained, typology_id, end_date: '2026-11-30' }))).toEqual([422, ['end_date']]);
});

test('people open the page of a ticket, programs its address in the API', async () => {
  const { data, headers } = await open({});
  const self = `http://api.test${tickets}/${data.ticket_id}`;
  expect(headers['location']).toBe(self);
  const shown = { self, url: `http://console.test/tickets/${data.ticket_id}` };
  expect((await client.get(`${tickets}/${data.ticket_id}`)).data).toMatchObject(shown);
  expect((await client.get(tickets)).data.tickets).toEqual([expect.objectContaining(shown)]);
});
