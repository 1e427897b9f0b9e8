import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { type DirectoryApp, plansOf, startDirectoryApp } from '../companies/directory-app.ts';

let app: DirectoryApp;
beforeAll(async () => {
  app = await startDirectoryApp();
});
afterAll(() => app.stop());

const caller = aCaller();
const kinds = [
  { path: 'locations', one: 'location', name: 'Site' as unknown },
  { path: 'equipments', one: 'equipment', name: 'Boiler' as unknown },
  { path: 'jobs', one: 'job', name: 'Plumber' as unknown },
  { path: 'domains', one: 'domain', name: 'Heating' as unknown },
  { path: 'custom-fields', one: 'custom_field', name: { fr: 'Numéro', en: 'Number' } as unknown },
];
const many = (one: string) => `${one}s`;

async function create(path: string, body: object, by = caller) {
  const answer = await app.call(by, `POST /${path}`, body);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return Object.values(answer.body)[0] as { _id: string };
}

describe.each(kinds)('$path', ({ path, one, name }) => {
  test('are created, read, changed and deleted', async () => {
    const created = await create(path, { name });
    expect((await app.call(caller, `GET /${path}/${created._id}`)).body).toEqual({ [one]: created });

    const renamed = typeof name === 'string' ? 'Renamed' : { fr: 'a', en: 'b' };
    const changed = await app.call(caller, `PATCH /${path}/${created._id}`, { name: renamed });
    expect([changed.status, changed.body]).toEqual([200, { [one]: { ...created, name: renamed } }]);

    const gone = await app.call(caller, `DELETE /${path}/${created._id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const line of [`GET /${path}/${created._id}`, `DELETE /${path}/${created._id}`]) {
      const { status, body } = await app.call(caller, line);
      expect([status, body.code]).toEqual([404, `${one}_not_found`]);
    }
    const list = await app.call(caller, `GET /${path}`);
    expect(list.body[many(one)].map(({ _id }: { _id: string }) => _id)).not.toContain(created._id);
  });

  test("are their client's alone", async () => {
    const created = await create(path, { name });
    const other = aCaller();
    for (const line of [`GET /${path}/${created._id}`, `DELETE /${path}/${created._id}`]) {
      expect((await app.call(other, line)).status).toBe(404);
    }
    expect((await app.call(other, `PATCH /${path}/${created._id}`, { name })).status).toBe(404);
    expect((await app.call(other, `GET /${path}`)).body).toEqual({ [many(one)]: [], cursor: null });
    expect((await app.call(caller, `GET /${path}/${created._id}`)).status).toBe(200);
  });

  test('are not for contractors', async () => {
    const contractor = aCaller({ companyKind: 'contractor' });
    const id = newId();
    for (const line of [
      `GET /${path}`,
      `POST /${path}`,
      `GET /${path}/${id}`,
      `PATCH /${path}/${id}`,
      `DELETE /${path}/${id}`,
    ]) {
      const { status, body } = await app.call(contractor, line);
      expect([line, status, body.code]).toEqual([line, 403, 'clients_only']);
    }
  });

  test('a malformed id is 400, a wrong kind of id 404', async () => {
    expect((await app.call(caller, `GET /${path}/not-an-id`)).body.code).toBe('invalid_id');
    const elsewhere = await create(path === 'jobs' ? 'domains' : 'jobs', { name: 'x' });
    expect((await app.call(caller, `GET /${path}/${elsewhere._id}`)).status).toBe(404);
  });

  test.each([
    ['no name', {}, 'name'],
    ['a mistyped name', { name: 12 }, 'name'],
    ['an operator for a name', { name: { $gt: '' } }, one === 'custom_field' ? 'name.$gt' : 'name'],
    ['an unknown field', { name, nmae: 'x' }, 'nmae'],
    ['an id', { name, _id: newId() }, '_id'],
  ])('refuse %s and create nothing', async (_name, body, path_) => {
    const before = await app.connection.collection('referentials').countDocuments();
    const answer = await app.call(caller, `POST /${path}`, body);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe('Validation error');
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path_);
    expect(await app.connection.collection('referentials').countDocuments()).toBe(before);
  });

  test('page through 120 by their index, ascending', async () => {
    const owner = aCaller();
    const ids: string[] = [];
    for (let n = 0; n < 120; n += 20) {
      const made = await Promise.all(Array.from({ length: 20 }, () => create(path, { name }, owner)));
      ids.push(...made.map(({ _id }) => _id));
    }
    const seen: string[] = [];
    const sizes: number[] = [];
    const plans = await plansOf(app.connection, async () => {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await app.call(owner, `GET /${path}?${cursor ? `cursor=${cursor}` : ''}`);
        const items: { _id: string }[] = body[many(one)];
        seen.push(...items.map(({ _id }) => _id));
        sizes.push(items.length);
        cursor = body.cursor;
      }
    });
    expect(seen).toEqual([...ids].sort());
    expect(sizes).toEqual([50, 50, 20]);
    for (const plan of plans) {
      expect(plan).toMatchObject({ planSummary: 'IXSCAN { client_id: 1, kind: 1, _id: 1 }' });
      expect([plan.hasSortStage, plan.docsExamined]).toEqual([undefined, plan.nreturned]);
    }
    expect(plans).toHaveLength(3);
    const whole = await app.call(owner, `GET /${path}?limit=120`);
    expect([whole.body[many(one)].length, whole.body.cursor]).toEqual([120, null]);
  });
});
