import type { Principal } from '@app/contracts';
import { useAdmin, useIdentity } from '../identity.ts';

const identity = useIdentity();
const admin = useAdmin(identity);

const path = '/auth/agenda-feed';
const none = { body: { created_at: null } };

/** A user of the admin's company, and the secret of their agenda. */
async function someone() {
  const { email, id } = await identity.user(['tickets'], admin.companyId);
  const { principal } = await identity.logIn(email);
  return { id, principal, secret: await newSecret(principal) };
}

async function newSecret(as: Principal): Promise<string> {
  const { status, body, headers } = await identity.call('PUT', path, { as, body: {} });
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  const [, secret] = /^https:\/\/ts\.example\/agenda\/feeds\/([\w-]{43})\.ics$/.exec(String(body['url'])) ?? [];
  return secret ?? '';
}

const recognise = (secret: string, kind = 'feed') => identity.recognise(secret, 'ts', kind);

test('the address of an agenda stands for its user, until it is replaced or ended', async () => {
  const { id, principal, secret } = await someone();
  const known = { status: 200, body: { principal: { caller: { userId: id } }, expiresAt: null } };
  expect(await recognise(secret)).toMatchObject(known);
  for (const kind of ['bearer', 'cookie']) expect((await recognise(secret, kind)).status).toBe(401);
  const next = await newSecret(principal);
  expect([(await recognise(secret)).status, (await recognise(next)).status]).toEqual([401, 200]);
  expect((await identity.call('GET', path, { as: principal })).body).toEqual({
    created_at: identity.clock.now.toISOString(),
  });
  for (const _twice of [1, 2]) expect((await identity.call('DELETE', path, { as: principal })).status).toBe(204);
  expect((await recognise(next)).status).toBe(401);
  expect(await identity.call('GET', path, { as: principal })).toMatchObject(none);
  const { body } = await identity.call('GET', '/audit?limit=3', { as: admin.principal });
  const actions = (body['items'] as unknown as { action: string }[]).map(({ action }) => action);
  expect(actions).toEqual(['agenda_feed.revoked', 'agenda_feed.created', 'agenda_feed.created']);
});

test('nothing but a hash of the secret is stored, and no log line has it', async () => {
  const { secret } = await someone();
  const stored = await identity.connection.collection('agenda_feeds').find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  for (const text of [JSON.stringify(stored), JSON.stringify(identity.logger.lines)])
    expect(text).not.toContain(secret);
});

test('the address of a user who is deactivated, or may not see tickets, is none', async () => {
  const { id, principal, secret } = await someone();
  const change = (body: object) => identity.call('PATCH', `/company/users/${id}`, { as: admin.principal, body });
  expect((await change({ active: false })).status).toBe(200);
  expect((await recognise(secret)).status).toBe(401);
  expect((await change({ active: true })).status).toBe(200);
  expect((await recognise(secret)).status).toBe(401);
  const accountant = { kind: 'caller', caller: { ...callerOf(principal), permissions: ['accounting'] } } as Principal;
  expect((await identity.call('PUT', path, { as: accountant, body: {} })).status).toBe(403);
});

function callerOf(principal: Principal) {
  if (principal.kind !== 'caller') throw new Error('no user');
  return principal.caller;
}
