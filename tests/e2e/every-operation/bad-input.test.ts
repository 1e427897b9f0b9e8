import { randomUUID } from 'node:crypto';
import { caller, type Member, newTicket, stack } from '../platform.ts';
import {
  callAs,
  isAdministration,
  isPublic,
  nameOf,
  type Operation,
  operations,
  pathParameters,
  pathWith,
} from './operations.ts';
import { createResources, type Resources } from './resources.ts';

/** Bad input of every kind to every documented operation gets the documented error and changes nothing. */
let all: Operation[];
let own: Resources;

beforeAll(async () => {
  [all, own] = await Promise.all([operations(), createResources()]);
});

const withBody = () => all.filter(({ body }) => body !== null);
const member = (operation: Operation): Member => {
  // The one operation for contractors only.
  if (operation.path === '/api/v3.0/clients') return own.contractor;
  if (!isAdministration(operation)) return own.owner;
  const ts = caller(stack().tsApi, stack().adminToken);
  return { ...own.owner, ts };
};
/** A provider's webhook needs a signature before its body is checked, and allows unknown fields: it has a table in services/connection/test/webhooks. */
const reachable = ({ path }: Operation) => !path.includes('{provider}');

type Fault = { path: string; message: string };
const paths = (data: { errors?: Fault[] }) => (data.errors ?? []).map(({ path }) => path);

async function send(operation: Operation, body: unknown) {
  return callAs(member(operation), operation, pathWith(operation, own.ids), body);
}

test('an unknown field is named, on every operation with a body', async () => {
  for (const operation of withBody().filter(reachable)) {
    const { status, data } = await send(operation, { no_such_field: 1 });
    expect([nameOf(operation), status, paths(data)]).toEqual([
      nameOf(operation),
      422,
      expect.arrayContaining(['no_such_field']),
    ]);
    expect(data.message).toBe('Validation error');
  }
});

test('every required field that is missing is named, at once', async () => {
  const requiring = withBody().filter(({ body }) => (body?.required?.length ?? 0) > 0);
  expect(requiring.length).toBeGreaterThan(8);
  for (const operation of requiring.filter(reachable)) {
    const { status, data } = await send(operation, {});
    expect([nameOf(operation), status, paths(data)]).toEqual([
      nameOf(operation),
      422,
      expect.arrayContaining(operation.body?.required ?? []),
    ]);
  }
});

test('the webhook of a provider is the only operation that is left out here', () => {
  expect(all.filter((operation) => !reachable(operation)).map(nameOf)).toEqual([
    'ts POST /webhooks/invoice-providers/{provider}',
  ]);
});

/** Fields that take any JSON, which is stored as a text. */
const freeForm = ['ts PUT /auth/preferences views'];

test.each([
  ['an operator', { $gt: '' }],
  ['an operator in a list', [{ $ne: null }]],
])('%s instead of a value is refused, in every field of every body', async (_name, injected) => {
  for (const operation of withBody().filter(reachable)) {
    for (const field of Object.keys(operation.body?.properties ?? {})) {
      if (freeForm.includes(`${nameOf(operation)} ${field}`)) continue;
      const { status, data } = await send(operation, { [field]: injected });
      const named = paths(data).some((path) => path === field || path.startsWith(`${field}.`));
      expect([nameOf(operation), field, status, named]).toEqual([nameOf(operation), field, 422, true]);
    }
  }
});

test('a text that is one character too long is named', async () => {
  const fields = withBody()
    .filter(reachable)
    .flatMap((operation) =>
      Object.entries(operation.body?.properties ?? {}).map(([field, schema]) => ({
        operation,
        field,
        max: schema.maxLength,
      })),
    );
  const bounded = fields.filter(({ max }) => max !== undefined && max < 100_000);
  expect(bounded.length).toBeGreaterThan(10);
  for (const { operation, field, max } of bounded) {
    const { status, data } = await send(operation, { [field]: 'x'.repeat((max ?? 0) + 1) });
    expect([nameOf(operation), field, status, paths(data).includes(field)]).toEqual([
      nameOf(operation),
      field,
      422,
      true,
    ]);
  }
});

test('malformed JSON is 400 invalid_json, a body over 1 MB is 413, another type 415', async () => {
  for (const operation of withBody().filter(reachable)) {
    const line = `${operation.method} ${pathWith(operation, own.ids)}`;
    const call = caller(
      operation.host === 'ts' ? stack().tsApi : stack().ticketApi,
      isAdministration(operation) ? stack().adminToken : own.owner.session,
    );
    const malformed = await call(line, Buffer.from('{"title": '), { 'content-type': 'application/json' });
    expect([nameOf(operation), malformed.status, malformed.data.code]).toEqual([
      nameOf(operation),
      400,
      'invalid_json',
    ]);
    const typed = await call(line, 'a=b', { 'content-type': 'text/plain' });
    expect([nameOf(operation), typed.status, typed.data.code]).toEqual([
      nameOf(operation),
      415,
      'unsupported_media_type',
    ]);
  }
  const large = await own.owner.api('POST /tickets', { title: 'x', description: 'x'.repeat(1_100_000) });
  expect([large.status, large.data.code]).toEqual([413, 'payload_too_large']);
});

