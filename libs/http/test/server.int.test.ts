import type { RequestListener } from 'node:http';
import { Agent, get, type IncomingMessage } from 'node:http';
import { metrics } from '@app/runtime';
import { eventually } from '@app/testing';
import { type Listening, listen, listenOps } from '../server.ts';
import { aThing, startWeb } from './web.ts';

const local = { host: '127.0.0.1', port: 0 };

describe('operations', () => {
  let ops: Listening;
  let readiness: () => Promise<unknown> = async () => undefined;
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${ops.port}${path}`);
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
  };
  beforeAll(async () => {
    ops = await listenOps({ ...local, ready: () => readiness() });
  });
  afterAll(() => ops.close());

  test('a process that answers is alive, whatever it needs', async () => {
    readiness = async () => {
      throw new Error('no database');
    };
    expect(await ask('/healthz')).toMatchObject({ status: 200, text: '{"status":"alive"}' });
  });

  test('it is ready while what it needs answers', async () => {
    readiness = async () => undefined;
    expect(await ask('/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['answers', () => Promise.reject(new Error('no database'))],
    [
      'can be asked',
      () => {
        throw new Error('no database');
      },
    ],
  ])('while what it needs no longer %s it is not, and says why', async (_what, ready) => {
    readiness = ready;
    const { status, text } = await ask('/readyz');
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'not ready', reason: 'no database' }]);
  });

  test('a check that hangs is not waited for', async () => {
    const hanging = await listenOps({ ...local, ready: () => new Promise(() => undefined), readyTimeoutMs: 50 });
    const response = await fetch(`http://127.0.0.1:${hanging.port}/readyz`);
    expect(response.status).toBe(503);
    await hanging.close();
  });

  test('requests are counted by the pattern of their path, so that ids make no new series', async () => {
    metrics.resetMetrics();
    const web = await startWeb();
    await web.call('GET', `/things/${aThing}`);
    await web.call('GET', `/things/${aThing.replace('0', '1')}`);
    await web.call('GET', '/things/x');
    await web.close();
    const { text, type } = await ask('/metrics?x=1');
    expect(type).toContain('text/plain');
    const counts = text.split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count'));
    expect(counts.sort()).toEqual([
      'http_request_duration_seconds_count{method="GET",route="/things/:thing_id",status="200"} 2',
      'http_request_duration_seconds_count{method="GET",route="/things/:thing_id",status="400"} 1',
    ]);
    expect(text).toContain('process_resident_memory_bytes');
  });

  test('anything else is not there', async () => {
    expect((await ask('/metric')).status).toBe(404);
  });
});

describe('closing', () => {
  /** What holds a close up is cut then: one that ends before was not held up. */
  const cutAfterMs = 10_000;
  const agent = new Agent({ keepAlive: true });
  afterAll(() => agent.destroy());

  async function begin(handler: RequestListener) {
    const server = await listen(handler, local);
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      get({ port: server.port, host: '127.0.0.1', agent }, resolve).on('error', reject);
    });
    return { server, answer };
  }

  test('a request under way is answered, no other is taken, and connections kept alive hold nothing up', async () => {
    let finish: (() => void) | undefined;
    const { server, answer } = await begin((_req, res) => {
      finish = () => res.end('done');
    });
    await eventually(() => expect(finish).toBeDefined());
    const started = Date.now();
    const closed = server.close();
    await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow();
    finish?.();
    const res = await answer;
    expect(res.statusCode).toBe(200);
    res.resume();
    await closed;
    expect(Date.now() - started).toBeLessThan(cutAfterMs);
  });

  test('a connection that is idle holds nothing up', async () => {
    const { server, answer } = await begin((_req, res) => void res.end('done'));
    (await answer).resume();
    const started = Date.now();
    await server.close();
    expect(Date.now() - started).toBeLessThan(cutAfterMs);
  });

  test('a port that is taken is told', async () => {
    const server = await listen((_req, res) => void res.end(), local);
    await expect(listen((_req, res) => void res.end(), { ...local, port: server.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await server.close();
  });
});
