import { request } from 'node:http';
import { aCaller, signAs } from '@app/testing';
import { type Answer, aThing, startWeb } from '../web.ts';

let web: Awaited<ReturnType<typeof startWeb>>;
beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.close());

const post = (body: unknown, headers: Record<string, string> = {}) => web.call('POST', '/things', { body, headers });
const outcome = ({ status, body }: Answer) => [status, body['code']];
const faults = ({ status, body }: Answer) => {
  expect([status, body['message']]).toEqual([422, 'Validation error']);
  return body['errors'] as { path: string; message: string }[];
};
const paths = (answer: Answer) =>
  faults(answer)
    .map(({ path }) => path)
    .sort();

test('valid input reaches the handler as it was sent', async () => {
  const body = { title: 'Leak', size: 3, location_ids: [aThing] };
  expect((await post(body)).body).toMatchObject({ body });
});

test.each(['{', '{"title": }', "{'title': 1}", '{"title":"x"} trailing', 'title=x'])(
  '%s: 400 invalid_json',
  async (text) => {
    expect(outcome(await post(text))).toEqual([400, 'invalid_json']);
  },
);

test.each([
  ['Latin-1', Buffer.from('{"title":"caf\xe9"}', 'latin1')],
  ['a cut character', Buffer.from('{"title":"\xe2\x82"}', 'latin1')],
  ['UTF-16', Buffer.from('{"title":"x"}', 'utf16le')],
  ['half of a surrogate pair', '{"title":"\\ud83d"}'],
  ['its other half', '{"title":"\\uDE00!"}'],
  ['half of a pair in a list', '{"location_ids":["\\ud83dx"]}'],
  ['half of a pair as a key', '{"\\ud83d":1}'],
])('text that cannot be stored as it came, %s: 400 invalid_json', async (_what, body) => {
  expect(outcome(await post(body))).toEqual([400, 'invalid_json']);
});

test.each(['UTF-8', '"utf-8"', 'utf8', 'us-ascii', 'utf-8; profile=x'])('charset=%s is taken', async (charset) => {
  const answer = await post('\ufeff{"title":"\\ud83d\\ude00 \u00e9"}', {
    'content-type': `application/json; charset=${charset}`,
  });
  expect(answer.body).toMatchObject({ body: { title: '\u{1f600} \u00e9' } });
});

test('a text that is empty is told so in plain words', async () => {
  expect(faults(await post({ title: '' }))).toEqual([{ path: 'title', message: 'title must not be empty' }]);
});

test.each(['"text"', '12', 'true', 'null', '[]', '[{"title":"x"}]'])('the JSON %s is no object: 422', async (text) => {
  expect(paths(await post(text))).toEqual(['']);
});

test('an absent body is an empty one', async () => {
  const answer = await web.call('POST', '/things');
  expect(faults(answer)).toEqual([{ path: 'title', message: 'title is required' }]);
});

test('every fault is named at once, with a dotted path, those of the query too', async () => {
  const answer = await web.call('POST', '/things?dry_run=maybe&y=1', {
    body: { title: 'x'.repeat(21), size: 1.5, location_ids: [aThing, 'x', 5], colour: 'red' },
  });
  expect(paths(answer)).toEqual(['colour', 'dry_run', 'location_ids.1', 'location_ids.2', 'size', 'title', 'y']);
  for (const { message } of faults(answer)) expect(message).not.toBe('');
});

test.each([
  ['a text for a number', { title: 'x', size: '12' }, 'size'],
  ['a number for a text', { title: 12 }, 'title'],
  ['a boolean for a number', { title: 'x', size: true }, 'size'],
  ['null', { title: null }, 'title'],
  ['one for a list', { title: 'x', location_ids: aThing }, 'location_ids'],
  ['an object for a text', { title: { $gt: '' } }, 'title'],
  ['a number too large for one', '{"title":"x","size":1e400}', 'size'],
])('%s is refused', async (_what, body, path) => {
  expect(paths(await post(body))).toEqual([path]);
});

test.each([
  ['__proto__', '{"title":"x","__proto__":{"size":1}}', '__proto__'],
  ['__proto__, written otherwise', '{"title":"x","\\u005f_proto__":{"size":1}}', '__proto__'],
  ['__proto__ in place of what is required', '{"__proto__":{"title":"x"}}', '__proto__'],
  ['constructor', '{"title":"x","constructor":{"prototype":{}}}', 'constructor'],
  ['an operator', '{"title":"x","$where":"1"}', '$where'],
  ['a dotted key', '{"title":"x","a.b":1}', 'a.b'],
])('%s as a key is refused', async (_what, body, path) => {
  const answer = await post(body);
  expect(paths(answer)).toContain(path);
  expect(({} as { size?: number }).size).toBeUndefined();
});

