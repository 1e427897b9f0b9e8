import { before, stopAll } from '../upstreams.ts';

afterEach(stopAll);

const file = '/files/key.payload.signature';
const own = { origin: 'https://ts.example.com' };
const cors = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(vary|access-control-.*)$/.test(name)));

/** A service that answers with a range, or that the link is not valid. */
const aService = () =>
  before((req, res) => {
    if (req.url === file) res.writeHead(206, { 'Content-Range': 'bytes 0-3/9', ETag: '"a"' }).end('%PDF');
    else res.writeHead(404, { 'content-type': 'application/json' }).end('{"code":"file_not_found"}');
  });

test("a page of the second API's origin reads a file, its parts, and why there is none", async () => {
  const { call } = await aService();
  for (const [path, status] of [
    [file, 206],
    ['/files/expired', 404],
  ] as const) {
    const answer = await call('download', 'GET', path, { headers: { ...own, range: 'bytes=0-3' } });
    expect([answer.status, cors(answer.headers)]).toEqual([
      status,
      {
        vary: 'Origin',
        'access-control-allow-origin': own.origin,
        'access-control-expose-headers': expect.stringMatching(
          /Accept-Ranges, .*Content-Length, Content-Range, ETag.*X-Request-Id/,
        ),
      },
    ]);
  }
});

test('a preflight request is answered without the service', async () => {
  const { call, upstream } = await aService();
  const asks = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'if-range,range' };
  const answer = await call('download', 'OPTIONS', file, { headers: { ...own, ...asks } });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': own.origin,
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': 'Range, If-Range, If-None-Match',
    'access-control-max-age': '7200',
  });
  expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  expect(upstream.asked).toEqual([]);
});

test.each([
  'https://evil.test',
  'https://ts.example.com.evil.test',
  'http://ts.example.com',
  'https://api.example.com',
  'https://console.example.com',
  'null',
  undefined,
])('a page of the origin %s reads nothing', async (origin) => {
  const { call } = await before(undefined, { allowedOrigins: 'https://console.example.com' });
  const headers = origin === undefined ? {} : { origin };
  expect(cors((await call('download', 'GET', file, { headers })).headers)).toEqual({ vary: 'Origin' });
  const preflight = { headers: { ...headers, 'access-control-request-method': 'GET' } };
  expect(cors((await call('download', 'OPTIONS', file, preflight)).headers)).toEqual({ vary: 'Origin' });
});

test('no other host or path is opened to other origins', async () => {
  const { call } = await aService();
  const headers = { ...own, 'access-control-request-method': 'GET' };
  for (const [host, path] of [
    ['ticket', '/api/v3.0/tickets'],
    ['ts', '/auth/session'],
    ['ts', '/api/v3.0/tickets'],
    ['download', '/docs'],
    ['download', '/'],
  ] as const) {
    for (const method of ['GET', 'OPTIONS']) {
      expect([path, method, cors((await call(host, method, path, { headers })).headers)]).toEqual([path, method, {}]);
    }
  }
});
