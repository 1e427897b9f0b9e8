import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { hostDocuments } from '../../tools/generate-docs/api/host-documents.ts';
import { breaksBetween, type Document } from './surface.ts';

/** The documents of the release before, as `tests/upgrade/make-fixture.ts` got them from its gateway. */
const file = join(__dirname, '../upgrade/fixture/openapi.json.gz');
const before = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<'ticket' | 'ts', Document>;

test.each(['ticket', 'ts'] as const)(
  'the %s API takes and answers what that of the release before did',
  async (host) => {
    const after = (await hostDocuments(join(__dirname, '../..')))[host] as Document;
    expect(breaksBetween(before[host], after)).toEqual([]);
  },
);

type Holder = Record<string, unknown>;
const at = (holder: unknown, ...keys: string[]) => keys.reduce((one, key) => one[key] as Holder, holder as Holder);
const tickets = (document: Document) => at(document.paths, '/api/v3.0/tickets');
const ticket = (document: Document) => at(document, 'components', 'schemas', 'Ticket');
const newTicket = (document: Document) =>
  at(tickets(document), 'post', 'requestBody', 'content', 'application/json', 'schema');
const without = (holder: object, key: string) => Reflect.deleteProperty(holder, key);
const statusOf = (document: Document) => at(ticket(document), 'properties', 'status') as { enum: string[] };

test.each<[string, (document: Document) => unknown, string]>([
  ['a path', (one) => without(one.paths, '/api/v3.0/tickets'), 'gone: POST /api/v3.0/tickets'],
  ['an operation', (one) => without(tickets(one), 'post'), 'gone: POST /api/v3.0/tickets'],
  [
    'a parameter',
    (one) => (at(tickets(one), 'get')['parameters'] as object[]).shift(),
    'gone: GET /api/v3.0/tickets query limit',
  ],
  [
    'a field of a request',
    (one) => without(at(newTicket(one), 'properties'), 'priority'),
    'gone: POST /api/v3.0/tickets body application/json.priority',
  ],
  [
    'a field of an answer',
    (one) => without(at(ticket(one), 'properties'), 'number'),
    'gone: GET /api/v3.0/tickets/{ticket_id} 200 application/json.number',
  ],
  [
    'a value of an enum',
    (one) => statusOf(one).enum.pop(),
    'gone: GET /api/v3.0/tickets/{ticket_id} 200 application/json.status = "removed"',
  ],
  [
    'the type of a field',
    (one) => Object.assign(statusOf(one), { type: 'integer' }),
    'gone: GET /api/v3.0/tickets/{ticket_id} 200 application/json.status: string',
  ],
  [
    'that a field is optional in requests',
    (one) => (newTicket(one)['required'] as string[]).push('priority'),
    'new: POST /api/v3.0/tickets body application/json.priority required',
  ],
  [
    'that a field is always in answers',
    (one) => (ticket(one)['required'] as string[]).splice(0),
    'new: GET /api/v3.0/tickets/{ticket_id} 200 application/json.status optional',
  ],
  [
    'that a field is never null',
    (one) => Object.assign(statusOf(one), { type: ['string', 'null'] }),
    'new: GET /api/v3.0/tickets/{ticket_id} 200 application/json.status: null',
  ],
])('%s that goes breaks callers', (_, change, broken) => {
  const after = structuredClone(before.ticket);
  change(after);
  expect(breaksBetween(before.ticket, after)).toContain(broken);
});

test('what is new breaks nobody, and what was deprecated may go', () => {
  const after = structuredClone(before.ticket);
  const added = { type: 'object', properties: { must: { type: ['string', 'null'] } }, required: ['must'] };
  Object.assign(at(newTicket(after), 'properties'), { added });
  Object.assign(at(ticket(after), 'properties'), { added: { ...added, required: [] } });
  statusOf(after).enum.push('new');
  Object.assign(after.paths, { '/new': tickets(after) });
  expect(breaksBetween(before.ticket, after)).toEqual([]);
  const deprecated = structuredClone(before.ticket);
  Object.assign(at(tickets(deprecated), 'post'), { deprecated: true });
  without(tickets(after), 'post');
  expect(breaksBetween(deprecated, after)).toEqual([]);
});
