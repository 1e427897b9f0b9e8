import { answer, type Receiver } from '@app/testing';
import {
  caller,
  type Member,
  newCompany,
  newContractorOf,
  newReceiver,
  newTicket,
  ok,
  pdfForm,
  stack,
  subscribe,
} from '../platform.ts';

/** Changes that no other story makes: each answers with the thing as it is then. */
let client: Member;
let receiver: Receiver;
beforeAll(async () => {
  [client, receiver] = await Promise.all([newCompany('client'), newReceiver()]);
});
afterAll(() => receiver.close());

const hour = 3_600_000;

test('a ticket is edited, its date does not take place, its quote is declined, and it is canceled', async () => {
  const contractor = await newContractorOf(client);
  const ticket = await newTicket(client);
  const edited = await ok(client.api(`PATCH ${ticket}`, { title: 'Leak on the 3rd floor', priority: 'high' }));
  expect(edited.data).toMatchObject({ title: 'Leak on the 3rd floor', priority_label: 'high' });

  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  const planned = { start: Date.now() + hour, end: Date.now() + 2 * hour, type: 'planned', category: 'visit' };
  const { date } = (await ok(contractor.api(`POST ${ticket}/dates`, planned))).data;
  const missed = await ok(contractor.api(`PUT ${ticket}/dates/${date._id}/not-done`));
  expect(missed.data.status).toBe('toreplan');

  const given = pdfForm({ reference: 'Q-2026-031', price: '1234.50' });
  const { quote } = (await ok(contractor.api(`POST ${ticket}/quotes`, given))).data;
  const declined = await ok(client.api(`PUT ${ticket}/quotes/${quote._id}/decline`));
  expect(declined.data.quotes).toMatchObject([{ _id: quote._id, status: 'declined' }]);

  const canceled = await ok(client.api(`PUT ${ticket}/cancel`, { reason_cancel: 'The tenant has moved out' }));
  expect(canceled.data.status).toBe('canceled');
});

test.each([
  ['locations', 'location', { reference: 'N-1' }],
  ['equipments', 'equipment', {}],
  ['jobs', 'job', {}],
  ['domains', 'domain', {}],
  ['custom-fields', 'custom_field', { target: 'ticket' }],
])('an entry of %s is renamed', async (path, one, more) => {
  const nameOf = (text: string) => (one === 'custom_field' ? { fr: text, en: text } : text);
  const created = await ok(client.api(`POST /${path}`, { name: nameOf('North building') }));
  const change = { name: nameOf('South building'), ...more };
  const changed = await ok(client.api(`PATCH /${path}/${created.data[one]._id}`, change));
  expect(changed.data[one]).toMatchObject(change);
});

test('users are renamed by themselves and by the platform', async () => {
  const own = await ok(client.ts('PATCH /auth/profile', { first_name: 'Ada', phone: '+33 1 23 45 67 89' }));
  expect(own.data).toMatchObject({ first_name: 'Ada', phone: '+33 1 23 45 67 89' });
  const platform = caller(stack().tsApi, stack().adminToken);
  const changed = await ok(platform(`PATCH /admin/users/${client.userId}`, { last_name: 'Martin-Roux' }));
  expect(changed.data).toMatchObject({ id: client.userId, last_name: 'Martin-Roux' });
});

test('an endpoint is renamed, and counts what could be sent again without sending it', async () => {
  const { id } = await subscribe(client, receiver, '/changes');
  const changed = await ok(client.ts(`PATCH /webhooks/endpoints/${id}`, { name: 'ERP' }));
  expect(changed.data).toMatchObject({ id, name: 'ERP' });
  const since = new Date(Date.now() - hour).toISOString();
  const counted = await client.ts(`POST /webhooks/endpoints/${id}/recover`, { since, dryRun: true });
  expect([counted.status, counted.data]).toEqual([200, { queued: 0 }]);
});

test('single sign-on is set at a provider that answers, and read without its secret', async () => {
  const issuer = new URL(receiver.url('/')).origin;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  const json = { 'content-type': 'application/json' };
  receiver.behave(answer(200, JSON.stringify(metadata), json), '/.well-known/openid-configuration');
  const settings = {
    issuer,
    client_id: 'facility-platform',
    allowed_domains: ['example.com'],
    default_permissions: ['tickets'],
    password_login: true,
  };
  const domains = `/admin/companies/${client.companyId}/domains`;
  const platform = caller(stack().tsApi, stack().adminToken);
  const granted = { granted: ['example.com'] };
  expect((await ok(platform(`PUT ${domains}`, granted))).data).toEqual(granted);
  expect((await ok(platform(`GET ${domains}`))).data).toEqual(granted);
  const put = await ok(client.ts('PUT /company/sso', { ...settings, client_secret: 'as the provider gave it' }));
  expect(put.data).toMatchObject({ ...settings, has_client_secret: true });
  expect((await ok(client.ts('GET /company/sso'))).data).toEqual(put.data);
  expect(JSON.stringify(put.data)).not.toContain('as the provider gave it');
  const started = await ok(caller(stack().tsApi)('POST /auth/sso/start', { email: 'zoe@example.com' }));
  expect(started.data).toMatchObject({ company: { id: client.companyId }, provider: new URL(issuer).host });
});
