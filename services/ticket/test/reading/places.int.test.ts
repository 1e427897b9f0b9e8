import { newId } from '@app/kernel';
import { eventually, rowsOfCsv } from '@app/testing';
import { type Client, idOf, newTicket, outcome, pdf, tickets, usePlatform } from '../platform.ts';

const platform = usePlatform();

const locations = '/api/v3.0/locations';
let owner: Client;
/** Limited to the site. */
let limited: Client;
let site: string;
let room: string;
let elsewhere: string;
let begunAt: number;

async function newPlace(name: string, parent_id: string | null = null): Promise<string> {
  return (await owner.post(locations, { name, parent_id })).data.location._id;
}

const limitedTo = (...placeIds: string[]) =>
  platform.as({ ...owner.caller, userId: newId(), permissions: ['tickets', 'accounting'], placeIds });
const listed = async (client: Client, query = '') =>
  (await client.get(`${tickets}?${query}`)).data.tickets.map(({ _id }: { _id: string }) => _id);

beforeEach(async () => {
  begunAt = Date.now();
  owner = platform.as();
  site = await newPlace('North site');
  room = await newPlace('Boiler room', await newPlace('Basement', site));
  elsewhere = await newPlace('South site');
  limited = limitedTo(site);
});

test('a limited user sees the tickets at the places and below them, and no others', async () => {
  const seen = [
    await newTicket(owner, { location_ids: [site] }),
    await newTicket(owner, { location_ids: [elsewhere, room] }),
  ];
  const hidden = [await newTicket(owner), await newTicket(owner, { location_ids: [elsewhere] })];
  expect(await listed(limited)).toEqual(seen.map(idOf));
  expect(await listed(limited, 'q=leak')).toEqual(seen.map(idOf));
  expect(await listed(limited, `updated_after=${begunAt}`)).toEqual(seen.map(idOf));
  expect(await listed(limited, `location_id=${elsewhere}`)).toEqual([idOf(seen[1] ?? '')]);
  expect(await listed(owner)).toHaveLength(4);
  expect((await limited.get(`${tickets}/counts`)).data.status).toEqual({ opened: 2 });
  for (const path of seen) expect((await limited.get(path)).status).toBe(200);
  for (const path of hidden) {
    const { number } = (await owner.get(path)).data;
    const found = await limited.get(`${tickets}/get-id-from-number?ticket_number=${number}`);
    expect([outcome(await limited.get(path)), outcome(found)]).toEqual(Array(2).fill([404, 'ticket_not_found']));
    expect(outcome(await limited.put(`${path}/cancel`))).toEqual([404, 'ticket_not_found']);
    expect(outcome(await limited.get(`/internal/tickets/${idOf(path)}/snapshot`))).toEqual([404, 'ticket_not_found']);
    const contexts = await limited.post('/internal/purchase-contexts', { ticket_ids: [idOf(path)] });
    expect(contexts.data).toEqual({ contexts: [null] });
  }
});

test('the filter by a place finds what is there and below, in every order and in files', async () => {
  const [at, below] = [
    await newTicket(owner, { location_ids: [site] }),
    await newTicket(owner, { location_ids: [room], priority: 'high' }),
  ];
  await newTicket(owner, { location_ids: [elsewhere] });
  const wanted = [at, below].map(idOf);
  const orders = ['', '&order=asc', '&sort=updated_at', '&status=opened', '&q=leak', `&updated_after=${begunAt}`];
  for (const query of orders)
    expect([query, await listed(owner, `location_id=${site}${query}`)]).toEqual([query, wanted]);
  expect(await listed(owner, `location_id=${site}&priority=high`)).toEqual([idOf(below)]);
  expect(await listed(owner, `location_id=${room}`)).toEqual([idOf(below)]);
  expect(await listed(limitedTo(room), `location_id=${site}`)).toEqual([idOf(below)]);
  expect(await listed(platform.as(), `location_id=${site}`)).toEqual([]);
  const [, ...rows] = rowsOfCsv((await owner.download(`${tickets}/export?location_id=${site}`)).data, ',');
  expect(rows).toHaveLength(2);
  expect((await owner.get(`${locations}/${site}/costs`)).data.tickets).toBe(2);
  expect((await owner.get(`/internal/places?location_id=${site}`)).data.place_ids).toEqual(
    expect.arrayContaining([site, room]),
  );
  expect((await platform.as().get(`/internal/places?location_id=${site}`)).data).toEqual({ place_ids: [] });
});

test('a ticket that a limited user creates or edits stays at one of the places, and names no other', async () => {
  const create = async (body: object) => outcome(await limited.post(tickets, { title: 'Leak', ...body }));
  expect(await create({})).toEqual([422, ['location_ids']]);
  expect(await create({ location_ids: [elsewhere] })).toEqual([422, ['location_ids.0', 'location_ids']]);
  expect(await create({ location_ids: [room, elsewhere] })).toEqual([422, ['location_ids.1']]);
  expect(await create({ location_ids: [room, newId()] })).toEqual([422, ['location_ids.1']]);
  const path = await newTicket(limited, { location_ids: [room] });
  const edit = async (location_ids: string[]) => outcome(await limited.patch(path, { location_ids }));
  expect(await edit([])).toEqual([422, ['location_ids']]);
  expect(await edit([elsewhere])).toEqual([422, ['location_ids.0', 'location_ids']]);
  expect(await edit([site])).toEqual([200, undefined]);
  // What the owner put there may stay.
  await owner.patch(path, { location_ids: [site, elsewhere] });
  expect(await edit([room, elsewhere])).toEqual([200, undefined]);
});

