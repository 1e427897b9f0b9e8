import { newId } from '@app/kernel';
import { createTicketSummaryCache } from '../../purchases/ticket-summary-cache.ts';
import type { TicketSummary } from '../../tickets/stores/ticket-summary-store.ts';

const viewer = (companyId: string) => ({ companyId, companyKind: 'client' as const });
const aSummary = () => ({ _id: newId(), number: '2026-000001' }) as TicketSummary;

/** At a time that the test moves. */
function cacheAtTime() {
  let at = Date.parse('2026-11-22T10:00:00Z');
  return { ...createTicketSummaryCache<TicketSummary>(() => new Date(at)), wait: (ms: number) => (at += ms) };
}

test('a ticket summary is cached for ten seconds, for the company that read it', () => {
  const { set, get, wait } = cacheAtTime();
  const ticket = aSummary();
  const [mine, neighbour] = [viewer(newId()), viewer(newId())];
  set(ticket, mine);
  expect(get(ticket._id, mine)).toBe(ticket);
  expect(get(ticket._id, neighbour)).toBeNull();
  expect(get(newId(), mine)).toBeNull();
  wait(9_999);
  expect(get(ticket._id, mine)).toBe(ticket);
  wait(1);
  expect(get(ticket._id, mine)).toBeNull();
});

test('a repeated read caches the latest summary, and for longer than those read in between', () => {
  const { set, get } = cacheAtTime();
  const mine = viewer(newId());
  const first: TicketSummary = aSummary();
  const again: TicketSummary = { ...first, has_purchases: true };
  set(first, mine);
  for (let n = 0; n < 999; n++) set(aSummary(), mine);
  set(again, mine);
  for (let n = 0; n < 999; n++) set(aSummary(), mine);
  expect(get(first._id, mine)).toBe(again);
  set(aSummary(), mine);
  expect(get(first._id, mine)).toBeNull();
});
