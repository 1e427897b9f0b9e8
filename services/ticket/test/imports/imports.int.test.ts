import { eventually } from '@app/testing';
import { type Client, outcome, usePlatform } from '../platform.ts';
import { apply, faultsOf, imported, preview, type Row, rowsOf } from './importing.ts';

const platform = usePlatform();

const listed = async (client: Client, path: string) => (await client.get(`/api/v3.0/${path}?limit=200`)).data[path];
const location = async (client: Client, body: object) => (await client.post('/api/v3.0/locations', body)).data.location;
const verdictsOf = (rows: Row[]) => rows.map(({ name, verdict }) => [name, verdict]);

test('a preview says what each row would change and writes nothing; then the file is imported as it said', async () => {
  const client = platform.as();
  const lyon = await location(client, { name: 'Lyon', reference: 'LYO', address: { city: 'Lyon', zone: 'Sud' } });
  await location(client, { name: 'Lille', reference: 'LIL' });
  // As Excel writes it in France.
  const csv = [
    '\uFEFFreference;name;parent;city;lat',
    'LYO;Lyon Part-Dieu;;Lyon;"45,76"',
    'LIL;Lille;;;',
    'LYO-2;"Quai ""Sud""\r\nniveau 1";LYO;;',
    ';Porte 4;LYO-2;;',
    '',
  ].join('\r\n');
  const before = await listed(client, 'locations');
  const rows = await rowsOf(client, 'locations', csv);
  expect(rows).toEqual([
    {
      line: 2,
      name: 'Lyon Part-Dieu',
      verdict: 'changed',
      changes: [
        { column: 'name', before: 'Lyon', after: 'Lyon Part-Dieu' },
        { column: 'lat', before: null, after: '45.76' },
      ],
      faults: [],
    },
    { line: 3, name: 'Lille', verdict: 'unchanged', changes: [], faults: [] },
    expect.objectContaining({ line: 4, name: 'Quai "Sud"\nniveau 1', verdict: 'created' }),
    {
      line: 6,
      name: 'Porte 4',
      verdict: 'created',
      changes: [
        { column: 'name', before: null, after: 'Porte 4' },
        { column: 'parent', before: null, after: 'Quai "Sud"\nniveau 1' },
      ],
      faults: [],
    },
  ]);
  expect(await listed(client, 'locations')).toEqual(before);
  expect(await imported(client, 'locations', csv)).toEqual({ created: 2, changed: 1, unchanged: 1, faulty: 0 });
  const after = await listed(client, 'locations');
  const quay = after.find(({ reference }: { reference: string }) => reference === 'LYO-2');
  expect(after).toMatchObject([
    { _id: lyon._id, name: 'Lyon Part-Dieu', parent_id: null, address: { city: 'Lyon', zone: 'Sud', lat: 45.76 } },
    { name: 'Lille', address: null },
    { parent_id: lyon._id, address: null },
    { name: 'Porte 4', parent_id: quay._id },
  ]);
  // Repeated, it changes nothing.
  expect(await imported(client, 'locations', csv)).toEqual({ created: 0, changed: 0, unchanged: 4, faulty: 0 });
});

test('places that are imported have the events of single changes, with the name of the place that is invoiced', async () => {
  const client = platform.as();
  const shop = await location(client, { name: 'Shop' });
  await imported(client, 'locations', 'name,location_facturation\nHead office,\nShop,Head office\nDepot,Shop');
  const snapshot = (name: string) => ({
    data: { location: expect.objectContaining({ name, client_id: client.caller.companyId }) },
  });
  await eventually(async () =>
    expect(platform.snapshotEvents).toEqual(
      expect.arrayContaining([
        expect.objectContaining(snapshot('Head office')),
        expect.objectContaining(snapshot('Depot')),
        expect.objectContaining({
          data: { location: expect.objectContaining({ id: shop._id, version: 2, facturation_name: 'Head office' }) },
        }),
      ]),
    ),
  );
});

