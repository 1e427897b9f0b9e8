import { newId } from '@app/kernel';
import type { TicketGlance } from '../../tickets/ticket-glance-store.ts';
import { createRecentGlances } from '../recent-glances.ts';

const viewer = (companyId: string) => ({ companyId, companyKind: 'client' as const });
const glance = () => ({ _id: newId(), number: '2026-000001' }) as TicketGlance;

/** At a time that the test moves. */
function recent() {
  let at = Date.parse('2026-11-22T10:00:00Z');
  return { ...createRecentGlances<TicketGlance>(() => new Date(at)), wait: (ms: number) => (at += ms) };
}

test('a ticket asked about is remembered for ten seconds, for the company that asked', () => {
  const { remember, recall, wait } = recent();
  const ticket = glance();
  const [mine, neighbour] = [viewer(newId()), viewer(newId())];
  remember(ticket, mine);
  expect(recall(ticket._id, mine)).toBe(ticket);
  expect(recall(ticket._id, neighbour)).toBeNull();
  expect(recall(newId(), mine)).toBeNull();
  wait(9_999);
  expect(recall(ticket._id, mine)).toBe(ticket);
  wait(1);
  expect(recall(ticket._id, mine)).toBeNull();
});

test('asked about again it is remembered as it was seen last, and longer than those in between', () => {
  const { remember, recall } = recent();
  const mine = viewer(newId());
  const first: TicketGlance = glance();
  const again: TicketGlance = { ...first, has_purchases: true };
  remember(first, mine);
  for (let n = 0; n < 999; n++) remember(glance(), mine);
  remember(again, mine);
  for (let n = 0; n < 999; n++) remember(glance(), mine);
  expect(recall(first._id, mine)).toBe(again);
  remember(glance(), mine);
  expect(recall(first._id, mine)).toBeNull();
});
