import { newId } from '@app/kernel';
import type { TicketSummary } from '../../tickets/ticket-summary-store.ts';
import { createTicketSummaryCache } from '../ticket-summary-cache.ts';

const viewer = (companyId: string) => ({ companyId, companyKind: 'client' as const });
const glance = () => ({ _id: newId(), number: '2026-000001' }) as TicketSummary;

/** At a time that the test moves. */
function recent() {
  let at = Date.parse('2026-11-22T10:00:00Z');
  return { ...createTicketSummaryCache<TicketSummary>(() => new Date(at)), wait: (ms: number) => (at += ms) };
}

test('a ticket asked about is remembered for ten seconds, for the company that asked', () => {
  const { set: remember, get: recall, wait } = recent();
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
  const { set: remember, get: recall } = recent();
  const mine = viewer(newId());
  const first: TicketSummary = glance();
  const again: TicketSummary = { ...first, has_purchases: true };
  remember(first, mine);
  for (let n = 0; n < 999; n++) remember(glance(), mine);
  remember(again, mine);
  for (let n = 0; n < 999; n++) remember(glance(), mine);
  expect(recall(first._id, mine)).toBe(again);
  remember(glance(), mine);
  expect(recall(first._id, mine)).toBeNull();
});
