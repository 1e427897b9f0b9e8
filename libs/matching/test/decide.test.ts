import type { CanonicalInvoice } from '@app/contracts';
import { candidateLookup } from '../candidates.ts';
import { decide } from '../decide.ts';
import type { Candidate, MatchInput } from '../matching.ts';
import {
  amounts,
  candidate,
  contractor,
  invoice,
  known,
  order,
  place,
  quote,
  receipt,
  ticket,
  unknown,
} from './sample.ts';

const bc = order('BC-2026-0042', 1000);
const mine = candidate(ticket('1'), { purchases: [bc, receipt(bc, 'BR-7')] });
const decideOn = (candidates: Candidate[], of: CanonicalInvoice, more: Partial<MatchInput> = {}) =>
  decide({ invoice: of, supplier: known, candidates, ...more });

test('an order, its amount, its contractor and a recent intervention: matched automatically, with the reasons', () => {
  expect(decideOn([mine, candidate(ticket('2'))], invoice('bc 2026 42'))).toEqual({
    decision: 'auto',
    ticketId: mine.ticket.id,
    viewId: mine.ticket.views[1]?.id,
    contractorId: contractor,
    score: 100,
    margin: 75,
    suggestions: [
      {
        ticketId: mine.ticket.id,
        viewId: mine.ticket.views[1]?.id,
        number: 'T-001',
        title: 'Fuite',
        score: 100,
        reasons: [
          'order BC-2026-0042 agrees, written “bc 2026 42”',
          'Plomberie Martin is the contractor of the ticket',
          'amount equals order BC-2026-0042, 1 000.00 EUR without VAT',
          'issued 10 days after the intervention of 2026-03-10',
          'the ticket is finished',
          'goods receipt BR-7 is there',
        ],
        signals: [
          { code: 'reference', points: 50, values: { kind: 'order', held: 'BC-2026-0042', written: 'bc 2026 42' } },
          { code: 'supplier', points: 15, values: { name: 'Plomberie Martin' } },
          {
            code: 'amount',
            points: 25,
            values: {
              level: 'equal',
              invoiced: 1000,
              compared: 1000,
              withVat: false,
              currency: 'EUR',
              kind: 'order',
              references: ['BC-2026-0042'],
              remaining: false,
            },
          },
          { code: 'issued_after_intervention', points: 6, values: { days: 10, date: '2026-03-10' } },
          { code: 'ticket_status', points: 4, values: { status: 'finished' } },
          { code: 'goods_receipt', points: 3, values: { held: 'BR-7' } },
        ],
      },
    ],
    flags: [],
    scoreVersion: 4,
  });
});

test('tickets of a contractor with the name of an unknown supplier are suggested, never matched', () => {
  const likely = { ...unknown, likelyIds: [contractor] };
  const reason = 'the contractor of the ticket has the name or the VAT number of the supplier';
  expect(decideOn([mine], invoice(null), { supplier: unknown }).suggestions).toEqual([]);
  const silent = decideOn([mine], invoice(null), { supplier: likely });
  expect(silent).toMatchObject({ decision: 'queue', ticketId: null, suggestions: [{ ticketId: mine.ticket.id }] });
  expect(silent.suggestions[0]?.reasons).toContain(reason);
  const named = decideOn([mine], invoice('BC-2026-0042'), { supplier: likely });
  expect(named).toMatchObject({ decision: 'queue', score: 79, suggestions: [{ ticketId: mine.ticket.id }] });
});

const bare = { last_intervention_at: null, status: 'validated' };
const only = (poRef: string | null, purchases: Candidate['purchases'], given: Partial<CanonicalInvoice> = {}) =>
  decideOn([candidate(ticket('1', bare), { purchases })], invoice(poRef, given)).score;

test.each([
  ['order', only('BC-2026-0042', [order('BC-2026-0042', null)]), 65],
  ['purchase request', only('DA-77123', [order('DA-77123', null, { kind: 'purchase_request' })]), 55],
  ['goods receipt', only('BR-77123', [order('BR-77123', null, { kind: 'goods_receipt' })]), 58],
  ['ticket number', only('T-001', []), 60],
  ['ticket id', only('1'.padEnd(24, '0'), []), 65],
  ['nearly the order', only('BC-2026-0024', [order('BC-2026-0042', null)]), 30],
  ['a deleted order', only('BC-2026-0042', [order('BC-2026-0042', null, { deleted: true })]), 15],
  ['two references', only('BC-2026-0042, T-001', [order('BC-2026-0042', null)]), 75],
  ['a placeholder', only('néant', [order('NEANT', null)]), 15],
])('points for references, those for the contractor included: %s', (_what, score, expected) => {
  expect(score).toBe(expected);
});

test.each([
  ['equal', 1000, 90],
  ['equal only with VAT', 833.33, 70],
  ['within the tolerance', 1019.99, 83],
  ['within 10 %', 1099, 73],
  ['a part', 300, 70],
  ['far above', 1200.01, 50],
])('points for the amount: %s', (_how, ht, expected) => {
  expect(only('BC-2026-0042', [bc], { amounts: amounts(ht) })).toBe(expected);
});