test('query parameters are converted to their types', async () => {
  expect((await web.call('GET', '/things?limit=12&status=open')).body).toEqual({
    query: { limit: 12, status: 'open' },
  });
});

test('an empty cursor is that of the first page', async () => {
  expect((await web.call('GET', '/things?cursor=&limit=3')).body).toEqual({ query: { limit: 3 } });
});

test.each([
  ['unknown', 'page=2', 'page'],
  ['an operator', 'status[$ne]=x', 'status[$ne]'],
  ['an operator, escaped', 'status%5B%24ne%5D=x', 'status[$ne]'],
  ['given twice', 'status=a&status=b', 'status'],
  ['empty', 'limit=', 'limit'],
  ['too large', 'limit=101', 'limit'],
  ['no number', 'limit=ten', 'limit'],
  ['__proto__', '__proto__=1', '__proto__'],
  ['__proto__ with a field', '__proto__[limit]=1', '__proto__[limit]'],
  ['constructor', 'constructor=1', 'constructor'],
])('a query parameter that is %s is refused', async (_what, query, path) => {
  expect(paths(await web.call('GET', `/things?${query}`))).toEqual([path]);
});

test('an operation without query parameters or body refuses any', async () => {
  expect(paths(await web.call('GET', `/things/${aThing}?a=1&b=2`))).toEqual(['a', 'b']);
  expect(paths(await web.call('POST', `/ts/things/${aThing}/touch`, { body: { force: true } }))).toEqual(['force']);
  expect((await web.call('POST', `/ts/things/${aThing}/touch`, { body: {} })).status).toBe(204);
});

test.each([
  '/things/%zz',
  '/things/%',
  '/files/%E0%A4%A',
  '/things/caf%E9',
  '/files/%ff',
  '/files/%ED%A0%BD',
  '/things?status=caf%e9',
  '/things?status=%E2%82',
  '/things?%ff=a',
  '/things?limit=1&status=x%ED%A0%BD',
])('%s, which no one can read: 400 invalid_url', async (path) => {
  expect(outcome(await web.call('GET', path))).toEqual([400, 'invalid_url']);
});

test('a malformed escape in the query is text like any other', async () => {
  expect((await web.call('GET', '/things?status=%zz')).body).toEqual({ query: { status: '%zz' } });
  expect((await web.call('GET', '/things?status=50%+caf%C3%A9%')).body).toEqual({
    query: { status: '50% caf\u00e9%' },
  });
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data; boundary=x'])(
  'a body of type %s: 415',
  async (type) => {
    expect(outcome(await post('{"title":"x"}', { 'content-type': type }))).toEqual([415, 'unsupported_media_type']);
  },
);

test.each([
  ['another charset', { 'content-type': 'application/json; charset=latin1' }],
  ['UTF-16', { 'content-type': 'application/json; charset=utf-16le' }],
  ['an unknown encoding', { 'content-encoding': 'rot13' }],
])('a body in %s: 415', async (_what, headers) => {
  expect(outcome(await post('{"title":"x"}', headers))).toEqual([415, 'unsupported_media_type']);
});

test('a body of 1 MB is read, a larger one refused', async () => {
  const sized = (bytes: number) => `{"title":"${'x'.repeat(bytes - 12)}"}`;
  expect((await post(sized(1_048_576))).status).toBe(422);
  expect(outcome(await post(sized(1_048_577)))).toEqual([413, 'payload_too_large']);
});

/** Sent in chunks: Node sends no content-length for a body that is written piece by piece. */
async function chunked(parts: string[], headers: Record<string, string> = {}): Promise<number | undefined> {
  const { authorization } = await signAs(aCaller());
  return new Promise((resolve, reject) => {
    const req = request(`${web.url}/things`, {
      method: 'POST',
      headers: { authorization, 'transfer-encoding': 'chunked', ...headers },
    });
    req.on('response', (res) => resolve(res.resume().statusCode));
    req.on('error', reject);
    for (const part of parts) req.write(part);
    req.end();
  });
}
const json = { 'content-type': 'application/json' };

test('a body without a length is measured all the same', async () => {
  expect(await chunked(['{"title":"', 'x'.repeat(1_048_576)], json)).toBe(413);
});

test.each([
  ['nothing at all is an empty one', [], {}, 422],
  ['nothing at all of type JSON is an empty one', [], json, 422],
  ['nothing at all of another type is of a wrong type', [], { 'content-type': 'text/plain' }, 415],
  ['anything is of a wrong type', ['{"title":', '"x"}'], {}, 415],
  ['what is of type JSON is read', ['{"title":', '"x"}'], json, 201],
] as const)('a body with neither length nor type: %s', async (_what, parts, headers, status) => {
  expect(await chunked([...parts], headers)).toBe(status);
});
