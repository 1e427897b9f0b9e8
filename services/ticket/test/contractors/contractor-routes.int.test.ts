import { contractorLinked, type DomainEvent } from '@app/contracts';
import { newId } from '@app/kernel';
import { aCaller, eventually, recordEvents } from '@app/testing';
import { aCompany, type DirectoryApp, plansOf, startDirectoryApp } from '../companies/directory-app.ts';

let app: DirectoryApp;
let linked: DomainEvent[];
beforeAll(async () => {
  app = await startDirectoryApp();
  linked = await recordEvents(app.broker, [contractorLinked]);
});
afterAll(() => app.stop());

const caller = aCaller();
const paths = (body: { errors: { path: string }[] }) => body.errors.map(({ path }) => path);

async function contractor(body: object = {}, by = caller) {
  const answer = await app.call(by, 'POST /contractors', { name: 'Durand', ...body });
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body as { _id: string; fields: object[] };
}
const patch = (id: string, body: object, by = caller) => app.call(by, `PATCH /contractors/${id}`, body);
const read = async (id: string) => (await app.call(caller, `GET /contractors/${id}`)).body;

async function field(target: string | null = null): Promise<{ _id: string; name: object }> {
  const body = { name: { fr: 'Numéro', en: 'Number' }, target };
  return (await app.call(caller, 'POST /custom-fields', body)).body.custom_field;
}
function knownCompany(given: Parameters<typeof aCompany>[0] = {}) {
  const company = aCompany(given);
  app.identity.companies.set(company.id, company);
  return company;
}

