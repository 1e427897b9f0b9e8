import { newId } from '@app/kernel';
import { aCaller, rowsOfCsv, rowsOfXlsx } from '@app/testing';
import { idPages, outcome, plansOf, usePlatform } from '../platform.ts';

const app = usePlatform({ quiet: true });

const caller = aCaller();
/** With the fields that are null where none was sent. */
const address = ['postalCode', 'country', 'city', 'route', 'streetNumber', 'fullAddress', 'zone', 'lat', 'lng'];
const facts = ['serial_number', 'make', 'in_service_since', 'warranty_until'];
const kinds: { path: string; one: string; name?: unknown; renamed?: unknown; blank: object; titles: string[][] }[] = [
  {
    path: 'locations',
    one: 'location',
    titles: Array(2).fill(['_id', 'name', 'reference', 'parent', 'location_facturation', ...address]),
    blank: { parent_id: null, reference: null, address: null, location_facturation: null, photo: null },
  },
  {
    path: 'equipments',
    one: 'equipment',
    titles: Array(2).fill(['_id', 'name', 'parent', 'location', ...facts]),
    blank: {
      parent_id: null,
      location_id: null,
      serial_number: null,
      make: null,
      in_service_since: null,
      warranty_until: null,
      photo: null,
    },
  },
  {
    path: 'jobs',
    one: 'job',
    blank: {},
    titles: [
      ['Nom', 'Identifiant'],
      ['Name', 'Id'],
    ],
  },
  {
    path: 'domains',
    one: 'domain',
    blank: { parent_id: null },
    titles: [
      ['Nom', 'Identifiant du parent', 'Identifiant'],
      ['Name', 'Id of its parent', 'Id'],
    ],
  },
  {
    path: 'custom-fields',
    one: 'custom_field',
    blank: { target: null },
    name: { fr: 'Numéro', en: 'Number' },
    titles: [
      ['Nom en français', 'Nom en anglais', 'Pour', 'Identifiant'],
      ['Name in French', 'Name in English', 'For', 'Id'],
    ],
    renamed: { fr: 'a', en: 'b' },
  },
];
const many = (one: string) => `${one}s`;
const stored = () => app.connection.collection<{ _id: string }>('referentials');

async function create(path: string, body: object, by = caller) {
  const { status, data } = await app.call(by, `POST /${path}`, body);
  expect([status, data]).toEqual([201, expect.anything()]);
  return Object.values(data)[0] as { _id: string };
}
const location = (body: object = {}, by = caller) => create('locations', { name: 'Site', ...body }, by);

