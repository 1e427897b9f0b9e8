import { companyChanged, companyCreated, userChanged, userCreated } from '@app/contracts';
import { bearerToken } from '@app/http';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { aCaller, eventually, signAs } from '@app/testing';
import { createCompanyDirectory } from '../../companies/company-directory.ts';
import { createIdentityClient } from '../../companies/identity-client.ts';
import { aCompany, aUser, type DirectoryApp, plansOf, startDirectoryApp } from './directory-app.ts';

let directory: DirectoryApp;
beforeAll(async () => {
  directory = await startDirectoryApp();
});
afterAll(() => directory.stop());

const token = async (caller = aCaller()) => bearerToken({ headers: await signAs(caller) });

describe('companies and users that a request names', () => {
  test('what the projections lack is read from identity in the name of the caller, and stored', async () => {
    const caller = aCaller();
    const company = aCompany();
    directory.identity.companies.set(company.id, company);
    expect(await directory.companies.company(company.id, await token(caller))).toEqual(company);
    expect(directory.identity.asked.at(-1)).toBe(`${caller.userId} /internal/companies/${company.id}`);
    directory.identity.companies.delete(company.id);
    expect(await directory.companies.company(company.id, await token(caller))).toEqual(company);
  });

  test('a company that identity does not know is null, and is asked for again', async () => {
    const company = aCompany();
    expect(await directory.companies.company(company.id, await token())).toBeNull();
    directory.identity.companies.set(company.id, company);
    expect(await directory.companies.company(company.id, await token())).toEqual(company);
  });

  test('users: projections and identity together, without strangers and other companies', async () => {
    const companyId = newId();
    const [known, fresh, foreign] = [aUser(companyId), aUser(companyId, { phone: '+33 1' }), aUser(newId())];
    await directory.projections.saveUser(known);
    await directory.projections.saveUser(foreign);
    directory.identity.users.set(fresh.id, fresh);
    const ids = [known.id, fresh.id, foreign.id, newId(), fresh.id];
    const found = await directory.companies.users(companyId, ids, await token());
    expect(found).toEqual(
      new Map([
        [known.id, known],
        [fresh.id, fresh],
      ]),
    );
    expect(await directory.companies.projectedUsers([fresh.id])).toEqual(new Map([[fresh.id, fresh]]));
  });

  test('reads make no calls', async () => {
    const user = aUser(newId());
    directory.identity.users.set(user.id, user);
    const before = directory.identity.asked.length;
    expect(await directory.companies.projectedUsers([user.id])).toEqual(new Map());
    expect(directory.identity.asked).toHaveLength(before);
  });

  test('identity that does not answer is service_unavailable', async () => {
    const identity = createIdentityClient({ baseUrl: 'http://127.0.0.1:1' });
    const companies = createCompanyDirectory({ projections: directory.projections, identity });
    await expect(companies.company(newId(), 'x')).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('identity that refuses the token is an outage, not an unknown company', async () => {
    await expect(directory.companies.company(newId(), 'no token')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

test('projections are built from events, however often these are delivered', async () => {
  const company = aCompany({ siret: '73282932000074', siren: '732829320' });
  const user = aUser(company.id);
  await directory.subscribe();
  const events = toCloudEvents('identity', [
    companyCreated({ company }, new Date()),
    userCreated({ user }, new Date()),
  ]);
  await directory.broker.publish([...events, ...events]);
  await directory.broker.publish(toCloudEvents('identity', [companyCreated({ company }, new Date())]));
  await eventually(async () => {
    expect(await directory.projections.companies([company.id])).toEqual([company]);
    expect(await directory.projections.users([user.id])).toEqual([user]);
  });
});

test('a company is as in its newest state, in whatever order these come', async () => {
  const created = aCompany();
  const state = (version: number) => ({ ...created, name: `Acme ${version}`, closed_at: null, version });
  for (const company of [state(1), state(2), state(1), created]) await directory.projections.saveCompany(company);
  expect(await directory.projections.companies([created.id])).toEqual([{ ...created, name: 'Acme 2' }]);
  await directory.broker.publish(toCloudEvents('identity', [companyChanged({ company: state(3) }, new Date())]));
  await eventually(async () =>
    expect(await directory.projections.companies([created.id])).toEqual([{ ...created, name: 'Acme 3' }]),
  );
  // A company that a replica of the release before has stored.
  const copies = directory.connection.collection<{ _id: string }>('company_copies');
  await copies.updateOne({ _id: created.id }, { $unset: { version: 1 } });
  await directory.projections.saveCompany(state(4));
  expect(await directory.projections.companies([created.id])).toEqual([{ ...created, name: 'Acme 4' }]);
});

test('a user is as in its newest state, in whatever order these come', async () => {
  const { active: _, version: _none, ...created } = aUser(newId());
  const state = (version: number) => ({ ...created, version, active: version !== 3, first_name: `Ada ${version}` });
  for (const user of [state(2), state(3), state(1), created]) await directory.projections.saveUser(user);
  expect(await directory.projections.users([created.id])).toEqual([state(3)]);
  await directory.broker.publish(toCloudEvents('identity', [userChanged({ user: state(4) }, new Date())]));
  await eventually(async () => expect(await directory.projections.users([created.id])).toEqual([state(4)]));
});

test('a user who is not active can be named no more, and is still shown where it was', async () => {
  const companyId = newId();
  const [active, inactive] = [aUser(companyId), aUser(companyId, { active: false, version: 1 })];
  const asked = aUser(companyId, { active: false, version: 1 });
  await directory.projections.saveUser(active);
  await directory.projections.saveUser(inactive);
  directory.identity.users.set(asked.id, asked);
  const ids = [active, inactive, asked].map(({ id }) => id);
  expect([...(await directory.companies.users(companyId, ids, await token())).keys()]).toEqual([active.id]);
  expect((await directory.companies.projectedUsers(ids)).size).toBe(3);
  const { body } = await directory.call(aCaller({ companyId }), 'GET /users');
  expect(body.users.map(({ _id }: { _id: string }) => _id)).toEqual([active.id]);
});

describe('GET /users', () => {
  test("gives one's own company's users and nobody else's, to clients and contractors alike", async () => {
    const companyId = newId();
    const user = aUser(companyId, { phone: '+33 1 23' });
    await directory.projections.saveUser(user);
    await directory.projections.saveUser(aUser(newId()));
    for (const companyKind of ['client', 'contractor'] as const) {
      const { status, body } = await directory.call(aCaller({ companyId, companyKind }), 'GET /users');
      const shown = { _id: user.id, firstName: 'Ada', lastName: 'Martin', email: user.email, phone: '+33 1 23' };
      expect({ status, body }).toEqual({ status: 200, body: { users: [shown], cursor: null } });
    }
  });

  test('pages by an index through more than fits one page', async () => {
    const caller = aCaller();
    const ids = Array.from({ length: 120 }, () => newId());
    await Promise.all(ids.map((id) => directory.projections.saveUser(aUser(caller.companyId, { id }))));
    const seen: string[] = [];
    let path = 'GET /users';
    const plans = await plansOf(directory.connection, async () => {
      for (let cursor: string | null = ''; cursor !== null; path = `GET /users?cursor=${cursor}`) {
        const { body } = await directory.call(caller, path);
        seen.push(...body.users.map(({ _id }: { _id: string }) => _id));
        cursor = body.cursor;
      }
    });
    expect(seen).toEqual([...ids].sort());
    expect(plans.map(({ planSummary }) => planSummary)).toEqual(Array(3).fill('IXSCAN { company_id: 1, _id: 1 }'));
    expect(plans.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=ten', 'limit'],
    ['cursor=abc', 'cursor'],
    ['cursor[$gt]=', 'cursor[$gt]'],
    ['name[$ne]=x', 'name[$ne]'],
  ])('refuses ?%s', async (query, path) => {
    const { status, body } = await directory.call(aCaller(), `GET /users?${query}`);
    expect({ status, paths: body.errors.map((error: { path: string }) => error.path) }).toEqual({
      status: 422,
      paths: [path],
    });
  });

  test('needs the permission tickets', async () => {
    const { status, body } = await directory.call(aCaller({ permissions: ['accounting'] }), 'GET /users');
    expect([status, body.code]).toEqual([403, 'forbidden']);
  });
});