describe('an entry of the directory', () => {
  test('has every field, null without a value', async () => {
    const created = await contractor();
    expect(created).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Durand',
      type: 'external',
      company_id: null,
      siret: null,
      siren: null,
      email: null,
      phone: null,
      fields: [],
    });
    expect(await read(created._id)).toEqual(created);
  });

  test('keeps all that is set, custom fields under their names', async () => {
    const { _id: field_id, name } = await field();
    const body = { type: 'internal', siret: '732 829 320 00074', email: 'a@b.fr', phone: '+33 1' };
    const created = await contractor({ ...body, fields: [{ field_id, value: 'SUP-1' }] });
    const expected = {
      ...body,
      siret: '73282932000074',
      siren: '732829320',
      fields: [{ field_id, name, value: 'SUP-1' }],
    };
    expect(created).toMatchObject(expected);
    const changed = await patch(created._id, { name: 'Other', type: 'external', phone: null });
    expect([changed.status, changed.body]).toEqual([200, { ...created, name: 'Other', type: 'external', phone: null }]);
    expect(await read(created._id)).toEqual(changed.body);
  });

  test('two changes at once do not lose each other', async () => {
    const fields = await Promise.all(Array.from({ length: 8 }, () => field()));
    const { _id } = await contractor();
    const answers = await Promise.all(
      fields.map(({ _id: field_id }, n) => patch(_id, { fields: [{ field_id, value: String(n) }] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const values = (await read(_id)).fields.map(({ value }: { value: string }) => value);
    expect(values.sort()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  });

  test('of another client does not exist', async () => {
    const { _id } = await contractor();
    const other = aCaller();
    expect((await app.call(other, `GET /contractors/${_id}`)).status).toBe(404);
    const { status, body } = await patch(_id, { nonsense: true }, other);
    expect([status, body.code]).toEqual([404, 'contractor_not_found']);
    expect((await app.call(other, 'GET /contractors')).body).toEqual({ contractors: [], cursor: null });
  });
});

describe('its company', () => {
  test('that is not projected yet is read from identity; its SIRET is copied', async () => {
    const company = knownCompany({ siret: '73282932000074', siren: '732829320' });
    expect(await contractor({ company_id: company.id })).toMatchObject({
      company_id: company.id,
      siret: '73282932000074',
      siren: '732829320',
    });
    expect((await app.contractors.forCompany(company.id, caller.companyId))?.name).toBe('Durand');
    expect(await app.contractors.forCompany(company.id, newId())).toBeNull();
  });

  test.each([
    ['unknown', () => newId()],
    ['a client', () => knownCompany({ kind: 'client' }).id],
  ])('that is %s is refused', async (_name, companyId) => {
    const { _id } = await contractor();
    for (const answer of [
      await app.call(caller, 'POST /contractors', { name: 'x', company_id: companyId() }),
      await patch(_id, { company_id: companyId() }),
    ]) {
      expect([answer.status, paths(answer.body)]).toEqual([422, ['company_id']]);
    }
  });

  test('is set once, and published exactly once', async () => {
    const [company, other] = [knownCompany(), knownCompany()];
    const { _id } = await contractor();
    const first = await patch(_id, { company_id: company.id });
    expect([first.status, first.body.company_id]).toEqual([200, company.id]);
    expect((await patch(_id, { company_id: company.id })).body).toEqual(first.body);
    for (const company_id of [other.id, null]) {
      const { status, body } = await patch(_id, { company_id, name: 'Never' });
      expect([status, body.code]).toEqual([409, 'contractor_company_set']);
    }
    expect(await read(_id)).toEqual(first.body);
    const data = { client_id: caller.companyId, contractor_id: _id, company_id: company.id };
    const published = () => linked.filter((event) => event.subject === _id).map((event) => event.data);
    await eventually(() => expect(published()).toEqual([data]));
    await eventually(async () => {
      const stored = await app.connection.collection('contractors').findOne({ _id: _id as never });
      expect(stored?.['outbox']).toEqual([]);
    });
    expect(published()).toEqual([data]);
  });

  test('is in a directory once, under concurrent requests too; another client may have it too', async () => {
    const company_id = knownCompany().id;
    const body = { name: 'x', company_id };
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.call(caller, 'POST /contractors', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const { _id } = await contractor();
    const late = await patch(_id, { company_id });
    expect([late.status, late.body.code]).toEqual([409, 'contractor_exists']);
    await contractor({ company_id }, aCaller());
  });

  test('while identity does not answer: 502, nothing made', async () => {
    const before = await app.connection.collection('contractors').countDocuments();
    const company_id = knownCompany().id;
    app.identity.broken = true;
    const { status, body } = await app.call(caller, 'POST /contractors', { name: 'x', company_id });
    app.identity.broken = false;
    expect([status, body.code]).toEqual([502, 'service_unavailable']);
    expect(await app.connection.collection('contractors').countDocuments()).toBe(before);
  });
});

test('a custom field deleted since is still shown, can be taken away, and given to nobody else', async () => {
  const { _id: field_id, name } = await field('contractor');
  const { _id } = await contractor({ fields: [{ field_id, value: '1' }] });
  await app.call(caller, `DELETE /custom-fields/${field_id}`);
  expect((await read(_id)).fields).toEqual([{ field_id, name, value: '1' }]);
  const other = await app.call(caller, 'POST /contractors', { name: 'x', fields: [{ field_id, value: '1' }] });
  expect(other.status).toBe(422);
  expect((await patch(_id, { fields: [{ field_id, value: null }] })).body.fields).toEqual([]);
});

test('the list pages through 120 by its index, ascending, and tickets find entries by theirs', async () => {
  const owner = aCaller();
  const ids = (await Promise.all(Array.from({ length: 120 }, () => contractor({}, owner)))).map(({ _id }) => _id);
  const seen: string[] = [];
  const plans = await plansOf(app.connection, async () => {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await app.call(owner, `GET /contractors?${cursor ? `cursor=${cursor}` : ''}`);
      seen.push(...body.contractors.map(({ _id }: { _id: string }) => _id));
      cursor = body.cursor;
    }
  });
  expect(seen).toEqual([...ids].sort());
  expect(plans.map(({ planSummary }) => planSummary)).toEqual(Array(3).fill('IXSCAN { client_id: 1, _id: 1 }'));
  expect(plans.every((plan) => !plan.hasSortStage && plan.docsExamined === plan.nreturned)).toBe(true);

  const lookups = await plansOf(app.connection, async () => {
    await app.contractors.forCompany(newId(), owner.companyId);
    expect([...(await app.contractors.byIds(owner.companyId, seen.slice(0, 3))).keys()].sort()).toEqual(
      seen.slice(0, 3),
    );
    expect((await app.contractors.byIds(newId(), ids)).size).toBe(0);
  });
  expect(lookups).toHaveLength(3);
  expect(lookups[0]?.planSummary).toBe('IXSCAN { client_id: 1, company_id: 1 }');
  expect(lookups.every((plan) => plan.planSummary?.startsWith('IXSCAN') && !plan.hasSortStage)).toBe(true);
});
