import { newId } from '@app/kernel';
import { connectMongo } from '@app/runtime';
import { exportedRows, testInfra } from '@app/testing';
import { createAuditLogStore } from '../../audit/audit-log-store.ts';
import { createCompanyStore } from '../../companies/company-store.ts';
import { exportSources } from '../../exports/export-sources.ts';
import { createNotificationStore } from '../../notifications/notification-store.ts';
import { createDomainProofStore } from '../../sso/domains/domain-proof-store.ts';
import { createSsoSettingsStore } from '../../sso/sso-settings-store.ts';
import { createApiTokenStore } from '../../tokens/api-token-store.ts';
import { createUserStore } from '../../users/user-store.ts';
import { goodPassword, useIdentity } from '../identity.ts';

const relay = { watch: () => undefined, committed: () => undefined } as never;
const identity = useIdentity();

test('a company takes along users, tokens, settings and its audit log, each once, and nothing that lets anybody in', async () => {
  const { company, user, logIn, call } = identity;
  const [own, stranger] = [await company(), await company()];
  const users = [await user(['admin'], own), await user(['tickets'], own), await user([], own)];
  const theirs = await user(['admin'], stranger);
  const { principal, token } = await logIn(users[0]?.email ?? '');
  const tokens: string[] = [token, goodPassword];
  for (const name of ['erp', 'bi']) {
    tokens.push(String((await call('POST', '/api-tokens', { as: principal, body: { name } })).body['token']));
  }
  const url = testInfra().mongodbUrl;
  const connection = await connectMongo({ url, database: identity.connection.name });
  const ssoSettings = createSsoSettingsStore({ connection });
  const sso = { issuer: 'https://idp.example', client_id: 'c', sealed_secret: 'sealed-client-secret', version: 'v1' };
  const allowed = { allowed_domains: ['acme.test'], default_permissions: [], password_login: true };
  await connection.transaction((session) =>
    ssoSettings.put({ company_id: own, ...sso, ...allowed, updated_at: new Date() }, { session }),
  );
  const sources = exportSources({
    companies: createCompanyStore({ connection, relay }),
    users: createUserStore({ connection, relay }),
    apiTokens: createApiTokenStore({ connection }),
    auditLog: createAuditLogStore({ connection }),
    ssoSettings,
    domainProofs: createDomainProofStore({ connection }),
    notifications: createNotificationStore({ connection }),
  });
  const told = (company_id: string, user_id: string | undefined, nth: number) => ({
    _id: newId(),
    company_id,
    user_id,
    kind: 'note',
    key: `ticket:1:note:${nth}`,
    text: `note ${nth}`,
    actor_id: users[0]?.id,
    created_at: new Date(),
    read_at: null,
    console: true,
    place_ids: null,
    mail: null,
  });
  const notifications = [...Array(120).keys()].map((nth) => told(own, users[nth % 3]?.id, nth));
  await connection
    .collection<{ _id: string }>('notifications')
    .insertMany([...notifications, told(stranger, theirs.id, 0)]);
  const all = new Map(
    await Promise.all(
      Object.entries(sources).map(async ([kind, source]) => {
        return [kind, await exportedRows(source, { id: own, kind: 'client' })] as const;
      }),
    ),
  );
  const rows = (kind: string) => all.get(kind)?.rows ?? [];
  expect(rows('company')).toEqual([expect.objectContaining({ id: own, closed_at: null })]);
  expect(rows('users').map(({ id }) => id)).toEqual(users.map(({ id }) => id));
  expect(rows('api_tokens').map(({ name }) => name)).toEqual(['erp', 'bi']);
  expect(rows('notifications')).toMatchObject(
    notifications.map(({ user_id, text, actor_id: actor }) => ({ user_id, text, actor, kind: 'note' })),
  );
  expect(rows('single_sign_on')).toMatchObject([{ issuer: 'https://idp.example', domains: [] }]);
  const stored = await connection.collection('audit_entries').find({ company_id: own }).toArray();
  expect(
    rows('audit_log')
      .map(({ id }) => id)
      .sort(),
  ).toEqual(stored.map(({ _id }) => String(_id)).sort());
  expect(stored.length).toBeGreaterThan(3);

  const text = [...all.values()].map((one) => one.text).join('');
  const hashes = await connection.collection('api_tokens').find({}).toArray();
  const secrets = [...tokens, ...hashes.map(({ hash }) => hash), 'scrypt$', 'password_hash', 'sealed-client-secret'];
  for (const hidden of [...secrets, stranger, theirs.id, theirs.email]) expect(text).not.toContain(hidden);
  await connection.close();
});