test.each([
  ['soon after, finished', {}, {}, 25],
  ['61 days after', { issueDate: '2026-05-10' }, {}, 22],
  ['181 days after', { issueDate: '2026-09-07' }, {}, 19],
  ['on the day before its creation', { issueDate: '2026-02-28' }, {}, 0],
  ['still opened', {}, { status: 'opened' }, 11],
  ['under way', {}, { status: 'intervention' }, 23],
])('points for dates and status, those for the contractor included: %s', (_when, given, snapshot, expected) => {
  expect(decideOn([candidate(ticket('1', snapshot))], invoice(null, given)).score).toBe(expected);
});

test.each([
  ['its postal code', { postal_code: '69003' }],
  ['its reference', { reference: 'SITE 12' }],
  ['its name on invoices', { facturation_name: 'SCI Presqu’île' }],
])('points for a location: %s', (_what, given) => {
  const at = candidate(ticket('1'), { locations: [place(given)] });
  const written = invoice(null, { places: ['3 rue X, 69003 Lyon, site-12, Sci Presqu’Île'] });
  expect(decideOn([at], written).score).toBe(30);
});

test.each([
  ['the supplier is unknown', { supplier: unknown }, invoice('BC-2026-0042'), []],
  ['another currency', {}, invoice('BC-2026-0042', { currency: 'CHF' }), ['currency_differs']],
  ['above the tolerance', {}, invoice('BC-2026-0042', { amounts: amounts(1050) }), ['over_tolerance']],
  ['two tickets are named', {}, invoice('BC-2026-0042 / BC-2026-0077'), ['several_tickets']],
])('a person decides although the score is high: %s', (_why, more, of, flags) => {
  const other = candidate(ticket('2'), { purchases: [order('BC-2026-0077', 300)] });
  const { decision, ticketId, suggestions, flags: given } = decideOn([other, mine], of, more);
  expect({ decision, ticketId, first: suggestions[0]?.ticketId }).toEqual({
    decision: 'queue',
    ticketId: null,
    first: mine.ticket.id,
  });
  expect(given).toEqual(flags);
});

test('a ticket of a former contractor is suggested, not matched', () => {
  const views = mine.ticket.views.map((view) => ({ ...view, state: view.role === 'client' ? 'client' : 'canceled' }));
  const lost = { ...mine, ticket: { ...mine.ticket, views } };
  expect(decideOn([lost], invoice('BC-2026-0042'))).toMatchObject({ decision: 'queue', score: 79 });
});

test('without a reference the only ticket with that amount is matched, unless another may have it', () => {
  const priced = candidate(ticket('1', { quotes: [quote('DEV-12', '1000.00')] }));
  const twin = candidate(ticket('2', { quotes: [quote('DEV-13', '1000.00')] }));
  const unpriced = candidate(ticket('3'));
  const cheaper = candidate(ticket('4', { quotes: [quote('DEV-14', '400.00')] }));
  expect(decideOn([priced, cheaper], invoice(null))).toMatchObject({ decision: 'auto', score: 80 });
  expect(decideOn([priced, twin], invoice('NA')).decision).toBe('queue');
  expect(decideOn([priced, unpriced], invoice(null)).decision).toBe('queue');
  expect(decideOn([priced], invoice('BC-2026-0999'))).toMatchObject({ decision: 'queue', flags: ['other_reference'] });
});

test.each([
  ['the next order', 'BC-2026-0043', [], 'queue'],
  ['an order on a ticket that somebody unlinked', 'BC-2026-0024', [{ excluded: true }], 'queue'],
  ['an order on a ticket that is canceled', 'BC-2026-0024', [{ status: 'canceled' }], 'queue'],
  ['the order, with two digits swapped', 'BC-2026-0024', [], 'auto'],
])('the only ticket with that amount, and the order field names %s: %s → %j', (_what, written, others, decision) => {
  const there = candidate(ticket('1'), { purchases: [bc] });
  const elsewhere = others.map(
    ({ excluded = false, status = 'finished' }: { excluded?: boolean; status?: string }) => ({
      ...candidate(ticket('2', { status } as object), { purchases: [order(written, 77)] }),
      excluded,
    }),
  );
  expect(decideOn([there, ...elsewhere], invoice(written)).decision).toBe(decision);
});

test.each(['BC-2026-0042-00010', 'BC-2026-0042.00010', 'Commande BC-2026-0042-01'])(
  'an order with an item or a revision is that order, unless the longer number is one: %s',
  (written) => {
    const decoy = candidate(ticket('2'), { purchases: [order('BC-2026-0777', 1000)] });
    expect(decideOn([decoy, mine], invoice(written))).toMatchObject({ decision: 'auto', ticketId: mine.ticket.id });
    const longer = candidate(ticket('3'), { purchases: [order(written.replace('Commande ', ''), 1000)] });
    expect(decideOn([mine, longer], invoice(written))).toMatchObject({ decision: 'auto', ticketId: longer.ticket.id });
    expect(candidateLookup(invoice(written), known).keys).toContain('BC20260042');
  },
);

