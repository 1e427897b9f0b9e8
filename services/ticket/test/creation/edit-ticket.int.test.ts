import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { typologies } from '../../tickets/ticket.ts';
import { ticketPath } from '../../tickets/ticket-route-base.ts';
import { type Client, type Contractor, newTicket, outcome, pdf, tickets, usePlatform } from '../platform.ts';

const platform = usePlatform();
let client: Client;
let contractor: Contractor;

beforeAll(async () => {
  client = platform.as();
  contractor = await platform.contractorOf(client);
});

const made = async (path: string, body: object): Promise<string> => {
  const { data } = await client.post(`/api/v3.0/${path}`, body);
  return (Object.values(data)[0] as { _id: string })._id;
};
const aTicket = (body: object = {}) => newTicket(client, { title: 'Leak', ...body });
const patch = (path: string, body: object, who: Client = client, headers = {}) => who.patch(path, body, headers);

test('its client changes what a ticket says; the rest stays, and copies and searches follow', async () => {
  const [location, field, other] = [
    await made('locations', { name: 'Here' }),
    await made('custom-fields', { name: { fr: 'x', en: 'x' } }),
    await made('custom-fields', { name: { fr: 'y', en: 'y' } }),
  ];
  const path = await aTicket({ description: 'It drips', fields: [{ field_id: field, value: '1' }] });
  await client.post(`${path}/assign`, { contractor_id: contractor.id });
  const before = (await client.get(path)).data;
  const body = {
    title: 'Flood',
    priority: 'high',
    location_ids: [location],
    fields: [{ field_id: other, value: '2' }],
  };
  const { status, data } = await patch(path, body);
  expect([status, data]).toMatchObject([
    200,
    {
      title: 'Flood',
      priority_label: 'high',
      description: 'It drips',
      locations: [{ _id: location }],
      fields: [
        { field_id: field, value: '1' },
        { field_id: other, value: '2' },
      ],
      status: 'assigned',
    },
  ]);
  expect(data.updated_at > before.updated_at).toBe(true);
  expect((await contractor.get(path)).data.title).toBe('Flood');
  expect((await contractor.get(`${tickets}?q=flood`)).data.tickets).toHaveLength(1);
  expect((await client.get(`${tickets}?location_id=${location}`)).data.tickets).toHaveLength(1);
  await eventually(() =>
    expect(platform.snapshotEvents.map(({ data }) => data)).toContainEqual({
      ticket: expect.objectContaining({ id: data._id, title: 'Flood', location_ids: [location] }),
    }),
  );
  const without = await patch(path, { fields: [{ field_id: field, value: null }], description: null });
  expect(without.data).toMatchObject({ description: null, fields: [{ field_id: other, value: '2' }] });
});

test('what is the same already changes nothing, and what was deleted since may stay', async () => {
  const location = await made('locations', { name: 'Gone' });
  const path = await aTicket({ location_ids: [location] });
  await client.call('delete', `/api/v3.0/locations/${location}`);
  const { headers } = await client.get(path);
  const same = await patch(path, { title: 'Leak', location_ids: [location] });
  expect([same.status, same.headers['etag']]).toEqual([200, headers['etag']]);
  expect(outcome(await patch(await aTicket(), { location_ids: [location] }))).toEqual([422, ['location_ids.0']]);
});

test.each<[string, object, string[]]>([
  ['nothing', {}, ['']],
  ['unknown fields', { status: 'closed', number: 'T-1' }, ['number', 'status']],
  ['a blank title and an unknown priority', { title: ' ', priority: 'asap' }, ['priority', 'title']],
  ['unknown ids', { location_ids: [newId()], manager_ids: [newId()] }, ['location_ids.0', 'manager_ids.0']],
  ['maintenance of another typology', { maintenance: 'M-1' }, ['maintenance']],
])('422 for %s', async (_what, body, paths) => {
  const { status, data } = await patch(await aTicket(), body);
  expect([status, data.errors.map(({ path }: { path: string }) => path).sort()]).toEqual([422, paths]);
});

test('a period of maintenance stays in order, whichever end is changed', async () => {
  const period = { start_date: '2026-01-01', end_date: '2026-02-01' };
  const path = await aTicket({ typology_id: typologies.maintenance, maintenance: 'M-1', ...period });
  expect((await patch(path, { end_date: '2025-12-01' })).status).toBe(422);
  expect((await patch(path, { start_date: '2026-03-01' })).status).toBe(422);
  expect((await patch(path, { start_date: '2026-03-01', end_date: '2026-04-01' })).status).toBe(200);
});

test('403 for a contractor, also for a ticket that it created; 404 for whoever does not see it; 409 once it is removed', async () => {
  const path = await aTicket();
  expect((await patch(path, { title: 'x' }, contractor)).status).toBe(404);
  expect((await patch(path, { title: 'x' }, platform.as())).status).toBe(404);
  await client.post(`${path}/assign`, { contractor_id: contractor.id });
  expect((await patch(path, { title: 'x' }, contractor)).data.code).toBe('forbidden');
  await client.put(`${path}/cancel`, {});
  expect((await patch(path, { title: 'y' })).status).toBe(200);
  await client.post(`${path}/remove`);
  expect((await patch(path, { title: 'z' })).data.code).toBe('ticket_transition_forbidden');
});

