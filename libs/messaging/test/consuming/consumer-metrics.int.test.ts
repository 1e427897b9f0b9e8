import { AppError } from '@app/kernel';
import { metrics } from '@app/runtime';
import { eventually } from '@app/testing';
import type { Broker } from '../../broker.ts';
import { openRabbit, type Rabbit, things } from '../rabbit.ts';
import { type FailsAs, recordingConsumer } from './recording-consumer.ts';

let rabbit: Rabbit;
let broker: Broker;

beforeAll(async () => {
  rabbit = await openRabbit();
  broker = await rabbit.broker();
});
afterAll(() => rabbit.end());

const consumer = (queue: string, fail: FailsAs) => recordingConsumer({ rabbit, broker, queue }, fail);

test('retries and dead letters are counted, by its queue', async () => {
  const { dead, main } = await consumer('counted', () => new Error('it never works'));
  await broker.publish(things(25));
  await eventually(async () => expect(await rabbit.count(dead)).toBe(1));
  const text = await metrics.metrics();
  expect(text).toContain(`messages_retried_total{queue="${main}"} 4`);
  expect(text).toContain(`messages_dead_lettered_total{queue="${main}"} 1`);
});

test('how long events were handled is counted by queue and result', async () => {
  const { handled, main } = await consumer('timed', (_attempt, n) => n === 261 && new Error('it never works'));
  await broker.publish(things(260, 261));
  await eventually(() => expect(handled.length).toBeGreaterThanOrEqual(2));
  await eventually(async () => {
    const text = await metrics.metrics();
    expect(text).toContain(`message_handling_duration_seconds_count{queue="${main}",result="handled"} 1`);
    expect(text).toMatch(new RegExp(`seconds_count{queue="${main}",result="failed"} [1-5]\n`));
  });
});

test('the length of each queue is a metric, dead letters included', async () => {
  const { dead, main } = await consumer('deep', () => new AppError('invalid', 'nonsense', 'makes no sense'));
  await broker.publish(things(27, 28));
  await eventually(async () => {
    const text = await metrics.metrics();
    expect(text).toContain(`queue_messages{queue="${dead}"} 2`);
    expect(text).toContain(`queue_messages{queue="${main}"} 0`);
  });
});