describe.each(kinds)('$path', ({ path, one, name = 'Site', renamed = 'Other', blank, titles: [french, english] }) => {
  test('are created, read, changed and deleted', async () => {
    const created = await create(path, { name });
    expect(created).toEqual({ _id: expect.stringMatching(/^[0-9a-f]{24}$/), name, ...blank });
    const at = `/${path}/${created._id}`;
    expect((await app.call(caller, `GET ${at}`)).data).toEqual({ [one]: created });
    const changed = await app.call(caller, `PATCH ${at}`, { name: renamed });
    expect([changed.status, changed.data]).toEqual([200, { [one]: { ...created, name: renamed } }]);
    const gone = await app.call(caller, `DELETE ${at}`);
    expect([gone.status, gone.data]).toEqual([204, '']);
    for (const line of [`GET ${at}`, `DELETE ${at}`]) {
      expect(outcome(await app.call(caller, line))).toEqual([404, `${one}_not_found`]);
    }
    const list = await app.call(caller, `GET /${path}`);
    expect(list.data[many(one)].map(({ _id }: { _id: string }) => _id)).not.toContain(created._id);
  });

  test("are their client's alone, and not for contractors", async () => {
    const { _id } = await create(path, { name });
    const [other, contractor] = [aCaller(), aCaller({ companyKind: 'contractor' })];
    for (const line of [`GET /${path}/${_id}`, `DELETE /${path}/${_id}`, `PATCH /${path}/${_id}`]) {
      expect([line, (await app.call(other, line, { name })).status]).toEqual([line, 404]);
      expect([line, outcome(await app.call(contractor, line))]).toEqual([line, [403, 'clients_only']]);
    }
    expect((await app.call(other, `GET /${path}`)).data).toEqual({ [many(one)]: [], cursor: null });
    expect((await app.call(caller, `GET /${path}/${_id}`)).status).toBe(200);
    for (const line of [`GET /${path}`, `POST /${path}`]) {
      expect([line, outcome(await app.call(contractor, line))]).toEqual([line, [403, 'clients_only']]);
    }
  });

  test('go to a file in their order, those alone that the search finds and that are of their client', async () => {
    const [owner, other, contractor] = [app.as(), app.as(), app.as({ companyKind: 'contractor' })];
    for (const by of [owner, other])
      for (const called of [name, renamed]) await create(path, { name: called }, by.caller);
    await create(path === 'jobs' ? 'domains' : 'jobs', { name: 'x' }, owner.caller);
    const gone = await create(path, { name }, owner.caller);
    await app.call(owner.caller, `DELETE /${path}/${gone._id}`);
    const all = (await owner.get(`/api/v3.0/${path}`)).data[many(one)].map(({ _id }: { _id: string }) => _id);
    const file = `/api/v3.0/${path}/export`;
    const sent = await owner.download(`${file}?language=fr`);
    expect(sent.headers['content-disposition']).toBe(`attachment; filename="${path}.csv"`);
    const [titles = [], ...rows] = rowsOfCsv(sent.data, ';');
    const at = titles.findIndex((one) => ['_id', 'Identifiant'].includes(one));
    const idsOf = (found: unknown[][]) => found.map((cells) => cells[at]);
    expect([titles, idsOf(rows), all.length]).toEqual([french, all, 2]);
    const backwards = await rowsOfXlsx((await owner.download(`${file}?format=xlsx&order=desc`)).data);
    expect([backwards[0], idsOf(backwards.slice(1))]).toEqual([english, all.toReversed()]);
    const word = path === 'custom-fields' ? 'num' : 'site';
    expect(idsOf(rowsOfCsv((await owner.download(`${file}?q=${word}`)).data, ',').slice(1))).toEqual([all[0]]);
    expect(outcome(await contractor.get(file))).toEqual([403, 'clients_only']);
    expect(outcome(await owner.get(`${file}?language=de&place=x`))).toEqual([422, ['language', 'place']]);
  });

  test('an id of another kind is 404', async () => {
    const elsewhere = await create(path === 'jobs' ? 'domains' : 'jobs', { name: 'x' });
    expect((await app.call(caller, `GET /${path}/${elsewhere._id}`)).status).toBe(404);
  });

  test('page by their index, ascending', async () => {
    const owner = aCaller();
    const { _id: first } = await create(path, { name }, owner);
    const copied = await stored().findOne({ _id: first });
    const copies = Array.from({ length: 59 }, () => ({ ...copied, _id: newId() }));
    await stored().insertMany(copies);
    const ids = [first, ...copies.map(({ _id }) => _id)].sort();
    let pages: string[][] = [];
    const plans = await plansOf(app.connection, async () => {
      pages = await idPages((query) => app.call(owner, `GET /${path}?${query}`), many(one));
    });
    expect(pages).toEqual([ids.slice(0, 50), ids.slice(50)]);
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).toMatchObject({ planSummary: 'IXSCAN { client_id: 1, kind: 1, _id: 1 }' });
      expect([plan.hasSortStage, plan.docsExamined]).toEqual([undefined, plan.nreturned]);
    }
    expect(await idPages((query) => app.call(owner, `GET /${path}?limit=60&${query}`), many(one))).toEqual([ids]);
  });
});

