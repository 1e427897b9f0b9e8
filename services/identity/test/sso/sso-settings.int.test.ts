import { createSecretBox, reEncrypt } from '@app/runtime';
import { answer, behaviours, type Receiver, startReceiver } from '@app/testing';
import { sealedClientSecrets } from '../../sso/sso-settings-store.ts';
import { aKey, code, fieldsAtFault, useIdentity } from '../identity.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { callbackOf, keys, locationOf, sso, steps, unavailable } from './sso.ts';

let provider: TestProvider;
let receiver: Receiver;
beforeAll(async () => {
  provider = await startProvider({ redirectUris: callbackOf(''), method: 'client_secret_post' });
  receiver = await startReceiver();
});
const identity = useIdentity(() => ({ sso }));
afterAll(async () => {
  await receiver.close();
  await provider.close();
});

const { as, aCompany, start, signIn } = steps(() => ({ identity, provider }));

const discovery = (issuer: string) => `${issuer}/.well-known/openid-configuration`;

describe('the settings', () => {
  test('show everything but the secret, which is stored encrypted, for the company alone', async () => {
    const { answer, admin, companyId, domain, settings } = await aCompany();
    const { client_secret: secret, ...shown } = settings;
    const record = { name: `_facility-platform.${domain}`, value: `company=${companyId}` };
    const domains = [{ domain, state: 'granted', record, looked_up_at: null }];
    const view = {
      ...shown,
      domains,
      has_client_secret: true,
      callback_url: callbackOf(companyId),
      updated_at: expect.any(String),
    };
    expect(answer.body).toEqual(view);
    expect((await as(admin, 'GET', '/company/sso')).body).toEqual(view);
    const stored = await identity.connection
      .collection<{ _id: string; sealed_secret: string }>('sso_settings')
      .findOne({ _id: companyId });
    expect(stored?.sealed_secret).toMatch(/^first:/);
    const everywhere = JSON.stringify([
      stored,
      identity.logger.lines,
      identity.answers.map(({ answer: { text } }) => text),
    ]);
    expect(everywhere).not.toContain(secret);
    const other = await identity.admin();
    expect(code(await as(other, 'GET', '/company/sso'))).toEqual([404, 'sso_not_set']);
    expect(code(await as(other, 'DELETE', '/company/sso'))).toEqual([404, 'sso_not_set']);
    expect((await as(admin, 'DELETE', '/company/sso')).status).toBe(204);
    expect(code(await as(admin, 'GET', '/company/sso'))).toEqual([404, 'sso_not_set']);
  });

  test('keep the secret for the same issuer and client alone', async () => {
    const { put, domain } = await aCompany();
    expect((await put({ client_secret: undefined, default_permissions: [] })).status).toBe(200);
    expect(locationOf(await signIn(`still@${domain}`))).toBe('/console');
    const stolen = await put({ client_secret: undefined, client_id: 'another' });
    expect([stolen.status, fieldsAtFault(stolen)]).toEqual([422, ['client_secret']]);
    expect(locationOf(await signIn(`still@${domain}`))).toBe('/console');
  });

  test('a key that sealed a secret may go once it was used under the next one', async () => {
    const { companyId, domain } = await aCompany();
    const second = aKey('second');
    const { call } = await identity.replica({ sso: { ...sso, keys: [second, ...keys] } });
    expect(locationOf(await start(`email=a@${domain}`, call))).toContain(provider.issuer);
    const stored = await identity.connection
      .collection<{ _id: string; sealed_secret: string }>('sso_settings')
      .findOne({ _id: companyId });
    expect(stored?.sealed_secret).toMatch(/^second:/);
    const { call: without } = await identity.replica({ sso: { ...sso, keys: [second] } });
    expect(locationOf(await start(`email=a@${domain}`, without))).toContain(provider.issuer);
    expect(code(await start(`email=a@${domain}`))).toEqual(unavailable);
  });

  test('the re-encrypt command has every secret sealed by the first key, and names what no key opens', async () => {
    const { companyId } = await aCompany();
    const { companyId: broken } = await aCompany();
    const stored = identity.connection.collection<{ _id: string; sealed_secret: string }>('sso_settings');
    await stored.updateOne({ _id: broken }, { $set: { sealed_secret: 'lost:AAAA' } });
    const box = createSecretBox([aKey('third'), ...keys]);
    const secrets = sealedClientSecrets(identity.connection);
    expect((await reEncrypt(secrets, box)).unreadable).toContain(broken);
    expect((await stored.findOne({ _id: companyId }))?.sealed_secret).toMatch(/^third:/);
    expect((await reEncrypt(secrets, box)).changed).toBe(0);
    await stored.deleteMany({});
  });

  test.each([
    [{ issuer: 'http://login.example.com' }, ['issuer']],
    [{ issuer: 'https://login.example.com/?a=1' }, ['issuer']],
    [{ issuer: 'https://169.254.169.254' }, ['issuer']],
    [{ issuer: 'https://localhost:9000' }, ['issuer']],
    [{ issuer: 'https://10.0.0.1' }, ['issuer']],
    [{ issuer: 'https://user:word@example.com' }, ['issuer']],
    [{ allowed_domains: [] }, ['allowed_domains']],
    [{ allowed_domains: ['@acme.example', 'acme.example'] }, ['allowed_domains.0']],
    [{ default_permissions: ['admin'] }, ['default_permissions.0']],
    [{ password_login: undefined, more: 1 }, ['more', 'password_login']],
  ])('%j is refused', async (given, fields) => {
    const { put } = await aCompany();
    const answer = await put(given);
    expect([answer.status, fieldsAtFault(answer)?.sort()]).toEqual([422, fields]);
  });

  test('without a key on the platform there is none', async () => {
    const { admin, settings, domain } = await aCompany();
    const { call } = await identity.replica({ sso: { ...sso, keys: [] } });
    const answer = await call('PUT', '/company/sso', { as: admin.principal, body: settings });
    expect(code(answer)).toEqual([409, 'sso_off']);
    expect(code(await start(`email=a@${domain}`, call))).toEqual(unavailable);
  });
});

