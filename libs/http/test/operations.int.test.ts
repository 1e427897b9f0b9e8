import { metrics } from '@app/runtime';
import { listenOps, Readiness, type ReadyCheck } from '../operations.ts';
import type { Listening } from '../server.ts';
import { aThing, startWeb } from './web.ts';

const local = { host: '127.0.0.1', port: 0 };

describe('operations', () => {
  let ops: Listening;
  let check: ReadyCheck = async () => undefined;
  const draining = new AbortController();
  const readiness = new Readiness(draining.signal);
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${ops.port}${path}`);
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
  };
  beforeAll(async () => {
    ops = await listenOps({ ...local, readiness });
    readiness.add({ mongodb: () => check() });
  });
  afterAll(() => ops.close());
  const readyLines = async () => (await ask('/metrics')).text.split('\n').filter((line) => line.startsWith('ready{'));

  test('a process that responds is alive, whatever the state of its dependencies', async () => {
    check = async () => {
      throw new Error('no database');
    };
    expect(await ask('/healthz')).toMatchObject({ status: 200, text: '{"status":"alive"}' });
  });

  test('it is not ready before it has started', async () => {
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      text: '{"status":"not ready","reason":"it starts"}',
    });
    expect(await readyLines()).toEqual(['ready{reason="starting"} 0']);
    readiness.waitFor(null);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['answers', () => Promise.reject(new Error('no database'))],
    [
      'can be asked',
      () => {
        throw new Error('no database');
      },
    ],
  ])('it is not ready while a dependency no longer %s, and says why', async (_what, ready) => {
    check = ready;
    const { status, text } = await ask('/readyz');
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'not ready', reason: 'no database' }]);
    expect(await readyLines()).toEqual(['ready{reason="mongodb"} 0']);
  });

  test('requests are counted by the pattern of their path, so that ids make no new series', async () => {
    metrics.resetMetrics();
    const web = await startWeb();
    await web.call('GET', `/things/${aThing}`);
    await web.call('GET', `/things/${aThing.replace('0', '1')}`);
    await web.call('GET', '/things/x');
    await web.close();
    const { text, type } = await ask('/metrics?x=1');
    expect(type).toContain('application/openmetrics-text');
    const counts = text.split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count'));
    expect(counts.sort()).toEqual([
      'http_request_duration_seconds_count{method="GET",route="/things/:thing_id",status="200"} 2',
      'http_request_duration_seconds_count{method="GET",route="/things/:thing_id",status="400"} 1',
    ]);
    expect(text).toContain('process_resident_memory_bytes');
  });

  test('any other path is 404', async () => {
    expect((await ask('/metric')).status).toBe(404);
  });

  test('it is ready while all that it needs answers, and not once it drains, though alive', async () => {
    check = async () => undefined;
    expect(await ask('/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    expect(await readyLines()).toEqual(['ready{reason=""} 1']);
    draining.abort();
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      text: '{"status":"not ready","reason":"it stops"}',
    });
    expect((await ask('/healthz')).status).toBe(200);
  });

  test('a check that hangs is not waited for, and is called a timeout', async () => {
    const neverReady = new Readiness(new AbortController().signal);
    neverReady.waitFor(null);
    neverReady.add({ mongodb: () => new Promise(() => undefined) });
    const hanging = await listenOps({ ...local, readiness: neverReady, readyTimeoutMs: 50 });
    const response = await fetch(`http://127.0.0.1:${hanging.port}/readyz`);
    expect(response.status).toBe(503);
    expect(await readyLines()).toEqual(['ready{reason="timeout"} 0']);
    await hanging.close();
  });
});