test.each([...kinds, { path: 'contractors', name: 'Durand', renamed: 'Other' }])(
  '$path: a change of the version that was read, or 412; of two at once one',
  async ({ path, name = 'Site', renamed = 'Other' }) => {
    const client = app.as();
    const { data } = await client.post(`/api/v3.0/${path}`, { name });
    const at = `/api/v3.0/${path}/${data._id ?? (Object.values(data)[0] as { _id: string })._id}`;
    const first = String((await client.get(at)).headers['etag']);
    const patch = () => client.patch(at, { name: renamed }, { 'If-Match': first });
    const both = await Promise.all([patch(), patch()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const second = both.find(({ status }) => status === 200)?.headers['etag'] as string;
    const read = await client.get(at);
    expect([read.headers['etag'], second === first]).toEqual([second, false]);
    expect(JSON.stringify(read.data)).not.toMatch(/"version"|"held"/);
    if (path === 'contractors') return;
    const remove = (tag: string) => client.call('delete', at, undefined, { 'If-Match': tag });
    expect(outcome(await remove(first))).toEqual([412, 'precondition_failed']);
    expect((await remove(second)).status).toBe(204);
  },
);

test.each([
  [
    'locations',
    { name: 'Tour Éole', reference: 'LYO-07', address: { city: 'Lyon' } },
    ['eole', 'lyo07', '7', 'LYON tour'],
  ],
  [
    'equipments',
    { name: 'Chaudière', serial_number: 'SN-0042', make: 'Viessmann' },
    ['chaud', '42', 'viess chaudiere'],
  ],
  ['contractors', { name: 'Durand & Fils', siret: '90200002500012' }, ['dur fils', '902 000 025', '90200002500012']],
])('%s are found by words of their names and numbers, among those of their client alone', async (path, body, texts) => {
  const [client, other] = [app.as(), app.as()];
  const at = `/api/v3.0/${path}`;
  for (const by of [client, other]) await by.post(at, body);
  await client.post(at, { name: 'Something else' });
  const page = async (q: string, more = '') => (await client.get(`${at}?q=${encodeURIComponent(q)}${more}`)).data;
  const found = async (q: string, more = ''): Promise<{ _id: string; name: string }[]> => (await page(q, more))[path];
  for (const text of texts) expect([text, await found(text)]).toMatchObject([text, [body]]);
  expect(JSON.stringify(await found(texts[0] ?? ''))).not.toContain('words');
  expect(await found(`${texts[0]} nothing`)).toEqual([]);
  const [{ _id } = { _id: '' }] = await found(texts[0] ?? '');
  await client.patch(`${at}/${_id}`, { name: 'Something new' });
  expect((await found('some')).map(({ name }) => name).sort()).toEqual(['Something else', 'Something new']);
  const first = await page('some', '&limit=1');
  expect(first[path]).toMatchObject([{ _id }]);
  expect(await found('some', `&cursor=${first.cursor}`)).toMatchObject([{ name: 'Something else' }]);
  if (path === 'contractors') return;
  const plans = await plansOf(app.connection, () => found('some'));
  expect(plans[0]).toMatchObject({ planSummary: 'IXSCAN { client_id: 1, kind: 1, words: 1 }', docsExamined: 2 });
  await client.call('delete', `${at}/${_id}`);
  expect((await found('some')).map(({ name }) => name)).toEqual(['Something else']);
});

describe('locations', () => {
  const address = {
    postalCode: '69001',
    country: 'France',
    city: 'Lyon',
    route: 'rue de la République',
    streetNumber: '12 bis',
    fullAddress: '12 bis rue de la République, 69001 Lyon',
    zone: 'Nord',
    lat: 45.7676,
    lng: -4.83,
  };

  test('every field that is set is read back, with the location that is invoiced', async () => {
    const head = await location({ name: 'Head office', reference: 'HQ', address });
    const area = await location();
    const body = { name: 'Shop', parent_id: area._id, reference: 'S-1', address, location_facturation_id: head._id };
    expect(await location(body)).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Shop',
      parent_id: area._id,
      reference: 'S-1',
      address,
      location_facturation: { id: head._id, name: 'Head office', reference: 'HQ', address },
      photo: null,
    });
  });

  test.each([
    ['a blank name', { name: '  ' }, 'name'],
    ['no number for lat', { address: { lat: '45' } }, 'address.lat'],
    ['lat out of range', { address: { lat: 90.1 } }, 'address.lat'],
    ['lng out of range', { address: { lng: -180.1 } }, 'address.lng'],
    ['a part too long', { address: { fullAddress: 'x'.repeat(501) } }, 'address.fullAddress'],
    ['an unknown part', { address: { town: 'x' } }, 'address.town'],
    ['a malformed parent', { parent_id: 'abc' }, 'parent_id'],
    ['an unknown parent', { parent_id: newId() }, 'parent_id'],
    ['an unknown invoiced location', { location_facturation_id: newId() }, 'location_facturation_id'],
    ['an id', { _id: newId() }, '_id'],
    ['nothing', {}, ''],
  ])('a change with %s is refused and changes nothing', async (_name, body, path) => {
    const shop = await location();
    const answer = await app.call(caller, `PATCH /locations/${shop._id}`, body);
    expect([answer.status, answer.data.errors]).toEqual([422, [{ path, message: expect.any(String) }]]);
    expect((await app.call(caller, `GET /locations/${shop._id}`)).data.location).toEqual(shop);
  });

  test('faults of several ids are reported at once, and nothing is created', async () => {
    const foreign = await location({}, aCaller());
    const domain = await create('domains', { name: 'x' });
    const before = await stored().countDocuments();
    const body = { name: 'x', parent_id: foreign._id, location_facturation_id: domain._id };
    const answer = await app.call(caller, 'POST /locations', body);
    expect(outcome(answer)).toEqual([422, ['parent_id', 'location_facturation_id']]);
    expect(await stored().countDocuments()).toBe(before);
  });
});

