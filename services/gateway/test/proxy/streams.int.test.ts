import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { eventually } from '@app/testing';
import { caller, session, startUpstream, withCookie } from '../gateway.ts';
import { type Options, startWith, stopAfter, stopAll } from '../upstreams.ts';

afterEach(stopAll);

const path = '/notifications/stream';
const as = withCookie();
const get = { headers: { ...as, 'sec-fetch-site': 'same-origin' } };

/** A gateway before an identity that begins a stream for each who asks, and leaves it to the test. */
async function startStreaming(options: Options = {}) {
  const streams: { req: IncomingMessage; res: ServerResponse }[] = [];
  const identity = await startUpstream((req, res) => {
    if (req.url === '/internal/credentials') {
      res.end(JSON.stringify({ principal: { kind: 'caller', caller }, expiresAt: null }));
    } else if (req.url === path) {
      streams.push({ req, res });
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    } else res.end('{}');
  });
  stopAfter(identity.close);
  const started = await startWith({ ...options, services: { identity: identity.url } });
  /** A client that has got the beginning of a stream. */
  async function open() {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: started.ports.ts, path, agent: false, ...get }, resolve);
      sent.on('error', reject).end();
    });
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => response.on('close', resolve));
    await eventually(() => expect(text).toContain(':'));
    return { response, text: () => text, closed };
  }
  return { ...started, streams, open };
}

test('a stream that has begun is none of the requests at once, and comes with its session', async () => {
  const one = { maxInFlight: 1, maxInFlightPerAddress: 1, maxInFlightPerCredential: 1 };
  const { open, streams, call } = await startStreaming(one);
  const [first, second] = [await open(), await open()];
  expect((await call('ts', 'GET', '/notifications/count', get)).status).toBe(200);
  expect(streams.map(({ req }) => req.headers['x-session-token'])).toEqual([session, session]);
  for (const { res } of streams) res.write('data: 1\n\n');
  for (const { text } of [first, second]) await eventually(() => expect(text()).toBe(':\n\ndata: 1\n\n'));
});

test('it may be silent for longer than a service may take to answer', async () => {
  const { open, streams } = await startStreaming({ upstreamTimeoutMs: 2_000 });
  const { text } = await open();
  setTimeout(() => streams[0]?.res.write('late\n\n'), 3_000);
  await eventually(() => expect(text()).toContain('late'));
});

test('it ends for the service when its client leaves, and for the client when the service ends it', async () => {
  const { open, streams } = await startStreaming();
  const [left, ended] = [await open(), await open()];
  const gone = new Promise<void>((resolve) => streams[0]?.res.on('close', resolve));
  left.response.destroy();
  await gone;
  streams[1]?.res.end('bye');
  await ended.closed;
  expect([ended.text(), ended.response.complete]).toEqual([':\n\nbye', true]);
});

test('a gateway that is about to stop ends its streams and begins none', async () => {
  const { open, streams, gateway, call } = await startStreaming();
  const stream = await open();
  const gone = new Promise<void>((resolve) => streams[0]?.res.on('close', resolve));
  gateway.drain();
  await Promise.all([stream.closed, gone]);
  expect((await call('ts', 'GET', path, get)).status).toBe(503);
  expect((await call('ts', 'GET', '/notifications/count', get)).status).toBe(200);
});
