import { eventually } from '@app/testing';
import { type Client, outcome, usePlatform } from '../platform.ts';

const platform = usePlatform();

type Kind = 'locations' | 'equipments' | 'contractor_fields' | 'ticket_fields';
type Row = {
  line: number;
  name: string;
  verdict: string;
  changes: { column: string; before: string | null; after: string | null }[];
  faults: { column: string; message: string }[];
};

const preview = (client: Client, kind: Kind, csv: string) => client.post('/imports/preview', { kind, csv });
const apply = (client: Client, kind: Kind, csv: string, seen: string) =>
  client.post('/imports', { kind, csv, preview: seen });

async function rowsOf(client: Client, kind: Kind, csv: string): Promise<Row[]> {
  const { status, data } = await preview(client, kind, csv);
  expect([status, data]).toEqual([200, expect.anything()]);
  return data.rows;
}

/** Previews and applies. @returns the counts */
async function imported(client: Client, kind: Kind, csv: string): Promise<object> {
  const { data: seen } = await preview(client, kind, csv);
  const { status, data } = await apply(client, kind, csv, seen.preview);
  expect([status, data, seen.rows]).toEqual([200, seen.counts, expect.anything()]);
  return data;
}

const listed = async (client: Client, path: string) => (await client.get(`/api/v3.0/${path}?limit=200`)).data[path];
const location = async (client: Client, body: object) => (await client.post('/api/v3.0/locations', body)).data.location;
const verdictsOf = (rows: Row[]) => rows.map(({ name, verdict }) => [name, verdict]);
const faultsOf = (rows: Row[]) =>
  rows.flatMap(({ line, faults }) => faults.map((fault) => [line, fault.column, fault.message]));

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

describe('values of the custom fields of contractors', () => {
  const field = async (client: Client, name: object, target: string | null = null) =>
    (await client.post('/api/v3.0/custom-fields', { name, target })).data.custom_field._id;
  const contractor = async (client: Client, body: object) => (await client.post('/api/v3.0/contractors', body)).data;

  test('are set, changed and removed by the name of the field and the SIRET, name or id of the contractor', async () => {
    const client = platform.as();
    const number = await field(client, { fr: 'N° fournisseur', en: 'Supplier number' });
    const note = await field(client, { fr: 'Note', en: 'Note' }, 'contractor');
    const values = (value: string) => [{ field_id: number, value }];
    const durand = await contractor(client, { name: 'Durand', siret: '90200002500012', fields: values('S-1') });
    const lumen = await contractor(client, { name: 'Lumen', fields: values('S-2') });
    const azur = await contractor(client, { name: 'Azur' });
    const csv = [
      '_id;siret;name;N° fournisseur;Note',
      ';902 000 025 00012;;S-9;Fast',
      ';;Lumen;;',
      `${azur._id};;;;`,
    ].join('\n');
    expect((await rowsOf(client, 'contractor_fields', csv)).map(({ name, changes }) => [name, changes])).toEqual([
      [
        'Durand',
        [
          { column: 'N° fournisseur', before: 'S-1', after: 'S-9' },
          { column: 'Note', before: null, after: 'Fast' },
        ],
      ],
      ['Lumen', [{ column: 'N° fournisseur', before: 'S-2', after: null }]],
      ['Azur', []],
    ]);
    expect(await imported(client, 'contractor_fields', csv)).toMatchObject({ changed: 2, unchanged: 1 });
    const fieldsOf = async ({ _id }: { _id: string }) =>
      (await client.get(`/api/v3.0/contractors/${_id}`)).data.fields.map((one: { field_id: string; value: string }) => [
        one.field_id,
        one.value,
      ]);
    expect(await fieldsOf(durand)).toEqual([
      [number, 'S-9'],
      [note, 'Fast'],
    ]);
    expect(await fieldsOf(lumen)).toEqual([]);
    expect(await imported(client, 'contractor_fields', csv)).toMatchObject({ changed: 0, unchanged: 3 });
  });

  test.each([
    ['a field of tickets alone', 'name,Floor\nDurand,1', /“Floor”, which is no custom field for contractors/],
    ['a name of several fields', 'name,Twin\nDurand,1', /“Twin”, which fits several/],
    ['one field in two columns', 'name,Note,Remarque\nDurand,1,2', /“Remarque”, whose field has another column/],
    ['no field', 'name\nDurand', /no column that is a custom field/],
  ])('%s: the file is refused', async (_what, csv, message) => {
    const client = platform.as();
    await field(client, { fr: 'Étage', en: 'Floor' }, 'ticket');
    for (const fr of ['a', 'b']) await field(client, { fr, en: 'Twin' });
    await field(client, { fr: 'Remarque', en: 'Note' });
    const { status, data } = await preview(client, 'contractor_fields', csv);
    expect([status, data.errors]).toEqual([422, [{ path: 'csv', message: expect.stringMatching(message) }]]);
  });

  test('rows of nobody, of several and of the same contractor have faults', async () => {
    const [client, other] = [platform.as(), platform.as()];
    await field(client, { fr: 'Note', en: 'Note' });
    for (const name of ['Twin', 'Twin', 'Durand']) await contractor(client, { name });
    await contractor(other, { name: 'Theirs' });
    const csv = 'name,Note\nTheirs,1\nTwin,1\nDurand,1\nDurand,2\n,3';
    expect(faultsOf(await rowsOf(client, 'contractor_fields', csv))).toEqual([
      [2, 'name', 'is no contractor of yours'],
      [3, 'name', 'fits several: give the _id'],
      [5, 'name', 'is the same as in line 4'],
      [6, '_id', 'is no contractor of yours'],
    ]);
  });

  test('a change meanwhile is a conflict', async () => {
    const client = platform.as();
    await field(client, { fr: 'Note', en: 'Note' });
    const { _id } = await contractor(client, { name: 'Durand' });
    const csv = 'name,Note\nDurand,1';
    const { data } = await preview(client, 'contractor_fields', csv);
    await client.patch(`/api/v3.0/contractors/${_id}`, { phone: '1' });
    expect(outcome(await apply(client, 'contractor_fields', csv, data.preview))).toEqual([409, 'import_outdated']);
  });
});

