import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { type DirectoryApp, startDirectoryApp } from '../companies/directory-app.ts';

let app: DirectoryApp;
beforeAll(async () => {
  app = await startDirectoryApp();
});
afterAll(() => app.stop());

const caller = aCaller();
const paths = (body: { errors: { path: string }[] }) => body.errors.map(({ path }) => path);
const contractor = async (): Promise<{ _id: string }> =>
  (await app.call(caller, 'POST /contractors', { name: 'Durand' })).body;
const patch = (id: string, body: object) => app.call(caller, `PATCH /contractors/${id}`, body);

async function field(target: string | null = null): Promise<{ _id: string }> {
  const body = { name: { fr: 'Numéro', en: 'Number' }, target };
  return (await app.call(caller, 'POST /custom-fields', body)).body.custom_field;
}

describe('bad input', () => {
  const nobody = newId();
  test.each<[string, object, string[]]>([
    ['no name', {}, ['name']],
    ['a mistyped name', { name: 12 }, ['name']],
    ['a name too long', { name: 'x'.repeat(201) }, ['name']],
    ['an operator', { name: { $gt: '' }, company_id: { $ne: null } }, ['name', 'company_id']],
    ['an unknown field', { name: 'x', siren: '732829320' }, ['siren']],
    ['an unknown type', { name: 'x', type: 'both' }, ['type']],
    ['a SIRET that is none', { name: 'x', siret: '73282932000075' }, ['siret']],
    ['a SIRET that is a number', { name: 'x', siret: 73282932000074 }, ['siret']],
    ['no e-mail address', { name: 'x', email: 'nobody' }, ['email']],
    ['a malformed company', { name: 'x', company_id: 'abc' }, ['company_id']],
    ['an unknown custom field', { name: 'x', fields: [{ field_id: nobody, value: 'x' }] }, ['fields.0.field_id']],
    ['a value that is a number', { name: 'x', fields: [{ field_id: nobody, value: 1 }] }, ['fields.0.value']],
    ['a value too long', { name: 'x', fields: [{ field_id: nobody, value: 'x'.repeat(10_001) }] }, ['fields.0.value']],
    ['a field twice', { name: 'x', fields: Array(2).fill({ field_id: nobody, value: '' }) }, ['fields.1']],
    ['several faults', { type: 1, siret: 'x', email: 2 }, ['name', 'type', 'siret', 'email']],
  ])('%s is refused and makes nothing', async (_name, body, expected) => {
    const before = await app.connection.collection('contractors').countDocuments();
    const answer = await app.call(caller, 'POST /contractors', body);
    expect([answer.status, answer.body.message, paths(answer.body)]).toEqual([422, 'Validation error', expected]);
    expect(await app.connection.collection('contractors').countDocuments()).toBe(before);
  });

  test('a change of nothing, of ids, or with a field for tickets is refused', async () => {
    const { _id } = await contractor();
    const forTickets = await field('ticket');
    for (const [body, expected] of [
      [{}, ''],
      [{ _id: newId() }, '_id'],
      [{ client_id: newId() }, 'client_id'],
      [{ fields: [{ field_id: forTickets._id, value: 'x' }] }, 'fields.0.field_id'],
    ] as const) {
      const answer = await patch(_id, body);
      expect([answer.status, paths(answer.body)]).toEqual([422, [expected]]);
    }
  });

  test("another client's custom field is refused", async () => {
    const other = aCaller();
    const body = { name: 'x', fields: [{ field_id: (await field())._id, value: 'x' }] };
    expect(paths((await app.call(other, 'POST /contractors', body)).body)).toEqual(['fields.0.field_id']);
  });

  test.each(['limit=0', 'limit=201', 'limit=1.5', 'cursor=zz', 'name[$ne]=x', 'cursor[$gt]=', 'limit=1&limit=2'])(
    'the list refuses ?%s',
    async (query) => {
      expect((await app.call(caller, `GET /contractors?${query}`)).status).toBe(422);
    },
  );

  test('a malformed id is 400 invalid_id', async () => {
    const { status, body } = await app.call(caller, 'GET /contractors/abc');
    expect([status, body.code]).toEqual([400, 'invalid_id']);
  });

  test('contractors have no directory', async () => {
    const id = newId();
    for (const line of [
      'GET /contractors',
      'POST /contractors',
      `GET /contractors/${id}`,
      `PATCH /contractors/${id}`,
    ]) {
      const { status, body } = await app.call(aCaller({ companyKind: 'contractor' }), line);
      expect([line, status, body.code]).toEqual([line, 403, 'clients_only']);
    }
  });
});
