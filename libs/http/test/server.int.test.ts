import type { RequestListener } from 'node:http';
import { Agent, get, type IncomingMessage } from 'node:http';
import { eventually } from '@app/testing';
import { listen } from '../server.ts';

const local = { host: '127.0.0.1', port: 0 };

describe('closing', () => {
  /** After this time a close cuts what holds it up: one that ends earlier was not held up. */
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

  test('a port that is taken is reported', async () => {
    const server = await listen((_req, res) => void res.end(), local);
    await expect(listen((_req, res) => void res.end(), { ...local, port: server.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await server.close();
  });

  test('while it drains, requests are served, each on a connection that ends with it', async () => {
    const draining = new AbortController();
    const server = await listen((_req, res) => void res.end('done'), { ...local, draining: draining.signal });
    const connectionOf = async () => (await fetch(`http://127.0.0.1:${server.port}/`)).headers.get('connection');
    expect(await connectionOf()).toBe('keep-alive');
    draining.abort();
    expect(await connectionOf()).toBe('close');
    await server.close();
  });
});
