import { request } from 'node:http';
import { eventually } from '@app/testing';
import { aThing, startWeb } from './web.ts';

let web: Awaited<ReturnType<typeof startWeb>>;
beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.close());
beforeEach(() => {
  web.logger.lines.length = 0;
});

const errors = () => web.logger.lines.filter(({ level }) => level === 'error');
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each(['req_12345678', '0f8fad5b-d9cb-469f-a165-70867728950e', 'a.b-c_d.8'])(
  'the request id %s is used in the response and in the handler',
  async (given) => {
    const { headers, body } = await web.call('POST', '/things', {
      body: { title: 'x' },
      headers: { 'x-request-id': given },
    });
    expect([headers.get('x-request-id'), body['requestId']]).toEqual([given, given]);
  },
);

test.each(['short', 'x'.repeat(129), 'with space', '<script>alert(1)</script>'])(
  'the request id %s is replaced by one of ours',
  async (given) => {
    const { headers } = await web.call('GET', '/things', { headers: { 'x-request-id': given } });
    expect(headers.get('x-request-id')).toMatch(uuid);
  },
);

test.each([
  ['content', 'GET', '/things', 200],
  ['no content', 'POST', `/ts/things/${aThing}/touch`, 204],
  ['401', 'GET', '/internal/platform', 403],
  ['404', 'GET', '/nothing', 404],
  ['405', 'DELETE', '/things', 405],
  ['400', 'GET', '/things/%zz', 400],
  ['422', 'GET', '/things?x=1', 422],
  ['500', 'GET', '/broken/unexpected', 500],
  ['OPTIONS', 'OPTIONS', '/things', 204],
])(
  'a response with %s carries a request id, and does not name the server software',
  async (_what, method, path, status) => {
    const answer = await web.call(method, path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).toMatch(uuid);
    expect(answer.headers.get('x-powered-by')).toBeNull();
  },
);

test('an unexpected error is answered without detail, with the request id, and logged', async () => {
  const { status, body } = await web.call('GET', '/broken/unexpected', { headers: { 'x-request-id': 'request-1' } });
  expect([status, body]).toEqual([
    500,
    { error: 'Something went wrong on our side (request request-1)', code: 'internal_error', request_id: 'request-1' },
  ]);
  expect(errors()).toEqual([
    {
      level: 'error',
      message: 'request failed',
      fields: {
        method: 'GET',
        path: '/broken/unexpected',
        error: expect.objectContaining({ message: 'secret detail' }),
      },
    },
  ]);
});

test.each([
  ['unavailable', 502, 'service_unavailable'],
  ['database', 502, 'service_unavailable'],
  ['overloaded', 503, 'overloaded'],
  ['timeout', 504, 'service_timeout'],
  ['of-another', 500, 'internal_error'],
])('a request that fails as %s is answered %d', async (how, status, code) => {
  const answer = await web.call('GET', `/broken/${how}`);
  expect([answer.status, answer.body['code']]).toEqual([status, code]);
  expect(answer.headers.get('retry-after')).toBe(how === 'overloaded' ? '1' : null);
});

test('other failures log one line a second, with the cause, the request id and the number of similar ones', async () => {
  const ask = (id: string) => web.call('GET', '/broken/of-a-cause', { headers: { 'x-request-id': id } });
  const answer = await ask('request-3');
  expect([answer.status, answer.text.includes('10.0.0.7')]).toEqual([502, false]);
  for (let i = 0; i < 20; i += 1) await ask('request-4');
  const [first, ...others] = web.logger.lines.filter(({ level }) => level === 'warn');
  expect(first).toEqual({
    level: 'warn',
    message: 'request could not be served',
    fields: {
      requestId: 'request-3',
      method: 'GET',
      path: '/broken/of-a-cause',
      code: 'thing_unavailable',
      alike: 0,
      reason: 'away',
      cause: 'no primary: connect ECONNREFUSED 10.0.0.7',
    },
  });
  // However slow the machine is: a line for each of 21 would mean more than a second between any two.
  expect(others.length).toBeLessThan(20);
});

test('the details of an error stand beside it', async () => {
  const { status, body } = await web.call('PUT', `/things/${aThing}`, { body: { title: 'x' } });
  expect([status, body]).toEqual([409, { error: 'it is frozen', code: 'thing_frozen', from: 'frozen', title: 'x' }]);
});

test('an error in the middle of an answer breaks the connection and is logged', async () => {
  const answer = web.call('GET', '/broken/halfway');
  await expect(answer).rejects.toThrow();
  expect(errors()).toEqual([
    { level: 'error', message: 'response aborted', fields: expect.objectContaining({ path: '/broken/halfway' }) },
  ]);
});

test("a client that goes away in the middle of an answer is nobody's fault", async () => {
  await new Promise<void>((resolve) => {
    const req = request(`${web.url}/broken/left`, (res) => {
      res.once('data', () => {
        res.destroy();
        resolve();
      });
    });
    req.end();
  });
  await eventually(() =>
    expect(web.logger.lines.map(({ message }) => message)).toContain('client closed the connection'),
  );
  expect(errors()).toEqual([]);
});

test('a handler may answer with another status, and without a body', async () => {
  const answers = [202, 204].map((status) => web.call('POST', '/answers', { body: { status } }));
  const [accepted, empty] = await Promise.all(answers);
  expect([accepted?.status, accepted?.body]).toEqual([202, { status: 202 }]);
  expect([empty?.status, empty?.text]).toEqual([204, '']);
});

test('a response names the pattern of its path to the gateway', async () => {
  const route = async (path: string) => (await web.call('GET', path)).headers.get('x-route');
  expect(await route(`/things/${aThing}`)).toBe('/things/:thing_id');
  expect(await route('/nothing')).toBeNull();
});

test('a route that is to go says so, also in an error; others do not', async () => {
  const notices = async (path: string, as?: null) => {
    const { status, headers } = await web.call('GET', path, as === null ? { as } : {});
    return [status, headers.get('deprecation'), headers.get('sunset')];
  };
  const notice = ['@1795392000', 'Tue, 01 Jun 2027 00:00:00 GMT'];
  expect(await notices('/things/latest')).toEqual([200, ...notice]);
  expect(await notices('/things/latest', null)).toEqual([401, ...notice]);
  expect(await notices('/things')).toEqual([200, null, null]);
});

test('each request is logged in one line', async () => {
  await web.call('GET', '/things?status=secret', { headers: { 'x-request-id': 'request-2' } });
  await eventually(() =>
    expect(web.logger.lines).toEqual([
      {
        level: 'debug',
        message: 'request',
        fields: { requestId: 'request-2', method: 'GET', path: '/things', status: 200, durationMs: expect.any(Number) },
      },
    ]),
  );
});

test('the token of a download link, which lets whoever has it read the file, is in no line', async () => {
  await web.call('GET', '/files/the-token-of-a-link?inline=1');
  await eventually(() => expect(web.logger.lines).toMatchObject([{ fields: { path: '/files/…' } }]));
  expect(JSON.stringify(web.logger.lines)).not.toContain('the-token');
});