describe('a provider', () => {
  test('that sends data without end, too slowly or never, or breaks the connection, is given up', async () => {
    const faults = ['endless', 'drip', 'hang', 'reset'] as const;
    receiver.behave((req, ...rest) => behaviours[req.url?.split('/')[1] as 'hang'](req, ...rest));
    // All at once: each may take the whole time that a provider has.
    const refused = faults.map(async (fault) => {
      const { put } = await aCompany();
      const answer = await put({ issuer: receiver.url(`/${fault}`) });
      return [fault, answer.status, fieldsAtFault(answer)];
    });
    expect(await Promise.all(refused)).toEqual(faults.map((fault) => [fault, 422, ['issuer']]));
  });

  test('that sends us on is not followed, and one whose addresses are not public is not called', async () => {
    const { put } = await aCompany();
    const inside = receiver.url('/inside');
    receiver.behave((_req, res) => void res.writeHead(302, { location: inside }).end());
    expect((await put({ issuer: receiver.url('/moved') })).status).toBe(422);
    expect(receiver.at('/inside')).toEqual([]);
    const { admin, settings, domain } = await aCompany();
    const { call } = await identity.replica({ sso: { keys, allowNetworks: [] } });
    const connections = receiver.connections();
    const names = { issuer: `https://rebound.example:${receiver.port}` };
    const rebound = await identity.replica({ sso: { keys, allowNetworks: [], resolve: async () => ['127.0.0.1'] } });
    expect(
      fieldsAtFault(
        await rebound.call('PUT', '/company/sso', { as: admin.principal, body: { ...settings, ...names } }),
      ),
    ).toEqual(['issuer']);
    expect(code(await start(`email=a@${domain}`, call))).toEqual(unavailable);
    expect(receiver.connections()).toBe(connections);
  });

  test('that is away does not stop an admin from letting passwords in again', async () => {
    const issuer = receiver.url('/away');
    const { issuer: _, ...endpoints } = (await (await fetch(discovery(provider.issuer))).json()) as { issuer: string };
    receiver.behave(answer(200, JSON.stringify({ issuer, ...endpoints }), { 'content-type': 'application/json' }));
    const { put, domain } = await aCompany({ issuer, password_login: false });
    receiver.behave(behaviours.reset);
    expect(code(await start(`email=a@${domain}`))).toEqual(unavailable);
    expect((await put({ password_login: true })).status).toBe(200);
  });
});