describe('values of the custom fields of tickets', () => {
  const tickets = '/api/v3.0/tickets';
  const field = async (client: Client, name: string, target: string | null = 'ticket') =>
    (await client.post('/api/v3.0/custom-fields', { name: { fr: name, en: name }, target })).data.custom_field._id;
  const ticket = async (client: Client, body: object = {}) => {
    const { ticket_id: id } = (await client.post(tickets, { title: 'Leak', ...body })).data;
    return (await client.get(`${tickets}/${id}`)).data as { id: string; number: string };
  };
  const valuesOf = async (client: Client, { id }: { id: string }) =>
    (await client.get(`${tickets}/${id}`)).data.fields.map((one: { field_id: string; value: string }) => [
      one.field_id,
      one.value,
    ]);

  test('are set, changed and removed by the number or id of the ticket, as a person edits it', async () => {
    const client = platform.as();
    const [order, floor] = [await field(client, 'Commande'), await field(client, 'Étage', null)];
    const first = await ticket(client, { fields: [{ field_id: order, value: 'PO-1' }] });
    const [second, third] = [await ticket(client), await ticket(client)];
    const csv = `number;_id;Commande;Étage\n${first.number};;PO-2;\n;${second.id};;3\n${third.number};;;`;
    expect((await rowsOf(client, 'ticket_fields', csv)).map(({ name, changes }) => [name, changes])).toEqual([
      [`${first.number} Leak`, [{ column: 'Commande', before: 'PO-1', after: 'PO-2' }]],
      [`${second.number} Leak`, [{ column: 'Étage', before: null, after: '3' }]],
      [`${third.number} Leak`, []],
    ]);
    expect(await valuesOf(client, first)).toEqual([[order, 'PO-1']]);
    // Another change of a ticket does not outdate what was seen.
    const { data: seen } = await preview(client, 'ticket_fields', csv);
    await client.patch(`${tickets}/${first.id}`, { priority: 'high' });
    expect((await apply(client, 'ticket_fields', csv, seen.preview)).data).toMatchObject({ changed: 2, unchanged: 1 });
    expect(await valuesOf(client, first)).toEqual([[order, 'PO-2']]);
    expect(await valuesOf(client, second)).toEqual([[floor, '3']]);
    const history = (await client.get(`${tickets}/${first.id}/history?limit=200`)).data.items;
    const edits = history.filter(({ operation }: { operation: string }) => operation === 'edit');
    expect(edits.at(-1)).toMatchObject({ text: 'fields', by: { _id: client.caller.userId } });
    expect(await imported(client, 'ticket_fields', `number,Commande\n${first.number},`)).toMatchObject({ changed: 1 });
    expect(await valuesOf(client, first)).toEqual([]);
  });

  test('all of a file or nothing: one row with a fault, or one value changed meanwhile', async () => {
    const [client, other] = [platform.as(), platform.as()];
    const note = await field(client, 'Note');
    const [mine, removed, theirs] = [await ticket(client), await ticket(client), await ticket(other)];
    await platform.connection
      .collection<{ _id: string }>('tickets')
      .updateOne({ _id: removed.id }, { $set: { 'views.0.status': 'removed', status: 'removed' } });
    const csv = `_id,Note\n${mine.id},1\n${mine.id},2\n${theirs.id},3\n${removed.id},4`;
    expect(faultsOf(await rowsOf(client, 'ticket_fields', csv))).toEqual([
      [3, '_id', 'is the same as in line 2'],
      [4, '_id', 'is no ticket of yours'],
      [5, '_id', expect.stringMatching(/removed/)],
    ]);
    const good = `_id,Note\n${mine.id},1`;
    const { data } = await preview(client, 'ticket_fields', good);
    await client.patch(`${tickets}/${mine.id}`, { fields: [{ field_id: note, value: 'theirs' }] });
    expect(outcome(await apply(client, 'ticket_fields', good, data.preview))).toEqual([409, 'import_outdated']);
    expect(await valuesOf(client, mine)).toEqual([[note, 'theirs']]);
  });

  test('two tickets of one number are told apart by their ids', async () => {
    const client = platform.as();
    await field(client, 'Note');
    const [one, other] = [await ticket(client), await ticket(client)];
    const all = platform.connection.collection<{ _id: string }>('tickets');
    await all.updateOne({ _id: other.id }, { $set: { number: one.number } });
    expect(faultsOf(await rowsOf(client, 'ticket_fields', `number,Note\n${one.number},1`))).toEqual([
      [2, 'number', 'fits several: give the _id'],
    ]);
    expect(await imported(client, 'ticket_fields', `_id,Note\n${other.id},1`)).toMatchObject({ changed: 1 });
    expect([await valuesOf(client, one), (await valuesOf(client, other)).length]).toEqual([[], 1]);
  });

  test('a change of a ticket during the import: either it comes first and nothing is imported, or it comes after', async () => {
    for (let round = 0; round < 5; round++) {
      const client = platform.as();
      const note = await field(client, 'Note');
      const [one, other] = [await ticket(client), await ticket(client)];
      const csv = `_id,Note\n${one.id},file\n${other.id},file`;
      const { data } = await preview(client, 'ticket_fields', csv);
      const [written, changed] = await Promise.all([
        apply(client, 'ticket_fields', csv, data.preview),
        client.patch(`${tickets}/${other.id}`, { fields: [{ field_id: note, value: 'person' }] }),
      ]);
      expect(changed.status).toBe(200);
      expect([200, 409]).toContain(written.status);
      const values = [await valuesOf(client, one), await valuesOf(client, other)];
      expect(values).toEqual([written.status === 200 ? [[note, 'file']] : [], [[note, 'person']]]);
    }
  });
});
