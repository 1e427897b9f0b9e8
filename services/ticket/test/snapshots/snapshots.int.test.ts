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
import { type Client, idOf, newTicket as newTicketPath, outcome, pdf, usePlatform } from '../platform.ts';

const platform = usePlatform();

const api = '/api/v3.0';

/** What the events of a type say of the thing with this id. */
const published = <T>({ type }: { type: string }, id: string) =>
  platform.snapshotEvents.filter((one) => one.type === type && one.subject === id).map(({ data }) => data as T);
const publishedTickets = (id: string) =>
  published<{ ticket: TicketSnapshot }>(ticketChanged, id).map(({ ticket }) => ticket);
const publishedAssignments = (id: string) => published<TicketAssigned>(ticketAssigned, id);
const publishedContractors = (id: string) =>
  published<{ contractor: ContractorSnapshot }>(contractorChanged, id).map(({ contractor }) => contractor);
const publishedLocations = (id: string) =>
  published<{ location: LocationSnapshot }>(locationChanged, id).map(({ location }) => location);

/** The newest one, by version, since events may overtake each other. */
function latest<T extends { version: number }>(snapshots: T[]): T | undefined {
  return [...snapshots].sort((one, other) => other.version - one.version)[0];
}
const versions = (snapshots: { version: number }[]) => snapshots.map(({ version }) => version).sort();

const newTicket = async (client: Client) => idOf(await newTicketPath(client));

describe('a ticket', () => {
  test('is published when it is created and when its snapshot changes, and is read the same on demand', async () => {
    const client = platform.as();
    const contractor = await platform.contractorOf(client);
    const id = await newTicket(client);
    await client.post(`${api}/tickets/${id}/assign`, { contractor_id: contractor.id });
    await client.post(`${api}/tickets/${id}/notes`, { note: 'x', type: 'public' });
    await client.upload(`${api}/tickets/${id}/reports`, {}, pdf);
    await contractor.upload(`${api}/tickets/${id}/quotes`, { reference: 'D-1', price: '12.50', includes_vat: 'true' });
    await eventually(() => expect(publishedTickets(id)).toHaveLength(3));
    const snapshot = latest(publishedTickets(id));
    const read = await client.get(`/internal/tickets/${id}/snapshot`);
    expect([read.status, read.data]).toEqual([200, snapshot]);
    expect(snapshot).toMatchObject({
      client_id: client.caller.companyId,
      status: 'validation',
      views: [{ role: 'client' }, { role: 'contractor', company_id: contractor.caller.companyId, state: 'active' }],
      quotes: [
        { reference: 'D-1', price: '12.50', includes_vat: true, status: 'pending', contractor_id: contractor.id },
      ],
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

  test('has a snapshot that only its client may read', async () => {
    const client = platform.as();
    const contractor = await platform.contractorOf(client);
    const id = await newTicket(client);
    await client.post(`${api}/tickets/${id}/assign`, { contractor_id: contractor.id });
    for (const stranger of [contractor, platform.as()]) {
      expect(outcome(await stranger.get(`/internal/tickets/${id}/snapshot`))).toEqual([404, 'ticket_not_found']);
    }
    expect((await client.get('/internal/tickets/nonsense/snapshot')).status).toBe(404);
  });
});

test('a contractor of the directory is published when it is created and when its snapshot changes, and read by its client alone', async () => {
  const client = platform.as();
  const { _id } = (await client.post(`${api}/contractors`, { name: 'Froid' })).data;
  const patch = (body: object) => client.patch(`${api}/contractors/${_id}`, body);
  await patch({ phone: '01 02' });
  await patch({ name: 'Froid', siret: '732 829 320 00074' });
  await eventually(() => expect(versions(publishedContractors(_id))).toEqual([1, 3]));
  const snapshot = { id: _id, version: 3, client_id: client.caller.companyId, name: 'Froid', company_id: null };
  expect(latest(publishedContractors(_id))).toEqual({ ...snapshot, siret: '73282932000074', siren: '732829320' });
  const read = await client.get(`/internal/contractors/${_id}/snapshot`);
  expect([read.status, read.data]).toEqual([200, latest(publishedContractors(_id))]);
  const foreign = await platform.as().get(`/internal/contractors/${_id}/snapshot`);
  expect(outcome(foreign)).toEqual([404, 'contractor_not_found']);
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
    await client.patch(`${api}/locations/${id}`, { address: { postalCode: '69003', city: 'LYON' } });
    await client.patch(`${api}/locations/${id}`, { name: 'Magasin 2' });
    await client.patch(`${api}/locations/${id}`, { parent_id: billing });
    await client.call('delete', `${api}/locations/${id}`);
    await client.post(`${api}/equipments`, { name: 'Boiler' });
    await eventually(() => expect(versions(publishedLocations(id))).toEqual([1, 3, 4, 5]));
    const last = { version: 5, name: 'Magasin 2', parent_id: billing, deleted: true };
    expect(latest(publishedLocations(id))).toEqual({ ...first, ...last });
  });

  test('is published again when its billing location is renamed, in circles too', async () => {
    const client = platform.as();
    const billing = await create(client, { name: 'Siège' });
    const id = await create(client, { location_facturation_id: billing });
    await client.patch(`${api}/locations/${billing}`, { location_facturation_id: id });
    await client.patch(`${api}/locations/${billing}`, { name: 'Siège social' });
    await eventually(() => expect(latest(publishedLocations(id))).toMatchObject({ facturation_name: 'Siège social' }));
    expect(publishedLocations(id).length).toBeLessThanOrEqual(3);
    const shown = (await client.get(`${api}/locations/${id}`)).data.location;
    expect(shown.location_facturation).toMatchObject({ id: billing, name: 'Siège social' });
  });

  test('has the current name of its billing location, whether the rename or the reference comes first', async () => {
    const client = platform.as();
    const billing = await create(client, { name: 'old' });
    for (let round = 0; round < 4; round++) {
      const name = `new ${round}`;
      const rename = () => client.patch(`${api}/locations/${billing}`, { name });
      const [id] = await Promise.all([create(client, { location_facturation_id: billing }), rename()]);
      await eventually(() => expect(latest(publishedLocations(id))).toMatchObject({ facturation_name: name }));
    }
  });
});
