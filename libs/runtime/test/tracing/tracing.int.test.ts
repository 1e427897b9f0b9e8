import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, type ReceivedSpan, startTraceCollector, type TraceCollector } from '@app/testing';
import { type ProxyTracerProvider, trace as tracing } from '@opentelemetry/api';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import {
  batchMember,
  currentIds,
  currentTraceparent,
  detached,
  inBatchSpan,
  inSpan,
  isTracing,
  startChildSpan,
  startRequestSpan,
  startTracing,
  traceHeaders,
} from '../../tracing/index.ts';

let collector: TraceCollector;
let stop: () => Promise<void>;
const lost: string[] = [];
/** What a process without a collector sees: read before tracing starts in this one. */
const before = { isTracing: isTracing(), ids: currentIds(), headers: traceHeaders() };

beforeAll(async () => {
  collector = await startTraceCollector();
  stop = await startTracing({
    service: 'probe',
    version: '1.2.3',
    endpoint: `${collector.url}/`,
    headers: 'x-key=a%20key',
    sampledShare: 1,
    onLost: (reason) => void lost.push(reason),
  });
});
afterAll(async () => {
  await stop();
  await collector.close();
});

/** Sends what waits, instead of a second later. */
const flush = () => ((tracing.getTracerProvider() as ProxyTracerProvider).getDelegate() as TracerProvider).forceFlush();

async function received(name: string): Promise<ReceivedSpan> {
  return eventually(async () => {
    await flush();
    const found = collector.spans().find((span) => span.name === name);
    if (!found) throw new Error(`there is no span ${name}`);
    return found;
  });
}

const trace = 'a'.repeat(32);
const caller = (flags: string) => `00-${trace}-${'b'.repeat(16)}-${flags}`;

test('without a collector there are no spans, no ids and no headers', async () => {
  expect(before).toEqual({ isTracing: false, ids: null, headers: {} });
});

test('a span within another belongs to it, and the collector gets both, with our key', async () => {
  let ids: ReturnType<typeof currentIds> = null;
  await inSpan({ name: 'outer', attributes: { 'app.thing_id': 't1' } }, async () => {
    ids = currentIds();
    await inSpan({ name: 'inner', kind: 'client' }, async () => undefined);
  });
  const [outer, inner] = [await received('outer'), await received('inner')];
  expect(outer).toMatchObject({ service: 'probe', kind: 'internal', parentSpanId: '', failed: false });
  expect(outer.attributes).toEqual({ 'app.thing_id': 't1' });
  expect(inner).toMatchObject({ kind: 'client', traceId: outer.traceId, parentSpanId: outer.spanId });
  expect(ids).toEqual({ trace_id: outer.traceId, span_id: outer.spanId });
  expect(collector.headers()[0]).toMatchObject({ 'x-key': 'a key' });
});

test('work that fails fails its span, with the code of the error and without its message', async () => {
  const error = Object.assign(new Error('Ada Martin wrote this'), { code: 'too_late' });
  await expect(inSpan({ name: 'failing' }, () => Promise.reject(error))).rejects.toBe(error);
  const span = await received('failing');
  expect(span).toMatchObject({ failed: true, attributes: { 'error.type': 'too_late' } });
  expect(JSON.stringify(span)).not.toContain('Ada');
});

test('what comes later has a trace of its own, which names the one that led to it', async () => {
  await inSpan({ name: 'later', follows: caller('01') }, async () => undefined);
  const span = await received('later');
  expect(span).toMatchObject({ parentSpanId: '', links: [{ traceId: trace, spanId: 'b'.repeat(16) }] });
  expect(span.traceId).not.toBe(trace);
});

test.each(['parent', 'follows'] as const)('what a caller has not recorded is not recorded, as its %s', async (how) => {
  await inSpan({ name: `unrecorded ${how}`, [how]: caller('00') }, async () => {
    expect(currentIds()).toBeNull();
    expect(startChildSpan({ name: 'unrecorded child' })).toBeNull();
    // The sampling decision is passed on.
    expect(currentTraceparent()).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
  });
  await inSpan({ name: `after ${how}` }, async () => undefined);
  await received(`after ${how}`);
  expect(collector.spans().filter(({ name }) => name.startsWith('unrecorded'))).toEqual([]);
});