test('a file has 100,000 rows, read by the index of the list, and not one more', async () => {
  const client = app.as();
  const [first, last] = [await create('jobs', { name: 'x' }, client.caller), 'f'.repeat(24)];
  const copied = await stored().findOne({ _id: first._id });
  const copies = Array.from({ length: 99_999 }, () => ({ ...copied, _id: newId() }));
  await stored().insertMany(copies, { ordered: false });
  let rows: string[][] = [];
  const plans = await plansOf(app.connection, async () => {
    rows = rowsOfCsv((await client.download('/api/v3.0/jobs/export')).data, ',');
  });
  expect([rows.length, new Set(rows.map(([, id]) => id)).size]).toEqual([100_001, 100_001]);
  expect(new Set(plans.map(({ planSummary }) => planSummary))).toEqual(
    new Set(['IXSCAN { client_id: 1, kind: 1, _id: 1 }']),
  );
  await stored().insertOne({ ...copied, _id: last });
  expect(outcome(await client.get('/api/v3.0/jobs/export'))).toEqual([422, 'sheet_too_large']);
  expect((await client.get('/api/v3.0/jobs/export?q=nothing')).status).toBe(200);
});

test.each(['ticket', 'contractor', null])('a custom field is for %s', async (target) => {
  const field = await create('custom-fields', { name: { fr: 'a', en: 'b' }, target });
  expect(field).toEqual({ _id: field._id, name: { fr: 'a', en: 'b' }, target });
});

test.each([
  [{ name: 'x' }, ['name']],
  [{ name: { fr: 'a' } }, ['name.en']],
  [{ name: { fr: '', en: 'x'.repeat(201) } }, ['name.fr', 'name.en']],
  [{ name: { fr: 'a', en: 'b', de: 'c' }, target: 'quote' }, ['name.de', 'target']],
])('a custom field %j is refused', async (body, paths) => {
  expect(outcome(await app.call(caller, 'POST /custom-fields', body))).toEqual([422, paths]);
});