test.each<[string, string, [number, string, RegExp][]]>([
  ['an unknown _id', '_id,name\nffffffffffffffffffffffff,A', [[2, '_id', /^is no location of yours$/]]],
  ['a blank name', 'name,city\n,Lyon', [[2, 'name', /^must not be empty$/]]],
  ['no name', 'reference\nNEW', [[2, 'name', /^is required$/]]],
  ['a name that several have', 'name\nTwin', [[2, 'name', /^fits several: give the _id$/]]],
  ['the same twice', 'name\nA\nA', [[3, 'name', /^is the same as in line 2$/]]],
  ['an unknown parent', 'name,parent\nA,Nowhere', [[2, 'parent', /^is neither on your list nor in a line above$/]]],
  ['a parent below', 'name,parent\nA,B\nB,', [[2, 'parent', /^is neither on your list nor in a line above$/]]],
  [
    'a latitude out of range, and one that is none',
    'name,lat\nA,91\nB,x',
    [
      [2, 'lat', /^must be less/],
      [3, 'lat', /^must be a number$/],
    ],
  ],
  ['a circle', 'reference,parent\nTOP,BELOW', [[2, 'parent', /^would put this location under itself$/]]],
  [
    'itself as invoiced',
    'reference,location_facturation\nTOP,TOP',
    [[2, 'location_facturation', /^names the location itself$/]],
  ],
])('a row with %s has a fault at its cell, and the file is not imported', async (_what, csv, expected) => {
  const client = platform.as();
  const top = await location(client, { name: 'Top', reference: 'TOP' });
  await location(client, { name: 'Below', reference: 'BELOW', parent_id: top._id });
  for (const name of ['Twin', 'Twin']) await location(client, { name });
  const { data } = await preview(client, 'locations', csv);
  expect(faultsOf(data.rows)).toEqual(
    expected.map(([line, column, message]) => [line, column, expect.stringMatching(message)]),
  );
  expect([data.preview, data.counts.faulty]).toEqual([null, expected.length]);
  const before = await listed(client, 'locations');
  expect(outcome(await apply(client, 'locations', csv, 'a'.repeat(64)))).toEqual([409, 'import_outdated']);
  expect(await listed(client, 'locations')).toEqual(before);
});

test('a tree that a file makes is at most 20 levels deep, with what is below already', async () => {
  const client = platform.as();
  const chain = Array.from({ length: 20 }, (_, level) => `L${level},${level === 0 ? '' : `L${level - 1}`}`);
  await imported(client, 'equipments', ['name,parent', ...chain].join('\n'));
  expect(faultsOf(await rowsOf(client, 'equipments', 'name,parent\nX,L19'))).toEqual([
    [2, 'parent', 'is more than 20 levels deep'],
  ]);
  await client.post('/api/v3.0/equipments', { name: 'Roof' });
  const { _id } = (await listed(client, 'equipments')).find(({ name }: { name: string }) => name === 'L0');
  expect(faultsOf(await rowsOf(client, 'equipments', `_id,parent\n${_id},Roof`))).toHaveLength(1);
});

test('equipment gets its place and what is known of it; a place of another client is unknown', async () => {
  const [client, other] = [platform.as(), platform.as()];
  const lyon = await location(client, { name: 'Lyon', reference: 'LYO' });
  await location(client, { name: 'Lille' });
  await location(other, { name: 'Theirs' });
  const csv = 'name;location;make;warranty_until\nBoiler;LYO;Viessmann;2030-01-31\nBoiler;Lille;;';
  expect(await imported(client, 'equipments', csv)).toMatchObject({ created: 2 });
  expect(await listed(client, 'equipments')).toMatchObject([
    { name: 'Boiler', location_id: lyon._id, make: 'Viessmann', warranty_until: '2030-01-31', serial_number: null },
    { name: 'Boiler', make: null },
  ]);
  const again = 'name,location,make,warranty_until\nBoiler,LYO,De Dietrich,soon\nFan,Theirs,,';
  const rows = await rowsOf(client, 'equipments', again);
  expect(faultsOf(rows)).toEqual([
    [2, 'warranty_until', expect.any(String)],
    [3, 'location', 'is no location of yours'],
  ]);
  const changed = await rowsOf(client, 'equipments', again.replace('soon', '2031-01-31').replace('Theirs', ''));
  expect(changed.map(({ verdict, changes }) => [verdict, changes.map(({ column }) => column)])).toEqual([
    ['changed', ['make', 'warranty_until']],
    ['created', ['name']],
  ]);
});

