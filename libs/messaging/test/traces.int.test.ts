import { metrics } from '@app/runtime';
import { inSpan, startTracing } from '@app/runtime/tracing';
import { eventually, type ReceivedSpan, startTraceCollector, type TraceCollector } from '@app/testing';
import type { Broker } from '../broker.ts';
import { on } from '../consuming/subscription.ts';
import { openRabbit, type Rabbit, thingHappened, things } from './rabbit.ts';

let collector: TraceCollector;
let stop: () => Promise<void>;
let rabbit: Rabbit;
let broker: Broker;

beforeAll(async () => {
  collector = await startTraceCollector();
  const onLost = () => undefined;
  stop = await startTracing({ service: 'probe', version: '1', endpoint: collector.url, sampledShare: 1, onLost });
  rabbit = await openRabbit();
  broker = await rabbit.broker();
});
afterAll(async () => {
  await rabbit.end();
  await stop();
  await collector.close();
});

async function received(name: string, count = 1): Promise<ReceivedSpan[]> {
  return eventually(() => {
    const found = collector.spans().filter((span) => span.name === name);
    expect(found).toHaveLength(count);
    return found;
  });
}

test('an event is published and handled within the trace in which it was made, however late it is published', async () => {
  const { main } = await rabbit.subscribe(broker, {
    queue: 'traced',
    table: [on(thingHappened, () => inSpan({ name: 'handler' }, async () => undefined))],
  });
  const events = await inSpan({ name: 'request' }, async () => things(1));
  await broker.publish(events);
  const [request] = (await received('request')) as [ReceivedSpan];
  const [published] = (await received('publish thing.happened.v1')) as [ReceivedSpan];
  const [processed] = (await received(`process ${main}`)) as [ReceivedSpan];
  const [handler] = (await received('handler')) as [ReceivedSpan];
  expect(published).toMatchObject({ kind: 'producer', traceId: request.traceId, parentSpanId: request.spanId });
  expect(processed).toMatchObject({ kind: 'consumer', traceId: request.traceId, parentSpanId: published.spanId });
  expect(handler).toMatchObject({ traceId: request.traceId, parentSpanId: processed.spanId });
  expect(processed.attributes).toMatchObject({
    'messaging.system': 'rabbitmq',
    'messaging.destination.name': main,
    'messaging.message.id': events[0]?.id,
    'messaging.rabbitmq.destination.routing_key': 'thing.happened.v1',
  });
  // The bucket of its duration names the trace.
  const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('message_handling_duration'));
  expect(lines.join('\n')).toMatch(new RegExp(`queue="${main}",.*# \\{trace_id="${request.traceId}"\\}`));
});

test('a retry has a trace of its own, which names the first', async () => {
  let attempts = 0;
  const table = [
    on(thingHappened, async () => {
      attempts += 1;
      if (attempts === 1) throw Object.assign(new Error('not now'), { code: 'not_now' });
    }),
  ];
  const { main } = await rabbit.subscribe(broker, { queue: 'retried', table });
  const events = await inSpan({ name: 'retried request' }, async () => things(2));
  await broker.publish(events);
  const [first, second] = (await received(`process ${main}`, 2)) as [ReceivedSpan, ReceivedSpan];
  const [request] = (await received('retried request')) as [ReceivedSpan];
  expect(first).toMatchObject({ traceId: request.traceId, failed: true, attributes: { 'error.type': 'not_now' } });
  expect(second).toMatchObject({ parentSpanId: '', failed: false, links: [{ traceId: request.traceId }] });
});

test('an event that nothing recorded led to begins no trace, and is handled all the same', async () => {
  const seen: number[] = [];
  const table = [on(thingHappened, async ({ data: { n } }) => void seen.push(n))];
  const { main } = await rabbit.subscribe(broker, { queue: 'unrecorded', table });
  const unrecorded = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
  const events = await inSpan({ name: 'unrecorded request', parent: unrecorded }, async () => things(3));
  expect(events[0]?.traceparent).toMatch(/-00$/);
  await broker.publish(events);
  await eventually(() => expect(seen).toEqual([3]));
  await inSpan({ name: 'last' }, async () => undefined);
  await received('last');
  expect(collector.spans().some(({ name }) => name === `process ${main}`)).toBe(false);
});
