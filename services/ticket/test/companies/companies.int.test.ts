import { companyChanged, companyCreated, userChanged, userCreated } from '@app/contracts';
import { bearerToken } from '@app/http';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { aCaller, eventually, signAs } from '@app/testing';
import { createCompanyDirectory } from '../../companies/company-directory.ts';
import { createIdentityClient } from '../../companies/identity-client.ts';
import { aCompany, aUser, idPages, plansOf, usePlatform } from '../platform.ts';

const platform = usePlatform({ quiet: true });
beforeAll(async () => {
  await platform.app.subscribe();
});

const token = async (caller = aCaller()) => bearerToken({ headers: await signAs(caller) });

describe('companies and users that a request names', () => {
  test('what the projections lack is read from identity in the name of the caller, and stored', async () => {
    const { identity, companies } = platform;
    const [caller, company] = [aCaller(), aCompany()];
    identity.companies.set(company.id, company);
    expect(await companies.company(company.id, await token(caller))).toEqual(company);
    expect(identity.asked.at(-1)).toBe(`${caller.userId} /internal/companies/${company.id}`);
    identity.companies.delete(company.id);
    expect(await companies.company(company.id, await token(caller))).toEqual(company);
  });

  test('a company that identity does not know is null, and is asked for again', async () => {
    const company = aCompany();
    expect(await platform.companies.company(company.id, await token())).toBeNull();
    platform.identity.companies.set(company.id, company);
    expect(await platform.companies.company(company.id, await token())).toEqual(company);
  });

  test('users: projections and identity together, without strangers and other companies; reads make no calls', async () => {
    const { projections, companies, identity } = platform;
    const companyId = newId();
    const [known, fresh, foreign] = [aUser(companyId), aUser(companyId, { phone: '+33 1' }), aUser(newId())];
    await projections.saveUser(known);
    await projections.saveUser(foreign);
    identity.users.set(fresh.id, fresh);
    const asked = identity.asked.length;
    expect(await companies.projectedUsers([fresh.id])).toEqual(new Map());
    expect(identity.asked).toHaveLength(asked);
    const found = await companies.users(companyId, [known.id, fresh.id, foreign.id, newId(), fresh.id], await token());
    expect(found).toEqual(new Map([known, fresh].map((user) => [user.id, user])));
    expect(await companies.projectedUsers([fresh.id])).toEqual(new Map([[fresh.id, fresh]]));
  });

  test('identity that does not answer, or refuses the token, is an outage, not an unknown company', async () => {
    const { projections, companies } = platform;
    const unreachable = createIdentityClient({ baseUrl: 'http://127.0.0.1:1' });
    const away = createCompanyDirectory({ projections, identity: unreachable });
    await expect(away.company(newId(), 'x')).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(companies.company(newId(), 'no token')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

/** Delivers each event twice, and waits until the queue is through with them. */
async function deliverTwice(queue: string, events: Parameters<typeof toCloudEvents>[1]): Promise<void> {
  const handled = await platform.handled(queue);
  const sealed = toCloudEvents('identity', events);
  await platform.broker.publish([...sealed, ...sealed]);
  await eventually(async () =>
    expect(await platform.handled(queue)).toBeGreaterThanOrEqual(handled + 2 * events.length),
  );
}

test('a company is as in its newest state, in whatever order and however often these come', async () => {
  const { projections } = platform;
  const created = aCompany();
  const state = (version: number) => ({ ...created, name: `Acme ${version}`, closed_at: null, version });
  const changes = [2, 3, 1].map((version) => companyChanged({ company: state(version) }, new Date()));
  await deliverTwice('companies', changes);
  await deliverTwice('companies', [companyCreated({ company: created }, new Date())]);
  expect(await projections.companies([created.id])).toEqual([{ ...created, name: 'Acme 3' }]);
});

test('a user is as in its newest state, in whatever order and however often these come', async () => {
  const { projections } = platform;
  const created = aUser(newId());
  const state = (version: number) => ({ ...created, version, active: version !== 3, first_name: `Ada ${version}` });
  const changes = [2, 3, 1].map((version) => userChanged({ user: state(version) }, new Date()));
  await deliverTwice('companies', [...changes, userCreated({ user: created }, new Date())]);
  expect(await projections.users([created.id])).toEqual([state(3)]);
});

test('a user who is not active can be named no more, and is still shown where it was', async () => {
  const { projections, companies, identity, call } = platform;
  const companyId = newId();
  const [active, inactive] = [aUser(companyId), aUser(companyId, { active: false, version: 1 })];
  const asked = aUser(companyId, { active: false, version: 1 });
  await projections.saveUser(active);
  await projections.saveUser(inactive);
  identity.users.set(asked.id, asked);
  const ids = [active, inactive, asked].map(({ id }) => id);
  expect([...(await companies.users(companyId, ids, await token())).keys()]).toEqual([active.id]);
  expect((await companies.projectedUsers(ids)).size).toBe(3);
  expect((await call(aCaller({ companyId }), 'GET /users')).data.users).toMatchObject([{ _id: active.id }]);
});

describe('GET /users', () => {
  test("gives one's own company's users and nobody else's, to clients and contractors alike", async () => {
    const companyId = newId();
    const user = aUser(companyId, { phone: '+33 1 23' });
    await platform.projections.saveUser(user);
    await platform.projections.saveUser(aUser(newId()));
    for (const companyKind of ['client', 'contractor'] as const) {
      const { status, data } = await platform.call(aCaller({ companyId, companyKind }), 'GET /users');
      const shown = { _id: user.id, firstName: 'Ada', lastName: 'Martin', email: user.email, phone: '+33 1 23' };
      expect([status, data]).toEqual([200, { users: [shown], cursor: null }]);
    }
  });

  test('pages by an index through more than fits one page', async () => {
    const caller = aCaller();
    const ids = Array.from({ length: 60 }, () => newId());
    await Promise.all(ids.map((id) => platform.projections.saveUser(aUser(caller.companyId, { id }))));
    let pages: string[][] = [];
    const plans = await plansOf(platform.connection, async () => {
      pages = await idPages((query) => platform.call(caller, `GET /users?${query}`), 'users');
    });
    expect(pages.map(({ length }) => length)).toEqual([50, 10]);
    expect(pages.flat()).toEqual([...ids].sort());
    expect(plans.map(({ planSummary }) => planSummary)).toEqual(Array(2).fill('IXSCAN { company_id: 1, _id: 1 }'));
    expect(plans.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
  });
});
