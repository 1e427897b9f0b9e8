import { randomUUID } from 'node:crypto';
import { caller, type Member, newTicket, stack } from '../platform.ts';
import {
  callAs,
  isAdministration,
  isPublic,
  nameOf,
  type Operation,
  operations,
  outcomesOf,
  pathParameters,
  pathWith,
  type Schema,
} from './operations.ts';
import { createResources, type Resources } from './resources.ts';

/** Bad input of every kind to every documented operation gets the documented error and changes nothing. */
let all: Operation[];
let own: Resources;

beforeAll(async () => {
  [all, own] = await Promise.all([operations(), createResources()]);
});

const administrator = () => caller(stack().tsApi, stack().adminToken);
const member = (operation: Operation): Member => {
  // The operations for contractors only.
  if (operation.path.startsWith('/api/v3.0/clients')) return own.contractor;
  return isAdministration(operation) ? { ...own.owner, ts: administrator() } : own.owner;
};
/** A provider's webhooks need a signature before the body is checked, and allow unknown fields: services/connection/test tests them. */
const reachable = ({ path }: Operation) => !path.includes('{provider}');
const withBody = () => all.filter((operation) => operation.body !== null && reachable(operation));

type Fault = { path: string; message: string };
const paths = (data: { errors?: Fault[] }) => (data.errors ?? []).map(({ path }) => path);

test('the webhooks of a provider are the only operations that are left out here', () => {
  expect(all.filter((operation) => !reachable(operation)).map(nameOf)).toEqual([
    'ts POST /webhooks/invoice-providers/{provider}',
    'ts POST /webhooks/invoice-providers/{provider}/{connectionId}',
  ]);
});

/** Fields that take any JSON, which is stored as a text. */
const freeForm = ['ts PUT /auth/preferences views'];
type Field = [name: string, schema: Schema];
const fieldsOf = (operation: Operation): Field[] =>
  Object.entries(operation.body?.properties ?? {}).filter(
    ([field]) => !freeForm.includes(`${nameOf(operation)} ${field}`),
  );
const isBounded = ([, { maxLength }]: Field) => maxLength !== undefined && maxLength < 100_000;

test.each<[string, (operation: Operation) => Record<string, unknown>, (operation: Operation) => string[]]>([
  [
    'an unknown field and every required one that is missing',
    () => ({ no_such_field: 1 }),
    ({ body }) => ['no_such_field', ...(body?.required ?? [])],
  ],
  [
    'an operator instead of a value, in every field',
    (operation) => Object.fromEntries(fieldsOf(operation).map(([field]) => [field, { $gt: '' }])),
    (operation) => fieldsOf(operation).map(([field]) => field),
  ],
  [
    'an operator in a list, in every field',
    (operation) => Object.fromEntries(fieldsOf(operation).map(([field]) => [field, [{ $ne: null }]])),
    (operation) => fieldsOf(operation).map(([field]) => field),
  ],
  [
    'every text that is one character too long',
    (operation) =>
      Object.fromEntries(
        fieldsOf(operation)
          .filter(isBounded)
          .map(([field, { maxLength = 0 }]) => [field, 'x'.repeat(maxLength + 1)]),
      ),
    (operation) =>
      fieldsOf(operation)
        .filter(isBounded)
        .map(([field]) => field),
  ],
])('%s: 422 that names it, at once, on every operation with a body', async (_what, bodyOf, namedIn) => {
  const sending = withBody().filter((operation) => namedIn(operation).length > 0);
  expect(sending.length).toBeGreaterThan(20);
  for (const operation of sending) {
    const { status, data } = await callAs(
      member(operation),
      operation,
      pathWith(operation, own.ids),
      bodyOf(operation),
    );
    const named = paths(data).map((path) => path.split('.')[0]);
    expect([nameOf(operation), status, data.message, named]).toEqual([
      nameOf(operation),
      422,
      'Validation error',
      expect.arrayContaining(namedIn(operation)),
    ]);
  }
});

test.each([
  ['malformed JSON', '{"title": ', 'application/json', 400, 'invalid_json'],
  ['another type', 'a=b', 'text/plain', 415, 'unsupported_media_type'],
])('%s is refused, on every operation with a body', async (_what, text, type, status, code) => {
  const outcomes = await outcomesOf(withBody(), (operation) => {
    const call = operation.host === 'ts' ? member(operation).ts : caller(stack().ticketApi, own.owner.session);
    return call(`${operation.method} ${pathWith(operation, own.ids)}`, Buffer.from(text), { 'content-type': type });
  });
  expect(outcomes.filter((outcome) => outcome.status !== status || outcome.code !== code)).toEqual([]);
});

test('a body over 1 MB is 413', async () => {
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
    const malformed = await callAs(member(operation), operation, bad);
    const { status, data } = malformed;
    expect([nameOf(operation), status, data.code]).toEqual([nameOf(operation), ...malformedId(operation)]);
    const none = pathWith(operation, Object.fromEntries(Object.keys(own.ids).map((name) => [name, 'f'.repeat(24)])));
    expect([nameOf(operation), (await callAs(member(operation), operation, none)).status]).toEqual([
      nameOf(operation),
      404,
    ]);
  }
});

test('unknown and operator parameters of a query are named, on every operation that reads', async () => {
  const reads = all.filter((operation) => operation.method === 'GET' && !isPublic(operation) && reachable(operation));
  const query = 'no_such=1&status[$ne]=x&limit[$gt]=1';
  for (const operation of reads) {
    const { status, data } = await callAs(member(operation), operation, `${pathWith(operation, own.ids)}?${query}`);
    expect([nameOf(operation), status, paths(data)]).toEqual([
      nameOf(operation),
      422,
      expect.arrayContaining(['limit[$gt]', 'no_such', 'status[$ne]']),
    ]);
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