test('If-Match: a change of what was read, or 412; of two at once one', async () => {
  const path = await aTicket();
  const { headers } = await client.get(path);
  const tag = String(headers['etag']);
  expect(tag).toMatch(/^"\d+"$/);
  const both = await Promise.all(['a', 'b'].map((title) => patch(path, { title }, client, { 'If-Match': tag })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect(both.find(({ status }) => status === 412)?.data.code).toBe('precondition_failed');
  const current = both.find(({ status }) => status === 200)?.headers['etag'] as string;
  expect((await client.get(path)).headers['etag']).toBe(current);
  for (const stale of [tag, `W/${current}`, '"x"', '']) {
    // Also if the change would be refused for other reasons: it was made for another version.
    for (const change of [{ title: 'c' }, { location_ids: [newId()] }]) {
      expect([stale, (await patch(path, change, client, { 'If-Match': stale })).status]).toEqual([stale, 412]);
    }
  }
  expect((await patch(path, { title: 'd' }, client, { 'If-Match': `"0", ${current}` })).status).toBe(200);
  expect((await patch(path, { title: 'e' }, client, { 'If-Match': '*' })).status).toBe(200);
  expect((await patch(path, { title: 'f' })).status).toBe(200);
});

/** Bodies that are valid, for the operations that need one. */
const bodies: Record<string, () => object> = {
  'patch ': () => ({ title: 'x' }),
  'post /propose': () => ({ contractor_ids: [contractor.id] }),
  'post /assign': () => ({ contractor_id: contractor.id }),
  'post /dates': () => ({ type: 'planned', start: Date.now() + 3_600_000, end: Date.now() + 7_200_000 }),
  'post /quotes': () => form({ reference: 'D-2', price: '20' }),
  'post /reports': () => form({}),
  'put /due-date': () => ({ clock: 'finish', due_at: Date.now() + 3_600_000, reason: 'x' }),
};
/** They add something beside the ticket, which keeps its version. */
const beside = ['post /notes', 'post /documents'];
const ofContractors = ['post /accept', 'post /decline', 'post /take-charge'];

type Quote = { download_url: string };

function form(fields: Record<string, string>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  made.append('file', new Blob([new Uint8Array(pdf.content)]), pdf.name);
  return made;
}

test('If-Match holds for every move, date, quote and report: who saw another version changes nothing', async () => {
  const path = await aTicket();
  const stale = { 'If-Match': String((await client.get(path)).headers['etag']) };
  const make = (operation: string, headers = {}) =>
    client.call('post', path + operation, bodies[`post ${operation}`]?.(), headers);
  const assigned = await make('/assign', stale);
  expect([assigned.status, assigned.headers['etag']]).toEqual([200, '"2"']);
  const planned = await make('/dates', { 'If-Match': '"2"' });
  expect([planned.status, planned.headers['etag']]).toEqual([201, '"3"']);
  const ids: Record<string, string> = {
    date_id: planned.data.date._id,
    quote_id: (await make('/quotes')).data.quote._id,
  };
  const read = async () => {
    const { headers, data } = await client.get(path);
    return [headers['etag'], { ...data, quotes: data.quotes.map(({ download_url: _, ...quote }: Quote) => quote) }];
  };
  const before = await read();
  const operations = platform.routes
    .filter(({ path: pattern, method }) => pattern.startsWith(ticketPath) && method !== 'get')
    .map(({ path: pattern, method }) => `${method} ${pattern.slice(ticketPath.length)}`)
    .filter((operation) => !beside.includes(operation));
  const answers: [string, number, string][] = [];
  for (const operation of operations) {
    const [method = '', suffix = ''] = operation.split(' ');
    const url = path + suffix.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? name);
    const who = ofContractors.includes(operation) ? contractor : client;
    const { status, data } = await who.call(method, url, bodies[operation]?.() ?? {}, stale);
    answers.push([operation, status, data.code]);
  }
  expect(answers.filter(([, status, code]) => status !== 412 || code !== 'precondition_failed')).toEqual([]);
  expect(operations).toEqual(expect.arrayContaining([...Object.keys(bodies), ...ofContractors, 'put /finish']));
  expect(await read()).toEqual(before);
});

test('custom fields of a ticket are bounded, however they are merged', async () => {
  const [path, other] = [await aTicket(), await aTicket()];
  const defined = platform.connection.collection<{ _id: string }>('referentials');
  const copied = await defined.findOne({ _id: await made('custom-fields', { name: { fr: 'x', en: 'x' } }) });
  const fields = async (count: number, value = 'x') => {
    const copies = Array.from({ length: count }, () => ({ ...copied, _id: newId() }));
    await defined.insertMany(copies);
    return copies.map(({ _id: field_id }) => ({ field_id, value }));
  };
  for (const _ of [1, 2]) expect((await patch(path, { fields: await fields(100) })).status).toBe(200);
  expect(outcome(await patch(path, { fields: await fields(1) }))).toEqual([422, 'ticket_too_many']);
  expect((await client.get(path)).data.fields).toHaveLength(200);

  const long = await fields(52, 'x'.repeat(9_800));
  expect((await patch(other, { fields: long.slice(0, 51) })).status).toBe(200);
  const others = (await fields(51)).map((one) => ({ ...one, value: 'x'.repeat(9_800) }));
  expect((await patch(other, { fields: others.slice(0, 50) })).status).toBe(200);
  const larger = await patch(other, { fields: [others[50], long[51]] });
  expect([larger.status, larger.data]).toEqual([
    422,
    expect.objectContaining({ code: 'ticket_too_many', error: expect.stringContaining('1,000,000 characters') }),
  ]);
  // Removing one value and adding a shorter one is allowed.
  const [first, next] = [long[0], others[50]];
  expect((await patch(other, { fields: [{ ...first, value: null }, next] })).status).toBe(200);
});
