import { code, fieldsAtFault, type Login, useIdentity } from '../identity.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { callbackOf, home, locationOf, sso, steps, unavailable } from './sso.ts';

let provider: TestProvider;
let dns: DnsServer;
beforeAll(async () => {
  provider = await startProvider({ redirectUris: callbackOf('') });
  dns = await startDnsServer();
});
const identity = useIdentity(() => ({ sso: { ...sso, dnsServers: [dns.address] } }));
afterAll(async () => {
  dns.close();
  await provider.close();
});

const { as, aCompany, start, signIn, claim } = steps(() => ({ identity, provider }));
const hour = 3_600_000;
const day = 24 * hour;
const wait = (ms: number) => {
  identity.clock.now = new Date(identity.clock.now.getTime() + ms);
};

/** A company whose domain nobody has granted, and the record that would prove it. */
async function unproven() {
  const company = await aCompany();
  await company.grant([]);
  const { body } = await company.put();
  const [{ record }] = body['domains'] as unknown as [{ record: { name: string; value: string } }];
  return { ...company, record, publish: () => dns.records.set(record.name, ['v=spf1 -all', record.value]) };
}

async function stateOf(admin: Login): Promise<unknown> {
  const { body } = await as(admin, 'GET', '/company/sso');
  return (body['domains'] as unknown as { state: string }[])[0]?.state;
}

async function logged(admin: Login, action: string): Promise<unknown[]> {
  return (await as(admin, 'GET', `/audit?action=${action}`)).body['items'] as unknown as unknown[];
}

test('before its domain is proven a company is led nobody and makes no user; a record of DNS proves it', async () => {
  const { admin, companyId, domain, put, publish } = await unproven();
  expect(await stateOf(admin)).toBe('unproven');
  expect(code(await start(`email=zoe@${domain}`))).toEqual(unavailable);
  expect(locationOf(await claim(companyId, `zoe@${domain}`))).toBe(home('refused'));
  expect(await logged(admin, 'login.refused')).toMatchObject([{ details: { reason: 'domain_not_proven' } }]);
  expect(await identity.connection.collection('users').countDocuments({ email: `zoe@${domain}` })).toBe(0);
  expect(fieldsAtFault(await put({ password_login: false }))).toEqual(['password_login']);

  publish();
  expect((await put()).body).toMatchObject({ domains: [{ domain, state: 'proven' }] });
  expect(locationOf(await signIn(`zoe@${domain}`))).toBe('/console');
  expect((await put({ password_login: false })).status).toBe(200);
});

test('the record of another company proves nothing', async () => {
  const [one, other] = [await unproven(), await unproven()];
  dns.records.set(one.record.name, [other.record.value]);
  await one.put();
  expect(await stateOf(one.admin)).toBe('unproven');
});

test('a day later the record is looked up again: once it is gone for an hour, the domain counts no more', async () => {
  const { domain, put, publish, record } = await unproven();
  publish();
  await put();
  dns.records.delete(record.name);
  const asked = () => dns.asked.filter((name) => name === record.name).length;
  const before = asked();
  wait(day - 60_000);
  expect(code(await start(`email=zoe@${domain}`))[0]).toBe(200);
  expect(asked()).toBe(before);
  wait(60_000);
  expect(code(await start(`email=zoe@${domain}`))[0]).toBe(200);
  wait(hour - 60_000);
  expect(code(await start(`email=zoe@${domain}`))[0]).toBe(200);
  wait(60_000);
  expect(code(await start(`email=zoe@${domain}`))).toEqual(unavailable);
  expect(asked()).toBe(before + 2);
});

test.each([
  { what: 'an hour', missing: 5 * 60_000, meanwhile: 200 },
  { what: 'days', missing: 3 * day, meanwhile: unavailable[0] },
])('a record that was missing for less than $what counts again at the next sign-in', async ({ missing, meanwhile }) => {
  const { admin, domain, put, publish, record } = await unproven();
  publish();
  await put();
  dns.records.delete(record.name);
  wait(day);
  await start(`email=zoe@${domain}`);
  wait(missing);
  expect((await start(`email=zoe@${domain}`)).status).toBe(meanwhile);
  publish();
  wait(5 * 60_000);
  expect(locationOf(await signIn(`zoe@${domain}`))).toBe('/console');
  expect(await stateOf({ ...admin, ...(await identity.logIn(admin.email)) })).toBe('proven');
});

test('while DNS does not answer, a proof counts for a week', async () => {
  const { domain, put, publish } = await unproven();
  publish();
  await put();
  dns.fails = true;
  wait(2 * day);
  expect(locationOf(await signIn(`zoe@${domain}`))).toBe('/console');
  wait(5 * day);
  expect(code(await start(`email=zoe@${domain}`))).toEqual(unavailable);
  dns.fails = false;
  expect(code(await start(`email=zoe@${domain}`))[0]).toBe(200);
});

test('the operator grants a domain, for which DNS is not asked any more, and takes it back', async () => {
  const { admin, companyId, domain, grant } = await unproven();
  expect((await grant([domain])).body).toEqual({ granted: [domain] });
  const asked = dns.asked.length;
  wait(2 * day);
  expect(locationOf(await signIn(`zoe@${domain}`))).toBe('/console');
  expect(dns.asked.length).toBe(asked);
  const change = { field: 'granted_domains', before: [], after: [domain] };
  const [entry] = await logged({ ...admin, ...(await identity.logIn(admin.email)) }, 'company.changed');
  expect(entry).toMatchObject({ actor: { kind: 'platform' }, details: { changes: [change] } });
  await grant([]);
  expect((await identity.byPlatform('GET', `/admin/companies/${companyId}/domains`)).body).toEqual({ granted: [] });
  expect(code(await start(`email=zoe@${domain}`))).toEqual(unavailable);
});

test('an address that another company claims too leads to the one that has proven its domain', async () => {
  const { domain, put, publish, companyId } = await unproven();
  publish();
  await put();
  const squatter = await aCompany({ allowed_domains: [domain] });
  await squatter.grant([]);
  expect((await start(`email=zoe@${domain}`)).body['company']).toMatchObject({ id: companyId });
});
