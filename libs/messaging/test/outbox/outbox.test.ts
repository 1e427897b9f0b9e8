import { currentContext } from '@app/runtime';
import { toCloudEvents } from '../../outbox/outbox.ts';
import { thingHappened } from '../rabbit.ts';

const at = new Date('2026-11-21T10:00:00Z');

test('an event is sealed as a CloudEvents 1.0 event of its service', () => {
  expect(toCloudEvents('ticket', [thingHappened({ n: 1 }, at, 'thing-1')])).toEqual([
    {
      specversion: '1.0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      source: '/services/ticket',
      type: 'thing.happened.v1',
      subject: 'thing-1',
      time: '2026-11-21T10:00:00.000Z',
      datacontenttype: 'application/json',
      data: { n: 1 },
    },
  ]);
});

test('it carries the request that caused it', () => {
  const [event] = currentContext.run({ requestId: 'request-1' }, () =>
    toCloudEvents('ticket', [thingHappened({ n: 1 }, at)]),
  );
  expect(event).toMatchObject({ requestid: 'request-1' });
});

test('no two events have the same id', () => {
  const events = toCloudEvents(
    'ticket',
    Array.from({ length: 1000 }, (_, n) => thingHappened({ n }, at)),
  );
  expect(new Set(events.map(({ id }) => id)).size).toBe(1000);
});
