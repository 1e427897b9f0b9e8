import { type Client, outcome, usePlatform } from '../platform.ts';
import { apply, faultsOf, imported, preview, rowsOf } from './importing.ts';

const platform = usePlatform();

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

  test('a file has at most 2,000 of them', async () => {
    const { status, data } = await preview(platform.as(), 'ticket_fields', `number,Note\n${'T-1,x\n'.repeat(2_001)}`);
    expect([status, data.errors]).toEqual([422, [{ path: 'csv', message: 'csv has more than 2000 rows' }]]);
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
