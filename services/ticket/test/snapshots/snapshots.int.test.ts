import {
  type ContractorSnapshot,
  contractorChanged,
  type LocationSnapshot,
  locationChanged,
  type TicketAssigned,
  type TicketSnapshot,
  ticketAssigned,
  ticketChanged,
} from '@app/contracts';
import { eventually } from '@app/testing';
import { type Client, type Platform, startPlatform } from '../platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

const api = '/api/v3.0';

function published<T>(type: { type: string }): T[] {
  return platform.snapshotEvents.filter((event) => event.type === type.type).map(({ data }) => data as T);
}
const publishedTickets = (id: string) =>
  published<{ ticket: TicketSnapshot }>(ticketChanged).flatMap(({ ticket }) => (ticket.id === id ? [ticket] : []));
const publishedAssignments = (id: string) =>
  published<TicketAssigned>(ticketAssigned).filter(({ ticket_id }) => ticket_id === id);
const publishedContractors = (id: string) =>
  published<{ contractor: ContractorSnapshot }>(contractorChanged).flatMap((one) =>
    one.contractor.id === id ? [one.contractor] : [],
  );
const publishedLocations = (id: string) =>
  published<{ location: LocationSnapshot }>(locationChanged).flatMap((one) =>
    one.location.id === id ? [one.location] : [],
  );

/** The newest one, by version, since events may overtake each other. */
function latest<T extends { version: number }>(snapshots: T[]): T | undefined {
  return [...snapshots].sort((one, other) => other.version - one.version)[0];
}
const versions = (snapshots: { version: number }[]) => snapshots.map(({ version }) => version).sort();

async function newTicket(client: Client, body: object = {}): Promise<string> {
  return (await client.post(`${api}/tickets`, { title: 'Leak', ...body })).data.ticket_id;
}

describe('a ticket', () => {
  test('is published when it is created and when its snapshot changes, and is read the same on demand', async () => {
    const client = platform.as();
    const contractor = await platform.contractorOf(client);
    const id = await newTicket(client);
    await client.post(`${api}/tickets/${id}/assign`, { contractor_id: contractor.id });
    await client.post(`${api}/tickets/${id}/notes`, { note: 'x', type: 'public' });
    await client.upload(`${api}/tickets/${id}/reports`, {}, { name: 'r.pdf', content: Buffer.from('%PDF-1.4\n%%EOF') });
    await contractor.upload(`${api}/tickets/${id}/quotes`, { reference: 'D-1', price: '12.50' });
    await eventually(() => expect(publishedTickets(id)).toHaveLength(3));
    const snapshot = latest(publishedTickets(id));
    const read = await client.get(`/internal/tickets/${id}/facts`);
    expect([read.status, read.data]).toEqual([200, snapshot]);
    expect(snapshot).toMatchObject({
      client_id: client.caller.companyId,
      status: 'validation',
      views: [{ role: 'client' }, { role: 'contractor', company_id: contractor.caller.companyId, state: 'active' }],
      quotes: [{ reference: 'D-1', price: '12.50', status: 'pending', contractor_id: contractor.id }],
    });
    expect(publishedAssignments(id)).toEqual([
      {
        ticket_id: id,
        client_id: client.caller.companyId,
        version: 2,
        contractor_id: contractor.id,
        company_id: contractor.caller.companyId,
      },
    ]);
  });

  test('that a contractor opens is published with its contractor at once', async () => {
    const client = platform.as();
    const contractor = await platform.contractorOf(client);
    platform.identity.companies.set(client.caller.companyId, {
      ...{ id: client.caller.companyId, name: 'Acme', kind: 'client' },
      ...{ siret: null, siren: null },
    });
    const id = await newTicket(contractor, { client_id: client.caller.companyId });
    await eventually(() =>
      expect(publishedAssignments(id)).toMatchObject([{ version: 1, contractor_id: contractor.id }]),
    );
    expect(publishedTickets(id)).toMatchObject([{ version: 1, status: 'assigned' }]);
  });

  test('is published as assigned again when its contractor gets an account', async () => {
    const client = platform.as();
    const company = platform.as({ companyKind: 'contractor' }).caller.companyId;
    platform.identity.companies.set(company, {
      id: company,
      name: 'Late',
      kind: 'contractor',
      siret: null,
      siren: null,
    });
    const { _id: contractor_id } = (await client.post(`${api}/contractors`, { name: 'Late' })).data;
    const id = await newTicket(client);
    await client.post(`${api}/tickets/${id}/assign`, { contractor_id });
    await client.call('patch', `${api}/contractors/${contractor_id}`, { company_id: company });
    await eventually(() => expect(publishedAssignments(id)).toHaveLength(2));
    expect(latest(publishedAssignments(id))).toMatchObject({ contractor_id, company_id: company });
  });

  test('has a snapshot that only its client may read', async () => {
    const client = platform.as();
    const contractor = await platform.contractorOf(client);
    const id = await newTicket(client);
    await client.post(`${api}/tickets/${id}/assign`, { contractor_id: contractor.id });
    for (const stranger of [contractor, platform.as()]) {
      const { status, data } = await stranger.get(`/internal/tickets/${id}/facts`);
      expect([status, data.code]).toEqual([404, 'ticket_not_found']);
    }
    expect((await client.get('/internal/tickets/nonsense/facts')).status).toBe(404);
  });
});