test('a limited user reads the places, and changes none', async () => {
  const { data } = await limited.get(locations);
  const ids = data.locations.map(({ _id }: { _id: string }) => _id);
  expect(ids).toEqual(expect.arrayContaining([site, room]));
  expect(ids).not.toContain(elsewhere);
  const found = (await limited.get(`${locations}?q=site`)).data.locations;
  expect(found.map(({ _id }: { _id: string }) => _id)).toEqual([site]);
  const [, ...rows] = rowsOfCsv((await limited.download(`${locations}/export`)).data, ',');
  expect(rows.map(([id]) => id)).toEqual(ids);
  expect(outcome(await limited.get(`${locations}/${elsewhere}`))).toEqual([404, 'location_not_found']);
  const refused = [403, 'limited_to_places'];
  expect(outcome(await limited.post(locations, { name: 'x', parent_id: site }))).toEqual(refused);
  expect(outcome(await limited.patch(`${locations}/${elsewhere}`, { parent_id: site }))).toEqual(refused);
  expect(outcome(await limited.call('delete', `${locations}/${room}`))).toEqual(refused);
});

test('a place that is moved takes its tickets with it', async () => {
  const path = await newTicket(owner, { location_ids: [room] });
  expect((await limited.get(path)).status).toBe(200);
  await owner.patch(`${locations}/${room}`, { parent_id: elsewhere });
  await eventually(async () => expect((await limited.get(path)).status).toBe(404));
});

test('a limited user reads figures of what is at the places and below them, each ticket once, and of nothing else', async () => {
  const contractor = await platform.contractorOf(owner);
  for (const location_ids of [[site], [room, elsewhere], [site, room], [elsewhere], []]) {
    const path = await newTicket(owner, { location_ids });
    await owner.post(`${path}/propose`, { contractor_ids: [contractor.id] });
    await contractor.post(`${path}/decline`, { reason: 'no' });
  }
  const figure = async (asked: string, reader = limited) => {
    await platform.app.statistics.count();
    const { status, data } = await reader.get(`/statistics/tickets/${asked}`);
    expect([status, data.pending]).toEqual([200, 0]);
    return data.items;
  };
  expect(await figure('open')).toMatchObject([{ status: 'declined', count: 3 }]);
  expect(await figure('open?group_by=age')).toMatchObject([{ age: '0-2', count: 3 }]);
  expect(await figure('open?group_by=domain')).toMatchObject([{ domain: null, count: 3 }]);
  const byPlace = await figure('open?group_by=place');
  expect(byPlace).toHaveLength(2);
  expect(byPlace).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ place: site, name: 'North site', count: 2 }),
      expect.objectContaining({ place: room, name: 'Boiler room', count: 2 }),
    ]),
  );
  const work = { contractor: contractor.id, name: 'Fixit', proposed: 3, declined: 3 };
  expect(await figure('contractors?group_by=contractor')).toMatchObject([work]);
  expect(await figure('open', owner)).toMatchObject([{ count: 5 }]);
  await owner.patch(`${locations}/${room}`, { parent_id: elsewhere });
  await eventually(async () => expect(await figure('open')).toMatchObject([{ count: 2 }]));
});

test('the places of another company are none', async () => {
  const stranger = platform.as();
  const theirs = (await stranger.post(locations, { name: 'Theirs' })).data.location._id;
  await newTicket(owner, { location_ids: [site] });
  expect(await listed(limitedTo(theirs))).toEqual([]);
  expect((await limitedTo(theirs).get('/internal/places')).data).toEqual({ place_ids: [] });
  expect((await owner.get('/internal/places')).data).toEqual({ place_ids: null });
});

test('accounting reads a ticket with what was ordered and received, without letters or moves', async () => {
  const path = await newTicket(owner, { location_ids: [room] });
  await owner.post(`${path}/notes`, { note: 'the key is at the desk', type: 'internal' });
  await owner.post(`${path}/notes`, { note: 'they are too dear', type: 'managers' });
  await owner.upload(`${path}/documents`, {}, pdf);
  const contractor = await platform.contractorOf(owner);
  await owner.post(`${path}/assign`, { contractor_id: contractor.id });
  await owner.post(`${path}/dates`, { start: '2026-11-30T09:00:00Z', end: '2026-11-30T10:00:00Z', type: 'planned' });
  const accountant = platform.as({ ...owner.caller, userId: newId(), permissions: ['accounting'] });
  const read = `/invoice-tickets/${idOf(path)}`;
  const { status, data } = await accountant.get(read);
  expect([status, data.ticket._id, data.ticket.moves, data.files]).toEqual([200, idOf(path), [], []]);
  expect(data.intervention_dates).toMatchObject([{ type: 'planned' }]);
  expect(JSON.stringify(data)).not.toMatch(/desk|dear|devis/);
  expect(outcome(await accountant.get(path))).toEqual([403, 'forbidden']);
  expect(outcome(await limitedTo(elsewhere).get(read))).toEqual([404, 'ticket_not_found']);
  expect((await limited.get(read)).status).toBe(200);
});