describe('a downloaded file', () => {
  const file = async (client: Client, path: string) => String((await client.download(`/api/v3.0/${path}`)).data);

  test('changes nothing; once corrected, it changes those rows alone', async () => {
    const client = platform.as();
    const names = ['=1+1', '-12', '+33', '@home', "'=x", "'plain", '-', ' Wide ', 'Quai; "Sud", 1', 'Hall\nniveau 1'];
    const [top] = await Promise.all(names.map((name) => location(client, { name, reference: name })));
    const old = await location(client, { name: 'Old head office' });
    const address = { city: 'Lyon', zone: '', lat: -45.7676, lng: 4.83 };
    const links = { parent_id: top._id, location_facturation_id: old._id };
    await location(client, { name: 'Lyon', reference: '', address, ...links });
    const equipment = { location_id: old._id, serial_number: '-7', make: "'+'", warranty_until: '2030-01-31' };
    const parent = (await client.post('/api/v3.0/equipments', { name: 'Roof' })).data.equipment;
    await client.post('/api/v3.0/equipments', { name: 'Fan', ...equipment, parent_id: parent._id });
    // What names it keeps it.
    await client.call('delete', `/api/v3.0/locations/${old._id}`);
    for (const language of ['fr', 'en']) {
      for (const [kind, count] of [
        ['locations', 11],
        ['equipments', 2],
      ] as const) {
        const csv = await file(client, `${kind}/export?language=${language}`);
        expect((await preview(client, kind, csv)).data).toMatchObject({
          counts: { unchanged: count, created: 0, faulty: 0 },
        });
      }
    }
    const places = (await file(client, 'locations/export?language=fr')).replace(';Lyon;', ';Lyon Part-Dieu;');
    const changed = (rows: Row[]) => rows.flatMap(({ name, changes }) => (changes.length > 0 ? [[name, changes]] : []));
    expect(changed(await rowsOf(client, 'locations', places))).toEqual([
      ['Lyon Part-Dieu', [{ column: 'name', before: 'Lyon', after: 'Lyon Part-Dieu' }]],
    ]);
    const things = (await file(client, 'equipments/export?language=en')).replace("'-7", "'-8");
    expect(changed(await rowsOf(client, 'equipments', things))).toEqual([
      ['Fan', [{ column: 'serial_number', before: '-7', after: '-8' }]],
    ]);
    const before = await listed(client, 'locations');
    expect(await imported(client, 'locations', places)).toMatchObject({ changed: 1, unchanged: 10 });
    expect(await imported(client, 'equipments', things)).toMatchObject({ changed: 1, unchanged: 1 });
    const lyon = { name: 'Lyon Part-Dieu', reference: null, address: { city: 'Lyon', zone: null, lat: -45.7676 } };
    expect(await listed(client, 'locations')).toMatchObject(
      before.map((one: { name: string }) => (one.name === 'Lyon' ? { ...lyon, parent_id: top._id } : one)),
    );
    expect((await listed(client, 'equipments'))[1]).toMatchObject({ ...equipment, serial_number: '-8' });
  });

  test('names a deleted place for what had it already, and for nothing else', async () => {
    const client = platform.as();
    const { _id } = await location(client, { name: 'Gone' });
    await client.post('/api/v3.0/equipments', { name: 'Fan' });
    const csv = (await file(client, 'equipments/export')).replace('Fan,,', `Fan,,${_id}`);
    await client.call('delete', `/api/v3.0/locations/${_id}`);
    expect(faultsOf(await rowsOf(client, 'equipments', csv))).toEqual([[2, 'location', 'is no location of yours']]);
  });
});

test('equipment of the same name is told apart by what it is part of', async () => {
  const client = platform.as();
  const csv = 'name,parent\nHall,\nRoof,\nBoiler,Hall\nBoiler,Roof';
  await imported(client, 'equipments', csv);
  expect(await imported(client, 'equipments', csv)).toMatchObject({ created: 0, unchanged: 4 });
});

test.each<[string, string, RegExp]>([
  ['no rows', 'name', /no rows/],
  ['an unknown column', 'name,town\nA,B', /column “town”; it may have _id, name/],
  ['a column twice', 'name,name\nA,B', /“name” twice/],
  ['a row that is too long', 'name,city\nA', /line 2 has not as many cells/],
  ['an open quotation mark', 'name\n"A', /not closed/],
  ['too many rows', `name\n${'A\n'.repeat(5_001)}`, /more than 5000 rows/],
  ['a cell of a million characters', `name\n${'x'.repeat(990_000)}`, /more than 100000 characters/],
])('a file with %s is refused as a whole, in a short answer', async (_what, csv, message) => {
  const answer = await preview(platform.as(), 'locations', csv);
  expect([answer.status, answer.data.errors]).toEqual([
    422,
    [{ path: 'csv', message: expect.stringMatching(message) }],
  ]);
  expect(JSON.stringify(answer.data).length).toBeLessThan(1_000);
});

