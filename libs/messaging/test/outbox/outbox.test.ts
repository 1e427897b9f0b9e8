import { currentContext } from '@app/runtime';
import { toCloudEvents } from '../../outbox/outbox.ts';
import { thingHappened } from '../rabbit.ts';

const at = new Date('2026-11-21T10:00:00Z');

test('an event is sealed as a CloudEvents 1.0 event of its service, with the request that caused it', () => {
  const seal = () => toCloudEvents('ticket', [thingHappened({ n: 1 }, at, 'thing-1'), thingHappened({ n: 2 }, at)]);
  const [event, other] = currentContext.run({ requestId: 'request-1' }, seal);
  expect(event).toEqual({
    specversion: '1.0',
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    source: '/services/ticket',
    type: 'thing.happened.v1',
    subject: 'thing-1',
    time: '2026-11-21T10:00:00.000Z',
    datacontenttype: 'application/json',
    data: { n: 1 },
    requestid: 'request-1',
  });
  expect(other?.id).not.toBe(event?.id);
  expect(seal()[0]).not.toHaveProperty('requestid');
});