test('a contractor of the directory is published when it is created and when its snapshot changes, and read by its client alone', async () => {
  const client = platform.as();
  const { _id } = (await client.post(`${api}/contractors`, { name: 'Froid' })).data;
  const patch = (body: object) => client.call('patch', `${api}/contractors/${_id}`, body);
  await patch({ phone: '01 02' });
  await patch({ name: 'Froid', siret: '732 829 320 00074' });
  await eventually(() => expect(versions(publishedContractors(_id))).toEqual([1, 3]));
  const snapshot = { id: _id, version: 3, client_id: client.caller.companyId, name: 'Froid', company_id: null };
  expect(latest(publishedContractors(_id))).toEqual({ ...snapshot, siret: '73282932000074', siren: '732829320' });
  const read = await client.get(`/internal/contractors/${_id}/facts`);
  expect([read.status, read.data]).toEqual([200, latest(publishedContractors(_id))]);
  const foreign = await platform.as().get(`/internal/contractors/${_id}/facts`);
  expect([foreign.status, foreign.data.code]).toEqual([404, 'contractor_not_found']);
});

describe('a location', () => {
  const create = async (client: Client, body: object) =>
    (await client.post(`${api}/locations`, { name: 'Magasin', ...body })).data.location._id as string;

  test('is published when it is created, changed and deleted; nothing else of its client is', async () => {
    const client = platform.as();
    const billing = await create(client, { name: 'Siège' });
    const id = await create(client, {
      reference: 'LYO-01',
      address: { postalCode: '69003', city: 'Lyon' },
      location_facturation_id: billing,
    });
    const made = { id, version: 1, client_id: client.caller.companyId, name: 'Magasin', reference: 'LYO-01' };
    const first = { ...made, postal_code: '69003', facturation_name: 'Siège', deleted: false };
    await eventually(() => expect(publishedLocations(id)).toEqual([first]));
    await client.call('patch', `${api}/locations/${id}`, { address: { postalCode: '69003', city: 'LYON' } });
    await client.call('patch', `${api}/locations/${id}`, { name: 'Magasin 2' });
    await client.call('delete', `${api}/locations/${id}`);
    await client.post(`${api}/equipments`, { name: 'Boiler' });
    await eventually(() => expect(versions(publishedLocations(id))).toEqual([1, 3, 4]));
    expect(latest(publishedLocations(id))).toEqual({ ...first, version: 4, name: 'Magasin 2', deleted: true });
  });

  test('is published again when its billing location is renamed, in circles too', async () => {
    const client = platform.as();
    const billing = await create(client, { name: 'Siège' });
    const id = await create(client, { location_facturation_id: billing });
    await client.call('patch', `${api}/locations/${billing}`, { location_facturation_id: id });
    await client.call('patch', `${api}/locations/${billing}`, { name: 'Siège social' });
    await eventually(() => expect(latest(publishedLocations(id))).toMatchObject({ facturation_name: 'Siège social' }));
    expect(publishedLocations(id).length).toBeLessThanOrEqual(3);
    const shown = (await client.get(`${api}/locations/${id}`)).data.location;
    expect(shown.location_facturation).toMatchObject({ id: billing, name: 'Siège social' });
  });

  test('has the current name of its billing location, whether the rename or the reference comes first', async () => {
    const client = platform.as();
    const billing = await create(client, { name: 'old' });
    for (let round = 0; round < 10; round++) {
      const name = `new ${round}`;
      const rename = () => client.call('patch', `${api}/locations/${billing}`, { name });
      const [id] = await Promise.all([create(client, { location_facturation_id: billing }), rename()]);
      await eventually(() => expect(latest(publishedLocations(id))).toMatchObject({ facturation_name: name }));
    }
  });
});
