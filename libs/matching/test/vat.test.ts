import type { CanonicalInvoice } from '@app/contracts';
import { decide } from '../decide.ts';
import type { Candidate, MatchDecision } from '../matching.ts';
import { amounts, candidate, invoice, known, order, quote, ticket } from './sample.ts';

const decideOn = (candidates: Candidate[], of: CanonicalInvoice) =>
  decide({ invoice: of, supplier: known, candidates });
const withVat = { includes_vat: true };
const reasonsOf = ({ suggestions: [first] }: MatchDecision) => first?.reasons;
const amountIn = ({ suggestions: [first] }: MatchDecision) => first?.signals?.find(({ code }) => code === 'amount');
const on = (purchases: Candidate['purchases'], given: Partial<Candidate> = {}) =>
  candidate(ticket('1'), { purchases, ...given });

test('a total that fits an order without VAT is a hint in words: no points for it, and no link', () => {
  const of = invoice(null, { amounts: { ht: 189, tva: 37.8, ttc: 226.8 } });
  const decision = decideOn([on([order('BC-2026-0042', 229)])], of);
  expect(decision).toMatchObject({ decision: 'queue', score: 30 });
  expect(reasonsOf(decision)).toContain(
    'amount 189.00 may be a part of order BC-2026-0042, 229.00 EUR without VAT; it fits if the order includes VAT',
  );
  expect(amountIn(decision)).toEqual({
    code: 'amount',
    points: 5,
    values: {
      level: 'part',
      invoiced: 189,
      compared: 229,
      withVat: false,
      fitsWithVat: true,
      currency: 'EUR',
      kind: 'order',
      references: ['BC-2026-0042'],
      remaining: false,
    },
  });
});

test('an order with VAT is compared with the total, and so is what is left of it', () => {
  const whole = on([order('BC-2026-0042', 1200, withVat)]);
  const equal = decideOn([whole], invoice('BC-2026-0042'));
  expect(equal.decision).toBe('auto');
  expect(reasonsOf(equal)).toContain('amount equals order BC-2026-0042, 1 200.00 EUR with VAT');
  const balance = decideOn([{ ...whole, linked: [amounts(300)] }], invoice('BC-2026-0042', { amounts: amounts(700) }));
  expect(reasonsOf(balance)).toContain('amount equals the remaining part of order BC-2026-0042, 840.00 EUR with VAT');
  const repeated = decideOn([{ ...whole, linked: [amounts(1000)] }], invoice('BC-2026-0042'));
  expect(reasonsOf(repeated)).toContain('the ticket is invoiced already: 1 of 1 200.00 EUR with VAT');
});

test('a quote with VAT is compared with the total', () => {
  const quoted = candidate(ticket('1', { quotes: [{ ...quote('DEV-12', '1200.00'), ...withVat }] }));
  expect(decideOn([quoted], invoice('DEV-12')).decision).toBe('auto');
  expect(decideOn([quoted], invoice('DEV-12', { amounts: amounts(1200) }))).toMatchObject({
    flags: ['over_tolerance'],
  });
});

test('orders with VAT and without are never added up, and a person decides', () => {
  const [net, gross] = [order('BC-2026-0042', 1000), order('BC-2026-0043', 600, withVat)];
  const decision = decideOn([on([net, gross])], invoice('BC-2026-0042'));
  expect(decision).toMatchObject({ decision: 'queue', flags: ['mixed_vat', 'no_goods_receipt'] });
  expect(reasonsOf(decision)).toContain('amount equals order BC-2026-0042, 1 000.00 EUR without VAT');
  const both = decideOn([on([net, gross])], invoice('BC-2026-0042, BC-2026-0043', { amounts: amounts(1600) }));
  expect(amountIn(both)?.values.compared).not.toBe(1600);
  const later = decideOn([on([net, gross], { linked: [amounts(500)] })], invoice('BC-2026-0042'));
  expect(amountIn(later)).toBeUndefined();
});