test('a ticket number that two tickets have is worth less; another contractor’s ticket does not count', () => {
  const [one, two] = [candidate(ticket('1', { number: 'T-001042' })), candidate(ticket('2', { number: 'T-001042' }))];
  const others = { ...two, ticket: { ...two.ticket, views: two.ticket.views.slice(0, 1) } };
  expect(decideOn([one, two], invoice('T-001042'))).toMatchObject({ decision: 'queue', score: 45, margin: 0 });
  expect(decideOn([one, others], invoice('T-001042'))).toMatchObject({ score: 70, margin: 70 });
});

test('the balance after a deposit is compared with what remains', () => {
  const linked = [amounts(300)];
  const decision = decideOn([{ ...mine, linked }], invoice('BC-2026-0042', { amounts: amounts(700) }));
  expect(decision.decision).toBe('auto');
  expect(decision.suggestions[0]?.reasons).toContain(
    'amount equals the remaining part of order BC-2026-0042, 700.00 EUR without VAT',
  );
});

const two = candidate(ticket('1'), {
  purchases: [bc, order('BC-2026-0043', 300), order('BC-2026-0044', 5000)],
});

test.each([
  ['the order that it names', 'BC-2026-0042', 1310, 'above'],
  ['the orders that it names', 'BC-2026-0042, BC-2026-0043', 1300, 'equal'],
  ['all orders, which it fits', 'BC-2026-0042', 6300, 'equal'],
  ['all orders, where it names none', null, 4000, 'part'],
] as const)('of several orders, an invoice is compared with %s', (_what, named, ht, level) => {
  const { suggestions } = decideOn([two], invoice(named, { amounts: amounts(ht) }));
  const amount = suggestions[0]?.signals?.find(({ code }) => code === 'amount');
  expect(amount?.values.level).toBe(level);
});

test('who is not the contractor of the ticket scores no more than 79, whatever agrees', () => {
  const { score, suggestions } = decideOn([mine], invoice('BC-2026-0042, T-001'), { supplier: unknown });
  expect([score, suggestions[0]?.score]).toEqual([79, 79]);
});

test('a ticket that is invoiced already waits for a person', () => {
  const decision = decideOn([{ ...mine, linked: [amounts(1000)] }], invoice('BC-2026-0042'));
  expect(decision).toMatchObject({ decision: 'queue', score: 53, flags: ['already_invoiced'] });
});

test.each([
  ['excluded by an operator', { ...mine, excluded: true }],
  ['canceled', { ...mine, ticket: ticket('1', { status: 'canceled' }) }],
  ['made two days after the invoice', { ...mine, ticket: ticket('1', { created_at: '2026-03-22T00:00:00.000Z' }) }],
  ['untouched for 18 months', { ...mine, ticket: ticket('1', { updated_at: '2024-09-19T23:00:00.000Z' }) }],
])('no candidate: a ticket %s', (_why, one) => {
  expect(decideOn([one], invoice('BC-2026-0042'))).toMatchObject({ decision: 'queue', score: null, suggestions: [] });
});

test('the ticket decides between two contractors of one SIREN', () => {
  const supplier = {
    contractorId: null,
    contractorIds: [contractor, 'd'.repeat(24)],
    flags: ['supplier_ambiguous' as const],
  };
  expect(decideOn([mine], invoice('BC-2026-0042'), { supplier })).toMatchObject({
    contractorId: contractor,
    flags: [],
  });
  expect(decideOn([mine], invoice(null, { amounts: amounts(9) }), { supplier })).toMatchObject({
    decision: 'queue',
    contractorId: null,
    flags: ['supplier_ambiguous'],
  });
});

test('candidates in another order give the same decision, with at most five suggestions', () => {
  const many = ['1', '2', '3', '4', '5', '6', '7'].map((id) =>
    candidate(ticket(id, { quotes: [quote(`D-${id}`, '1010')] })),
  );
  const answer = decideOn(many, invoice(null));
  expect(answer.suggestions).toHaveLength(5);
  expect(decideOn([...many].reverse(), invoice(null))).toEqual(answer);
});

test.each([
  ['credit_note' as const, []],
  ['corrective' as const, ['corrective']],
])('a %s goes to the ticket of the invoice that it names, whatever its amount', (kind, flags) => {
  const preceding = [{ id: 'x', number: 'F-2025-9', ticketId: mine.ticket.id }];
  const of = invoice(null, { kind, amounts: amounts(-50) });
  expect(decideOn([mine], of, { preceding })).toMatchObject({ decision: 'auto', ticketId: mine.ticket.id, flags });
  expect(decideOn([{ ...mine, excluded: true }], of, { preceding }).decision).toBe('queue');
  const waiting = { id: 'y', number: 'F-2025-9', ticketId: null };
  expect(decideOn([mine], of, { preceding: [...preceding, waiting] }).decision).toBe('auto');
  const canceled = { ...mine, ticket: { ...mine.ticket, status: 'canceled' as const } };
  expect(decideOn([canceled], of, { preceding }).decision).toBe('queue');
  expect(decideOn([mine], invoice('BC-2026-0042', { kind }))).toMatchObject({ decision: 'queue', score: 78 });
});