/** The answer to a malformed id: 400 on the ticket API, 404 elsewhere, with exceptions (docs/api.md). */
function malformedId({ host, path }: Operation): [number, unknown] {
  if (path.includes('/purchases')) return [400, 'purchase_invalid_ticket_id'];
  if (path.startsWith('/invoices')) return [422, undefined];
  return host === 'ticket' ? [400, 'invalid_id'] : [404, expect.any(String)];
}

test('a malformed id in the path is 400 on the ticket API, 404 on the second, 422 for invoices; an unknown one is 404', async () => {
  const isOfCompany = (operation: Operation) => !isPublic(operation) && !isAdministration(operation);
  const naming = all.filter((operation) => isOfCompany(operation) && pathParameters(operation).length > 0);
  for (const operation of naming) {
    const bad = pathWith(operation, Object.fromEntries(Object.keys(own.ids).map((name) => [name, 'not-an-id'])));
    const malformed = await callAs(own.owner, operation, bad);
    const { status, data } = malformed;
    expect([nameOf(operation), status, data.code]).toEqual([nameOf(operation), ...malformedId(operation)]);
    const none = pathWith(operation, Object.fromEntries(Object.keys(own.ids).map((name) => [name, 'f'.repeat(24)])));
    expect([nameOf(operation), (await callAs(own.owner, operation, none)).status]).toEqual([nameOf(operation), 404]);
  }
});

test('unknown, repeated and operator parameters of a query are named', async () => {
  const reads = all.filter((operation) => operation.method === 'GET' && !isPublic(operation) && reachable(operation));
  for (const operation of reads) {
    for (const query of ['no_such=1', 'status[$ne]=x', 'limit[$gt]=1']) {
      const { status, data } = await callAs(member(operation), operation, `${pathWith(operation, own.ids)}?${query}`);
      expect([nameOf(operation), query, status, paths(data).length > 0]).toEqual([nameOf(operation), query, 422, true]);
    }
  }
});

test.each([
  'limit=0',
  'limit=201',
  'limit=x',
  'cursor=abc',
  'status=nonsense',
  'status=opened,nonsense',
  'updated_after=2026-01-01',
  'created_after=-1',
  'created_before=1e3',
  'assigned_after=',
  'interventions=yes',
  'typology=5ebb096fe1bde10a7ee2134f',
  'client_id=1',
  'status=opened&status=closed',
])('GET /tickets?%s is 422', async (query) => {
  const { status, data } = await own.owner.api(`GET /tickets?${query}`);
  expect([status, paths(data)]).toEqual([422, [query.split('=')[0]]]);
});

test('of a client, client_id is 403; statuses that no ticket carries match nothing', async () => {
  const refused = await own.owner.api(`GET /tickets?client_id=${own.owner.companyId}`);
  expect([refused.status, refused.data.code]).toEqual([403, 'client_id_contractors_only']);
  expect((await own.owner.api('GET /tickets?status=created,accepted,expired,cashedby')).data).toEqual({
    cursor: null,
    tickets: [],
  });
});

test('a refused creation creates nothing, a refused move moves nothing', async () => {
  const title = randomUUID();
  const count = async () =>
    (await own.owner.api('GET /tickets?limit=200')).data.tickets.filter(
      (ticket: { title: string }) => ticket.title === title,
    ).length;
  for (const bad of [
    { priority: 'urgent' },
    { location_ids: ['f'.repeat(24)] },
    { price_threshold: '12' },
    { description: 'x'.repeat(10_001) },
    { fields: [{}] },
  ]) {
    expect((await own.owner.api('POST /tickets', { title, ...bad })).status).toBe(422);
  }
  expect(await count()).toBe(0);
  const ticket = await newTicket(own.owner, { title });
  const before = (await own.owner.api(`GET ${ticket}`)).data;
  const forbidden = await own.owner.api(`POST ${ticket}/ask-for-date`);
  expect([forbidden.status, forbidden.data]).toEqual([
    409,
    {
      error: expect.stringContaining('opened'),
      code: 'ticket_transition_forbidden',
      from: 'opened',
      operation: 'ask_for_date',
      doc_url: expect.stringMatching(/\/guide\/errors#ticket_transition_forbidden$/),
    },
  ]);
  expect((await own.owner.api(`PUT ${ticket}/finish`, { reserve: true })).status).toBe(422);
  expect((await own.owner.api(`POST ${ticket}/accept`)).data.code).toBe('forbidden');
  expect((await own.owner.api(`GET ${ticket}`)).data).toEqual(before);
});

test.each([
  [{ start: 'soon', end: 1, type: 'planned' }, ['start']],
  [{ start: 2, end: 1, type: 'planned' }, ['end']],
  [{ start: true, end: {}, type: 'later' }, ['start', 'end', 'type']],
  [{ start: 1, end: 2, type: 'planned', category: 'party' }, ['category']],
  [{ start: 8.7e15, end: '2026-13-45', type: 'actual' }, ['start', 'end']],
])('POST dates %j names %j', async (body, expected) => {
  const ticket = await newTicket(own.owner);
  const { status, data } = await own.owner.api(`POST ${ticket}/dates`, body);
  expect([status, [...new Set(paths(data))].sort()]).toEqual([422, [...expected].sort()]);
});
