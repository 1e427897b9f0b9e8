import { newRedelivery, redeliverableStatuses, redeliveryResponse } from '../../redeliveries/redelivery.ts';

const at = new Date('2026-11-24T10:00:00.000Z');
const ids = { id: 'a'.repeat(24), companyId: 'b'.repeat(24), endpointId: 'c'.repeat(24) };
const later = new Date(at.getTime() + 1);
const earlier = new Date(at.getTime() - 1);

test('what is pending is not sent again', () => {
  expect(redeliverableStatuses).toEqual(['succeeded', 'failed', 'exhausted', 'canceled']);
});

test.each([
  ['no end', undefined, at],
  ['a later end', later, at],
  ['an earlier end', earlier, earlier],
])('with %s it takes only what was there before it', (_what, until, expected) => {
  const filter = { status: 'failed' as const, ...(until ? { until } : {}) };
  expect(newRedelivery({ ...ids, filter }, 5, at).filter).toEqual({ status: 'failed', until: expected });
});

test.each([
  [5, 'running', null],
  [0, 'done', at.toISOString()],
])('of %i deliveries it is %s at first', (total, state, endedAt) => {
  const job = newRedelivery({ ...ids, filter: { status: 'failed', since: earlier } }, total, at);
  expect(redeliveryResponse(job)).toEqual({
    id: ids.id,
    state,
    total,
    processed: 0,
    queued: 0,
    filter: { status: 'failed', since: earlier.toISOString(), until: at.toISOString() },
    createdAt: at.toISOString(),
    endedAt,
  });
});
