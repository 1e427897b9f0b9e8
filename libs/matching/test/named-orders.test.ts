import { candidateLookup } from '../candidates.ts';
import { decide } from '../decide.ts';
import type { Candidate, LinkedInvoice } from '../matching.ts';
import { amounts, candidate, invoice, known, order, quote, ticket } from './sample.ts';

/** An invoice on the ticket that names this. */
const linked = (named: string | null, ht: number): LinkedInvoice => ({
  ...amounts(ht),
  references: candidateLookup(invoice(named), known).keys,
});
const decideOn = (on: Partial<Candidate>, named: string, ht = 1000) =>
  decide({
    invoice: invoice(named, { amounts: amounts(ht) }),
    supplier: known,
    candidates: [candidate(ticket('1', on.ticket ?? {}), on)],
  });
const purchases = [order('BC-2026-0042', 1000), order('BC-2026-0077', 1000)];

test.each([
  ['nothing', [], 1000],
  ['the other order, which is invoiced', [linked('BC-2026-0077', 1000)], 1000],
  ['a part of the same order, of which this is the rest', [linked('BC-2026-0042', 400)], 600],
  ['the same, replaced by a corrective invoice', [linked('BC-2026-0042', 0)], 1000],
])('one of two orders is named, and its ticket has %s: linked', (_what, on, ht) => {
  expect(decideOn({ purchases, linked: on }, 'BC-2026-0042', ht).decision).toBe('auto');
});

test.each([
  ['the same order, which is invoiced in full', linked('bc 2026 42', 1000)],
  ['both orders', linked('BC-2026-0042, BC-2026-0077', 1000)],
  ['none of the orders', linked('T-001', 1000)],
  ['what nobody knows', amounts(500)],
])('one of two orders is named, and an invoice on the ticket names %s: a person decides', (_what, on) => {
  const { decision, flags, suggestions } = decideOn({ purchases, linked: [on] }, 'BC-2026-0042');
  expect([decision, flags]).toEqual(['queue', expect.arrayContaining(['already_invoiced'])]);
  expect(suggestions[0]?.signals?.map(({ code }) => code)).toContain('already_invoiced');
});

test('the amount of an order that is invoiced in part is what its own invoices leave', () => {
  const on = [linked('BC-2026-0042', 400), linked('BC-2026-0077', 500)];
  expect(decideOn({ purchases, linked: on }, 'BC-2026-0042', 600).suggestions[0]?.reasons).toContain(
    'amount equals the remaining part of order BC-2026-0042, 600.00 EUR without VAT',
  );
});

test('a quote that is named and invoiced is not invoiced again, where quotes stand for orders', () => {
  const quotes = [quote('DEV-2026-118', '1000'), quote('DEV-2026-119', '1000')];
  const on = { ticket: ticket('1', { quotes }), linked: [linked('DEV-2026-118', 1000)] };
  expect(decideOn(on, 'DEV-2026-118')).toMatchObject({ decision: 'queue', flags: ['already_invoiced'] });
  expect(decideOn(on, 'DEV-2026-119').decision).toBe('auto');
});