test('a cell that is too long for its field is not repeated in the answer, and of many faulty rows a hundred are looked at', async () => {
  const client = platform.as();
  const long = await preview(client, 'locations', `name\n${'x'.repeat(90_000)}`);
  expect(faultsOf(long.data.rows)).toEqual([[2, 'name', expect.stringMatching(/less than or equal to 200/)]]);
  expect(JSON.stringify(long.data).length).toBeLessThan(1_000);
  const { data } = await preview(client, 'equipments', `name,parent\n${' ,Hall\n'.repeat(150)}`);
  expect([data.rows.length, data.unread, data.preview]).toEqual([100, 50, null]);
});

test('names and ids of other clients are unknown, and contractors have no lists', async () => {
  const [client, other] = [platform.as(), platform.as()];
  const theirs = await location(other, { name: 'Theirs', reference: 'THEIRS' });
  const csv = `name,reference,parent\nMine,THEIRS,\nBelow,,${theirs._id}\nBeside,,Theirs`;
  const rows = await rowsOf(client, 'locations', csv);
  expect(verdictsOf(rows)).toEqual([
    ['Mine', 'created'],
    ['Below', 'faulty'],
    ['Beside', 'faulty'],
  ]);
  await imported(client, 'locations', 'name,reference\nMine,THEIRS');
  expect(await listed(other, 'locations')).toEqual([theirs]);
  const contractor = platform.as({ companyKind: 'contractor' });
  expect(outcome(await preview(contractor, 'locations', csv))).toEqual([403, 'clients_only']);
});

describe('what happens meanwhile', () => {
  test('a change after the preview: the file is refused as a whole', async () => {
    const client = platform.as();
    const { _id } = await location(client, { name: 'A', reference: 'A' });
    const csv = 'reference,name\nA,B\nNEW,New';
    const { data } = await preview(client, 'locations', csv);
    await client.patch(`/api/v3.0/locations/${_id}`, { name: 'C' });
    expect(outcome(await apply(client, 'locations', csv, data.preview))).toEqual([409, 'import_outdated']);
    expect(await listed(client, 'locations')).toMatchObject([{ name: 'C' }]);
  });

  test('a change during the import: either it comes first and nothing is imported, or all is, and it comes after', async () => {
    for (let round = 0; round < 5; round++) {
      const client = platform.as();
      const { _id } = await location(client, { name: 'A', reference: 'A' });
      const csv = 'reference,name\nNEW,New\nA,B';
      const { data } = await preview(client, 'locations', csv);
      const [written, changed] = await Promise.all([
        apply(client, 'locations', csv, data.preview),
        client.patch(`/api/v3.0/locations/${_id}`, { name: 'C' }),
      ]);
      expect(changed.status).toBe(200);
      const names = (await listed(client, 'locations')).map(({ name }: { name: string }) => name);
      expect([200, 409]).toContain(written.status);
      expect(names).toEqual(written.status === 200 ? ['C', 'New'] : ['C']);
    }
  });

  test('the same file by two at once makes each new entry once', async () => {
    const client = platform.as();
    const csv = `name\n${Array.from({ length: 50 }, (_, index) => `Site ${index}`).join('\n')}`;
    const { data } = await preview(client, 'locations', csv);
    const both = await Promise.all([1, 2].map(() => apply(client, 'locations', csv, data.preview)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await listed(client, 'locations')).toHaveLength(50);
  });

  test('the parent of a new entry is deleted: one of the two is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const client = platform.as();
      const { _id } = await location(client, { name: 'A' });
      const csv = 'name,parent\nB,A';
      const { data } = await preview(client, 'locations', csv);
      const [written, deleted] = await Promise.all([
        apply(client, 'locations', csv, data.preview),
        client.call('delete', `/api/v3.0/locations/${_id}`),
      ]);
      expect([
        [200, 409],
        [409, 204],
      ]).toContainEqual([written.status, deleted.status]);
    }
  });
});
