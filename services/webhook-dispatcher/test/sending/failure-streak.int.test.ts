import type { ServerResponse } from 'node:http';
import { answer, behaviours, eventually } from '@app/testing';
import { useDispatcher } from '../dispatcher.ts';
import { subscriberOf } from '../subscriber.ts';

const own = useDispatcher({ retryDelaysMs: [], endpointConcurrency: 16, inMemoryPerEndpoint: 256 });
const subscriber = (path: string) => subscriberOf(own, path);

test('an endpoint at which every other event fails for good is not disabled: there are never 10 in a row', async () => {
  const { publish, read, ended } = await subscriber('/every-other');
  let asked = 0;
  own.receiver.behave((...request) => (asked++ % 2 === 0 ? behaviours.ok : answer(500))(...request), '/every-other');
  await publish(40);
  await ended(20, 'exhausted');
  await ended(20, 'succeeded');
  expect(await read()).toMatchObject({ active: true, disabledReason: null });
});

test('a success ends the streak of failures, even if they were counted after its attempt began', async () => {
  const { publish, read, ended } = await subscriber('/late');
  const held: ServerResponse[] = [];
  own.receiver.behave((_req, res) => void held.push(res), '/late');
  await publish(1);
  await eventually(() => expect(held).toHaveLength(1));
  own.receiver.behave(answer(500), '/late');
  await publish(9);
  await ended(9, 'exhausted');
  await eventually(async () => expect(await read()).toMatchObject({ consecutiveFailures: 9, health: 'failing' }));
  held[0]?.writeHead(200).end();
  await ended(1, 'succeeded');
  // The streak ends before the success is stored: a crash cannot come between the two.
  expect(await read()).toMatchObject({ consecutiveFailures: 0 });
  await eventually(async () => expect(await read()).toMatchObject({ health: 'ok' }));
  await publish(1);
  await ended(10, 'exhausted');
  expect(await read()).toMatchObject({ active: true, consecutiveFailures: 1 });
});

test('10 in a row disable it, however many fail at once', async () => {
  const { publish, read, ended } = await subscriber('/all');
  own.receiver.behave(answer(500), '/all');
  await publish(40);
  await eventually(async () => expect(await read()).toMatchObject({ active: false, consecutiveFailures: 10 }));
  await ended(0, 'pending');
});

test('10 exhausted in a row disable it; what follows is kept, and recovered once it is active again', async () => {
  own.receiver.behave(answer(500), '/disabled');
  const { publish, read, change, on, at, ended, logged } = await subscriber('/disabled');
  await publish(9);
  await eventually(async () => expect(await read()).toMatchObject({ active: true, consecutiveFailures: 9 }));
  await publish();
  const disabledReason = '10 deliveries in a row exhausted their retries';
  await eventually(async () => {
    expect(await read()).toMatchObject({ active: false, consecutiveFailures: 10, disabledReason });
  });
  // The copy that events are sent with may be older than that; once a change is answered, it is not.
  await change({ name: 'Disabled' });
  await publish();
  const [canceled] = await logged([{ status: 'canceled' }], '?status=canceled');
  const since = canceled?.createdAt;
  expect(at()).toHaveLength(10);
  const inactive = { status: 409, body: { code: 'webhook_endpoint_inactive' } };
  expect(await on('recover', { since })).toMatchObject(inactive);
  expect(await on(`deliveries/${canceled?.id}/redeliver`)).toMatchObject(inactive);

  own.receiver.behave(behaviours.ok, '/disabled');
  const enabled = await change({ active: true });
  expect(enabled.body).toMatchObject({ active: true, consecutiveFailures: 0, disabledReason: null });
  expect(await on('recover', { since })).toMatchObject({ status: 202, body: { queued: 1 } });
  await logged([{ id: canceled?.id }], '?status=succeeded');
  expect(at()).toHaveLength(11);
  expect(await on('recover', { since: '2026-01-01T00:00:00Z' })).toMatchObject({ status: 202, body: { queued: 10 } });
  await ended(11, 'succeeded');
});

test('any success restarts the count, except that of a test', async () => {
  own.receiver.behave(answer(500), '/counts');
  const { publish, on, read } = await subscriber('/counts');
  await publish();
  await eventually(async () => expect(await read()).toMatchObject({ consecutiveFailures: 1 }));
  own.receiver.behave(behaviours.ok, '/counts');
  expect((await on('test')).body).toMatchObject({ success: true, statusCode: 200, error: null });
  expect(await read()).toMatchObject({ consecutiveFailures: 1 });
  await publish();
  await eventually(async () => expect(await read()).toMatchObject({ consecutiveFailures: 0 }));
});
