import { startUpstream } from '../gateway.ts';
import { startWith, stopAfter, stopAll } from '../upstreams.ts';

afterEach(stopAll);

test.each([
  ['ticket', 'api.example.com'],
  ['ts', 'ts.example.com'],
  ['download', 'files.example.com'],
] as const)(
  'the pages for integrators of %s come from the console, which is told the host %s',
  async (host, address) => {
    const service = await startUpstream();
    stopAfter(service.close);
    const { call } = await startWith({ services: { console: service.url }, rateLimitPerMinute: 3 });
    const paths = ['/openapi.json', '/docs', '/guide/errors'];
    for (const path of paths) expect((await call(host, 'GET', path)).status).toBe(200);
    const asked = service.asked.map(({ url, headers }) => [url, headers['x-forwarded-host'], headers['authorization']]);
    expect(asked).toEqual(paths.map((path) => [path, address, undefined]));
    // Reading them costs their reader no requests of the API.
    expect((await call(host, 'GET', '/docs')).status).toBe(429);
    expect((await call(host, 'GET', '/nothing')).status).toBe(404);
  },
);

test.each(['/openapi.json', '/docs', '/guide/', '/console'])(
  'without the console %s is 404 and says why',
  async (path) => {
    const { call } = await startWith();
    expect(await call('ts', 'GET', path)).toMatchObject({
      status: 404,
      body: { code: 'not_found', error: 'this platform runs without console, which answers here' },
    });
  },
);