test('a batch belongs to its first recorded member and names the others', async () => {
  await inSpan({ name: 'unrecorded member', parent: caller('00') }, async () => {
    const unrecorded = batchMember();
    await inSpan({ name: 'first', follows: caller('01') }, async () => {
      const first = batchMember();
      await inSpan({ name: 'second', follows: caller('01') }, () =>
        inBatchSpan('together', [unrecorded, first, batchMember()], async () => undefined),
      );
    });
  });
  const [first, second, batch] = [await received('first'), await received('second'), await received('together')];
  expect(batch).toMatchObject({
    traceId: first.traceId,
    parentSpanId: first.spanId,
    attributes: { 'app.batch_size': 3 },
    links: [{ traceId: second.traceId, spanId: second.spanId }],
  });
});

test('a batch of one has no span of its own', async () => {
  await inSpan({ name: 'alone' }, () =>
    inBatchSpan('no batch', [batchMember()], () => inSpan({ name: 'in it' }, async () => undefined)),
  );
  expect(await received('in it')).toMatchObject({ parentSpanId: (await received('alone')).spanId });
  expect(collector.spans().some(({ name }) => name === 'no batch')).toBe(false);
});

test('what is detached does not belong to the span in which it started', async () => {
  await inSpan({ name: 'starter' }, () => detached(() => inSpan({ name: 'loop' }, async () => undefined)));
  expect(await received('loop')).toMatchObject({ parentSpanId: '' });
});

/** A server that answers each request within its span, and the headers of the requests. */
async function answering(handle: (req: IncomingMessage, res: ServerResponse) => void) {
  const server = createServer((req, res) => {
    const span = startRequestSpan(req, res);
    span.setRoute('/things/:id');
    span.run(() => handle(req, res));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  async function get(path: string, headers: Record<string, string>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, headers: { ...headers, connection: 'close' } }, (res) => {
        res.resume();
        res.on('end', resolve);
      });
      asked.on('error', reject).end();
    });
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
  return { get };
}

test('a request continues the trace of its caller, and holds neither its path nor its query', async () => {
  const { get } = await answering((_req, res) => void res.writeHead(201).end());
  await get('/things/7?key=private', { traceparent: caller('01') });
  const span = await received('GET /things/:id');
  expect(span).toMatchObject({ kind: 'server', traceId: trace, parentSpanId: 'b'.repeat(16), failed: false });
  expect(span.attributes).toMatchObject({
    'http.request.method': 'GET',
    'http.route': '/things/:id',
    'http.response.status_code': 201,
  });
  expect(JSON.stringify(span)).not.toMatch(/private|things\/7/);
});

test.each([
  ['malformed', 'not-a-trace'],
  ['of zeros', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`],
])('a %s traceparent is ignored: the request begins a trace, and an error is one', async (what, traceparent) => {
  const { get } = await answering((_req, res) => void res.writeHead(503, { 'x-what': what }).end());
  const count = () => collector.spans().filter(({ failed, kind }) => failed && kind === 'server').length;
  const known = count();
  await get('/things/8', { traceparent });
  await eventually(async () => {
    await flush();
    expect(count()).toBe(known + 1);
  });
  const span = collector.spans().findLast(({ failed, kind }) => failed && kind === 'server');
  expect(span).toMatchObject({ parentSpanId: '', attributes: { 'error.type': '503' } });
});

test('a collector that fails costs spans alone, and is reported once', async () => {
  collector.answerWith(400);
  const known = collector.headers().length;
  for (let round = 1; round <= 2; round++) {
    expect(await inSpan({ name: 'lost' }, async () => round)).toBe(round);
    await eventually(() => expect(collector.headers()).toHaveLength(known + round));
  }
  await eventually(() => expect(lost).toHaveLength(1));
  collector.answerWith(200);
  await inSpan({ name: 'found' }, async () => undefined);
  await received('found');
  expect(lost).toHaveLength(1);
  expect(collector.spans().some(({ name }) => name === 'lost')).toBe(false);
});
