import { eventually } from '@app/testing';
import type { AxiosResponse } from 'axios';
import { caller, newCompany, newTicket, newUser, pdfForm, stack } from '../platform.ts';

const ticketApi = () => `${stack().ticketApi}/api/v3.0`;

// The limit of 5 s is tested with a fake clock in services/gateway/test/auth/admission.int.test.ts.
test('an API token works on the ticket API alone, the platform’s on the second alone; a deleted one is dead soon after', async () => {
  const client = await newCompany('client');
  const made = await client.ts('POST /api-tokens', { name: 'erp' });
  const shown = ['created_at', 'expires_at', 'id', 'name', 'prefix', 'scopes', 'token'];
  expect([made.status, Object.keys(made.data).sort()]).toEqual([201, shown]);
  const api = caller(ticketApi(), made.data.token);
  expect((await api('GET /tickets')).status).toBe(200);
  expect((await caller(stack().tsApi, made.data.token)('GET /webhooks/endpoints')).status).toBe(401);
  expect((await caller(ticketApi(), stack().adminToken)('GET /tickets')).status).toBe(401);
  expect((await client.ts(`DELETE /api-tokens/${made.data.id}`)).status).toBe(204);
  await eventually(async () => {
    const answer = await api('GET /tickets');
    expect([answer.status, answer.data.code]).toEqual([401, 'unauthorized']);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });
});

test('a logout ends the session on both APIs', async () => {
  const client = await newCompany('client');
  expect((await client.ts('GET /auth/session')).data).toMatchObject({
    user: { email: client.email },
    permissions: ['admin'],
  });
  expect((await client.ts('POST /auth/logout')).status).toBe(204);
  await eventually(async () => {
    expect((await client.api('GET /tickets')).status).toBe(401);
    expect((await client.ts('GET /webhooks/endpoints')).status).toBe(401);
  });
});

test('the ticket API never takes the cookie; the second API takes it, but not across origins', async () => {
  const client = await newCompany('client');
  const cookie = { cookie: `session=${client.session}` };
  expect((await caller(ticketApi())('GET /tickets', undefined, cookie)).status).toBe(401);
  const ts = caller(stack().tsApi);
  expect((await ts('GET /webhooks/endpoints', undefined, cookie)).status).toBe(200);
  for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    const refused = await ts('POST /api-tokens', { name: 'x' }, { ...cookie, ...foreign });
    expect([refused.status, refused.data.code]).toEqual([403, 'origin_forbidden']);
  }
  expect((await ts('POST /api-tokens', { name: 'x' }, { ...cookie, origin: stack().tsApi })).status).toBe(201);
  expect((await ts('POST /api-tokens', { name: 'x' }, cookie)).status).toBe(201);
});

test('a page of the second API has the ticket API by its cookie, and files by their links', async () => {
  const client = await newCompany('client');
  const ts = caller(stack().tsApi);
  const cookie = { cookie: `session=${client.session}`, origin: stack().tsApi };
  const made = await ts('POST /api/v3.0/tickets', { title: 'Leak' }, cookie);
  expect(made.status).toBe(201);
  const ticket = `/api/v3.0/tickets/${made.data.ticket_id}`;
  const order = { kind: 'purchase_order', reference: 'PO-1' };
  const { data } = await ts(`POST ${ticket}/purchases`, order, cookie);
  const document = `${ticket}/purchases/${data.purchase.id}/document`;
  expect((await ts(`POST ${document}`, pdfForm(), cookie)).status).toBe(200);
  const { documents } = (await ts(`GET ${ticket}/documents`, undefined, cookie)).data;
  const shown = await ts(`GET ${ticket}/documents/download-link?s3_key=${documents[0].s3_key}`, undefined, cookie);
  const link = new URL(shown.data.download_url);
  const range = { range: 'bytes=0-3', origin: stack().tsApi };
  const file = await caller(link.origin)(`GET ${link.pathname}${link.search}`, undefined, range);
  expect([file.status, file.data, file.headers['access-control-allow-origin']]).toEqual([206, '%PDF', stack().tsApi]);

  const foreign = { ...cookie, origin: 'https://evil.example' };
  const refused = await ts(`POST ${ticket}/notes`, { note: 'x', type: 'public' }, foreign);
  expect([refused.status, refused.data.code]).toEqual([403, 'origin_forbidden']);
  const token = (await client.ts('POST /api-tokens', { name: 'erp' })).data.token;
  expect((await caller(stack().tsApi, token)(`GET ${ticket}`)).status).toBe(401);
});

const may = ({ status }: AxiosResponse) => (status < 300 ? 'may' : status);
const notes = { note: 'x', type: 'public' };

test.each([
  // Nothing where its maker may not use tickets; by default all that the maker may.
  [['api_webhooks'], undefined, 403, 403, 403],
  [['api_webhooks', 'tickets'], undefined, 'may', 'may', 'may'],
  [['admin'], ['tickets:read'], 'may', 403, 403],
  [['admin'], ['tickets:write'], 403, 'may', 403],
  [['admin'], ['purchases:write'], 403, 403, 'may'],
  [['admin'], ['tickets:read', 'tickets:write', 'purchases:write'], 'may', 'may', 'may'],
])(
  'an API token of a user who may %j, with the scopes %j, does on tickets and purchases no more',
  async (permissions, scopes, ...expected) => {
    const client = await newCompany('client');
    const ticket = await newTicket(client);
    const maker = await newUser(client.companyId, permissions);
    const api = caller(ticketApi(), (await maker.ts('POST /api-tokens', { name: 'erp', scopes })).data.token);
    const answers = [
      await api(`GET ${ticket}`),
      await api(`POST ${ticket}/notes`, notes),
      await api(`POST ${ticket}/purchases`, { kind: 'purchase_order', reference: 'PO-1' }),
    ];
    expect(answers.map(may)).toEqual(expected);
    const refused = answers.filter(({ status }) => status === 403).map(({ data }) => data.code);
    expect(new Set(refused)).toEqual(new Set(refused.length > 0 ? [scopes ? 'insufficient_scope' : 'forbidden'] : []));
  },
);

test('every answer carries a request id, errors the documented form', async () => {
  const api = caller(ticketApi());
  const answer = await api('GET /nowhere');
  expect(answer.headers['x-request-id']).toMatch(/.{8,}/);
  const docUrl = `${stack().ticketApi}/guide/errors#unauthorized`;
  expect(answer.data).toEqual({ error: expect.any(String), code: 'unauthorized', doc_url: docUrl });
  const client = await newCompany('client');
  const nowhere = { code: 'not_found', doc_url: `${stack().ticketApi}/guide/errors#not_found` };
  expect((await client.api('GET /nowhere')).data).toMatchObject(nowhere);
  const wrong = await client.api('DELETE /tickets');
  expect([wrong.status, wrong.data.code, wrong.headers['allow']]).toEqual([
    405,
    'method_not_allowed',
    'GET, POST, HEAD',
  ]);
});
