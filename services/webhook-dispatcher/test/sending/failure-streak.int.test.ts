import type { ServerResponse } from 'node:http';
import { answer, behaviours, eventually, type Receiver } from '@app/testing';
import { aCompany, type Dispatcher, statusChanged, useDispatcher } from '../dispatcher.ts';

let receiver: Receiver;
let dispatcher: Dispatcher;
useDispatcher({ retryDelaysMs: [], endpointConcurrency: 16, inMemoryPerEndpoint: 256 }, (one, beside) => {
  dispatcher = one;
  receiver = beside;
});

async function subscriber(path: string) {
  const company = aCompany();
  const { id } = await dispatcher.endpoint(company, receiver.url(path));
  const log = (query: string) => dispatcher.deliveries(company, id, `?limit=100&${query}`);
  return {
    publishEvents: (count: number) =>
      dispatcher.publish(...Array.from({ length: count }, () => statusChanged([company.companyId]))),
    view: async () => (await dispatcher.call(company, 'get', '/webhooks/endpoints')).body.items[0],
    /** Waits until so many deliveries have that status. */
    ended: (count: number, status: string) =>
      eventually(async () => expect(await log(`status=${status}`)).toHaveLength(count)),
  };
}

test('an endpoint at which every other event fails for good is not disabled: there are never 10 in a row', async () => {
  const { publishEvents, view, ended } = await subscriber('/every-other');
  let asked = 0;
  receiver.behave((...request) => (asked++ % 2 === 0 ? behaviours.ok : answer(500))(...request), '/every-other');
  await publishEvents(80);
  await ended(40, 'exhausted');
  await ended(40, 'succeeded');
  expect(await view()).toMatchObject({ active: true, disabledReason: null });
});

test('a success ends the streak of failures, even if they were counted after its attempt began', async () => {
  const { publishEvents, view, ended } = await subscriber('/late');
  const held: ServerResponse[] = [];
  receiver.behave((_req, res) => void held.push(res), '/late');
  await publishEvents(1);
  await eventually(() => expect(held).toHaveLength(1));
  receiver.behave(answer(500), '/late');
  await publishEvents(9);
  await ended(9, 'exhausted');
  await eventually(async () => expect(await view()).toMatchObject({ consecutiveFailures: 9, health: 'failing' }));
  held[0]?.writeHead(200).end();
  await ended(1, 'succeeded');
  // The streak ends before the success is stored: a crash cannot come between the two.
  expect(await view()).toMatchObject({ consecutiveFailures: 0 });
  await eventually(async () => expect(await view()).toMatchObject({ health: 'ok' }));
  await publishEvents(1);
  await ended(10, 'exhausted');
  expect(await view()).toMatchObject({ active: true, consecutiveFailures: 1 });
});

test('10 in a row disable it, however many fail at once', async () => {
  const { publishEvents, view, ended } = await subscriber('/all');
  receiver.behave(answer(500), '/all');
  await publishEvents(40);
  await eventually(async () => expect(await view()).toMatchObject({ active: false, consecutiveFailures: 10 }));
  await ended(0, 'pending');
});
