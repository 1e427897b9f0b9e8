import { isDeepStrictEqual } from 'node:util';
import { AppError, ValidationError } from '@app/kernel';
import {
  addEntries,
  addSums,
  type Entry,
  isCountedFor,
  isCountedIn,
  isZero,
  keyOf,
  medianOf,
  noSums,
  parseKey,
  type Sums,
} from '@app/service/entries';
import fc from 'fast-check';
import { type Invoice, states } from '../../services/invoice-reconciliation/invoices/invoice.ts';
import { invoiceEntries } from '../../services/invoice-reconciliation/statistics/invoice-entries.ts';
import { anInvoice, canonical } from '../../services/invoice-reconciliation/test/invoices.ts';
import { clockNames, clocks } from '../../services/ticket/clocks/clocks.ts';
import type { LineOnTicket } from '../../services/ticket/invoices/invoice-line.ts';
import type { Purchase } from '../../services/ticket/purchases/purchase.ts';
import { type CountedTicket, openStatuses, ticketEntries } from '../../services/ticket/statistics/ticket-entries.ts';
import { aTicket, clientId } from '../../services/ticket/test/tickets/fixtures.ts';
import { type HistoryEntry, historyEntries } from '../../services/ticket/tickets/history.ts';
import { type ClockRules, clockHistory, withClock } from '../../services/ticket/tickets/lifecycle/ticket-clocks.ts';
import { statusOf, type Ticket, viewOfCompany } from '../../services/ticket/tickets/ticket.ts';
import { checkProperty } from './check-property.ts';
import { contractors, hour, move, type Step, start } from './ticket-steps.ts';

/** The rows of a service, kept by differences as the store keeps them: what is counted is what was read back of it. */
class Ledger {
  rows = new Map<string, Sums>();
  #counted = new Map<string, string>();

  count(id: string, entries: Entry[]): void {
    addEntries(this.rows, JSON.parse(this.#counted.get(id) ?? '[]') as Entry[], -1);
    addEntries(this.rows, entries, 1);
    this.#counted.set(id, JSON.stringify(entries));
  }

  rebuild(): void {
    this.rows = new Map();
    this.#counted = new Map();
  }
}

/** Rows that say something, durations that none lasted left out. */
function plain(rows: Map<string, Sums>) {
  const said = [...rows].filter(([, sums]) => !isZero(sums));
  return Object.fromEntries(
    said.map(([key, { minutes, ...sums }]) => [
      key,
      { ...sums, minutes: [...minutes].filter(([, count]) => count !== 0).sort(([one], [other]) => one - other) },
    ]),
  );
}

function recomputed(documents: Entry[][]): Map<string, Sums> {
  const rows = new Map<string, Sums>();
  for (const entries of documents) addEntries(rows, entries, 1);
  return rows;
}

/** As `expect(…).toEqual`, which takes longer than all else in 10,000 histories. */
function same(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}

/** A ticket as the service stores it, in several collections. */
type Stored = {
  ticket: Ticket;
  history: HistoryEntry[];
  purchases: Map<string, Purchase>;
  lines: Map<string, LineOnTicket>;
};

const ticketIndex = fc.nat({ max: 1 });
const cents = fc.integer({ min: -500_000, max: 500_000 });
const amount = cents.map((value) => value / 100);

const ofPurchase = fc.record({
  id: fc.constantFrom('p1', 'p2', 'p3'),
  kind: fc.constantFrom('purchase_order' as const, 'goods_receipt' as const),
  amount: fc.option(amount.map(Math.abs)),
  includes_vat: fc.boolean(),
  version: fc.nat({ max: 5 }),
  deleted: fc.boolean(),
  supplier: fc.constantFrom(...contractors, null),
});
const ofLine = fc.record({
  id: fc.constantFrom('l1', 'l2', 'l3'),
  kind: fc.constantFrom('invoice' as const, 'credit_note' as const, 'corrective' as const),
  currency: fc.constantFrom('EUR', 'CHF'),
  amount,
  /** False: the link is undone. */
  on: fc.boolean(),
});

type Change =
  | { do: 'move'; step: Step }
  | { do: 'purchase'; with: typeof ofPurchase extends fc.Arbitrary<infer T> ? T : never }
  | { do: 'line'; with: typeof ofLine extends fc.Arbitrary<infer T> ? T : never }
  | { do: 'places'; places: string[] }
  | { do: 'count' }
  | { do: 'rebuild' };

const allPlaces = ['place1', 'place2', 'place3'];

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: move.map((step): Change => ({ do: 'move', step })) },
  { weight: 2, arbitrary: ofPurchase.map((one): Change => ({ do: 'purchase', with: one })) },
  { weight: 2, arbitrary: ofLine.map((one): Change => ({ do: 'line', with: one })) },
  { weight: 1, arbitrary: fc.shuffledSubarray(allPlaces).map((places): Change => ({ do: 'places', places })) },
  { weight: 2, arbitrary: fc.constant<Change>({ do: 'count' }) },
  { weight: 1, arbitrary: fc.constant<Change>({ do: 'rebuild' }) },
);

function newStored(): Stored {
  const ticket = aTicket({ location_ids: ['place1', 'place2'], domain_ids: [], price_threshold: null });
  return { ticket, history: [], purchases: new Map(), lines: new Map() };
}

/** Applies a change as the service would; what its rules refuse changes nothing. */
function apply(stored: Stored, given: Change, now: Date): void {
  if (given.do === 'move') moveTicket(stored, given.step, now);
  if (given.do === 'places') stored.ticket = { ...stored.ticket, location_ids: given.places };
  if (given.do === 'purchase') {
    const { id, version, supplier, ...fields } = given.with;
    // A late event is of an older version.
    if ((stored.purchases.get(id)?.version ?? -1) >= version) return;
    const purchase = {
      ...fields,
      _id: id,
      version,
      buyer_company_id: clientId,
      supplier_contractor_id: supplier?.candidate.id ?? null,
      quote_id: null,
      date: now.toISOString(),
    };
    stored.purchases.set(id, purchase as unknown as Purchase);
  }
  if (given.do === 'line') {
    const { id, kind, currency, amount: ht, on } = given.with;
    if (!on) return void stored.lines.delete(id);
    const counted = {
      kind,
      currency,
      issue_date: '2026-11-12',
      key: id,
      replaces: kind === 'corrective' ? ['l1'] : [],
    };
    const view = stored.ticket.views.at(-1);
    const line = {
      _id: id,
      view_id: view?._id,
      supplier: { siren: 's' },
      amounts: { ht, tva: 0, ttc: ht * 2 },
      counted,
    };
    stored.lines.set(id, { ...line, added_at: now.toISOString() } as unknown as LineOnTicket);
  }
}

const openings = [{ day: 1, from: '00:00', to: '24:00' }];
const hours = { location_id: null, time_zone: 'Europe/Paris', openings, holidays: null, closed: [] };
const target = (amount: number) => ({ amount, unit: 'days' as const });
const targets = { response: target(1), arrival: target(2), finish: target(3), warn_percent: 75 };
const rules: ClockRules = { targets, hours, since: new Date(0) };

function moveTicket(stored: Stored, step: Step, now: Date): void {
  const { ticket: before } = stored;
  if (step.by && step.by.party !== 'timer' && !viewOfCompany(before, step.by.companyId)) return;
  try {
    const { ticket } = step.apply(before, now);
    if (ticket === before) return;
    stored.ticket = withClock(before, ticket, rules);
    stored.history.push(...historyEntries(before, ticket, { operation: 'edit', by: null }));
  } catch (error) {
    if (!(error instanceof AppError || error instanceof ValidationError)) throw error;
  }
}

function countedOf({ ticket, history, purchases, lines }: Stored): CountedTicket {
  const live = [...purchases.values()].filter(({ deleted }) => !deleted);
  return { ticket, history, purchases: live, lines: [...lines.values()] };
}

/** Sums over rows of one dimension of the client. */
function totals(rows: Map<string, Sums>, figure: string) {
  const own = [...rows].filter(([key]) => key.startsWith(`${clientId}||${figure}||`));
  return new Map(
    [...Map.groupBy(own, ([key]) => parseKey(key).split.join('|'))].map(([split, all]) => {
      return [split, all.reduce((sum, [, { n, ht }]) => ({ n: sum.n + n, ht: sum.ht + ht }), { n: 0, ht: 0 })];
    }),
  );
}

test('however tickets, their purchases and their invoices change, are undone, deleted, late or counted again, each row equals what the documents say', () => {
  const history = fc.array(fc.tuple(ticketIndex, change), { maxLength: 14 });
  checkProperty(
    fc.property(history, fc.subarray(allPlaces), (changes, seen) => {
      const tickets = [newStored(), newStored()] as const;
      const ledger = new Ledger();
      const countAll = () => {
        for (const one of tickets) ledger.count(one.ticket._id, ticketEntries(countedOf(one)));
      };
      for (const [step, [index, given]] of changes.entries()) {
        const stored = tickets[index] as Stored;
        if (given.do === 'count') ledger.count(stored.ticket._id, ticketEntries(countedOf(stored)));
        else if (given.do === 'rebuild') ledger.rebuild();
        else apply(stored, given, new Date(start + (step + 1) * hour));
      }
      countAll();
      const rows = plain(ledger.rows);
      same(rows, plain(recomputed(tickets.map((one) => ticketEntries(countedOf(one))))));
      expectOpen(ledger.rows, tickets);
      expectPunctual(ledger.rows, tickets);
      expectInvoiced(ledger.rows, tickets);
      expectTimes(ledger.rows, tickets);
      expectLimited(ledger.rows, tickets, seen);
      expectListed(ledger.rows, tickets.map(countedOf).map(ticketEntries));
    }),
    10_000,
  );
});

/** By another way than the entries: straight from the tickets. */
function expectOpen(rows: Map<string, Sums>, tickets: readonly Stored[]): void {
  const open = tickets.map(({ ticket }) => statusOf(ticket)).filter((status) => openStatuses.includes(status));
  const counted = totals(rows, 'open');
  for (const status of openStatuses) same(counted.get(status)?.n ?? 0, open.filter((one) => one === status).length);
}

/** By the histories of the tickets themselves. */
function expectPunctual(rows: Map<string, Sums>, tickets: readonly Stored[]): void {
  const counted = totals(rows, 'deadlines');
  for (const name of clockNames) {
    const results = tickets.flatMap(({ ticket }) => {
      if (!ticket.clock || statusOf(ticket) === 'removed') return [];
      const now = ticket.updated_at;
      const clock = clocks(clockHistory({ ...ticket, clock: ticket.clock }), targets, hours, now)[name];
      return clock?.reached_at ? [clock.late_ms > 0 ? 'late' : 'in_time'] : [];
    });
    for (const result of ['late', 'in_time'])
      same(counted.get(`${result}|${name}`)?.n ?? 0, results.filter((one) => one === result).length);
  }
}

/** The list behind each number has the documents that it counts, and no other, whatever it is grouped by and in each currency. */
function expectListed(rows: Map<string, Sums>, documents: Entry[][]): void {
  const byFigure = Map.groupBy(documents.flat(), ({ figure, company }) => `${company} ${figure}`);
  for (const [key, { n }] of rows) {
    const { place, company, figure, dimension, period, group, split } = parseKey(key);
    if (place !== '') continue;
    const [last = ''] = split.slice(-1);
    const isMoney = /^[A-Z]{3}$/.test(last);
    const of = { ...(dimension !== '' && { [dimension]: group }), ...(isMoney && { currency: last }) };
    const days = { from: period, to: `${period}~` };
    const asked = { company, figure, split: isMoney ? split.slice(0, -1) : split, of, ...days };
    const counted = byFigure.get(`${company} ${figure}`)?.filter((entry) => isCountedIn(entry, asked)) ?? [];
    same([key, counted.length], [key, n]);
  }
}

/** Who is limited to places reads what the tickets there alone would give. */
function expectLimited(rows: Map<string, Sums>, tickets: readonly Stored[], places: readonly string[]): void {
  const seen = new Set(places);
  const read = new Map<string, Sums>();
  for (const [key, sums] of rows) {
    const parsed = parseKey(key);
    if (!seen.has(parsed.place) || !isCountedFor(seen, parsed)) continue;
    const sum = keyOf({ ...parsed, place: '', also: [] });
    read.set(sum, read.get(sum) ?? noSums());
    addSums(read.get(sum) as Sums, sums);
  }
  const visible = tickets.filter(({ ticket }) => ticket.location_ids.some((id) => seen.has(id)));
  const expected = visible.map((one) =>
    ticketEntries(countedOf(one)).flatMap(({ places: _, groups: { place: __, ...groups }, ...entry }) =>
      entry.company === clientId ? [{ ...entry, groups }] : [],
    ),
  );
  same(plain(read), plain(recomputed(expected)));
}

function expectInvoiced(rows: Map<string, Sums>, tickets: readonly Stored[]): void {
  const counted = totals(rows, 'invoiced');
  for (const currency of ['EUR', 'CHF']) {
    let sum = 0n;
    for (const { ticket, lines } of tickets) {
      if (statusOf(ticket) === 'removed') continue;
      const all = [...lines.values()];
      const isReplaced = all.some(({ counted: of }) => of?.kind === 'corrective');
      for (const { _id, amounts, counted: of } of all) {
        if (of?.currency !== currency || (isReplaced && _id === 'l1')) continue;
        const exact = BigInt(amounts.ht.toFixed(2).replace('.', ''));
        sum += of.kind === 'credit_note' && exact > 0n ? -exact : exact;
      }
    }
    same(BigInt(counted.get(currency)?.ht ?? 0), sum);
  }
}

function expectTimes(rows: Map<string, Sums>, tickets: readonly Stored[]): void {
  for (const { candidate } of contractors) {
    const lengths = tickets.flatMap(({ ticket, history }) => {
      const view = ticket.views.find(({ contractor_id }) => contractor_id === candidate.id);
      if (!view || statusOf(ticket) === 'removed') return [];
      const own = history.flatMap(({ at, views }) =>
        views.filter(({ _id }) => _id === view._id).map((one) => ({ at, ...one })),
      );
      return own.flatMap(({ at, from, to }, index) => {
        if (from !== 'proposed' || ['declined', 'canceled', 'removed'].includes(to)) return [];
        const proposed = own.slice(0, index).findLast((one) => one.to === 'proposed');
        return proposed ? [(at.getTime() - proposed.at.getTime()) / 60_000] : [];
      });
    });
    const sorted = lengths.sort((one, other) => one - other);
    const prefix = `${clientId}||work|contractor|`;
    const of = [...rows].filter(([key]) => key.startsWith(prefix) && key.endsWith(`|${candidate.id}||accepted`));
    const minutes = new Map<number, number>();
    for (const [, sums] of of)
      for (const [length, count] of sums.minutes) minutes.set(length, (minutes.get(length) ?? 0) + count);
    same(medianOf({ minutes }), sorted[Math.ceil(sorted.length / 2) - 1] ?? null);
  }
}

const patch: fc.Arbitrary<(invoice: Invoice) => Invoice> = fc.oneof(
  fc.tuple(fc.constantFrom(...states), fc.boolean()).map(([to, byPerson]) => (invoice: Invoice) => ({
    ...invoice,
    state: to,
    history: [
      ...invoice.history,
      { at: new Date(start), from: invoice.state, to, reason: null, ...(byPerson ? { by: { id: 'u' } } : {}) },
    ],
  })),
  fc
    .record({
      ht: amount,
      kind: fc.constantFrom('invoice' as const, 'credit_note' as const),
      dueDate: fc.constantFrom(null, '2026-12-01', '2026-12-31'),
      currency: fc.constantFrom('EUR', 'CHF'),
    })
    .map(({ ht, ...fields }) => (invoice: Invoice) => {
      return { ...invoice, canonical: { ...canonical, ...fields, amounts: { ht, tva: 0, ttc: ht } } };
    }),
  fc.constantFrom(null, 'paid', 'refused', '212').map((provider_status) => (invoice: Invoice) => {
    return { ...invoice, provider_status };
  }),
  fc.constantFrom(null, 's1', 's2').map((supplier_id) => (invoice: Invoice) => ({ ...invoice, supplier_id })),
  fc
    .subarray(['duplicate_suspected', 'iban_changed'])
    .map((reasons) => (invoice: Invoice) => ({ ...invoice, reasons })),
);

test('however invoices change, each row equals what the documents say, and what is owed equals the sum of the unpaid', () => {
  const numbered = fc.tuple(fc.nat({ max: 2 }), fc.oneof(patch, fc.constantFrom('count' as const, 'rebuild' as const)));
  checkProperty(
    fc.property(fc.array(numbered, { maxLength: 20 }), (changes) => {
      const invoices = Array.from({ length: 3 }, (_, index) => ({
        ...anInvoice({ client_id: clientId }),
        _id: `i${index}`,
      }));
      const ledger = new Ledger();
      const entriesOf = (invoice: Invoice) => invoiceEntries({ invoice, isReplaced: false, places: [] });
      for (const [index, given] of changes) {
        const invoice = invoices[index] as Invoice;
        if (given === 'count') ledger.count(invoice._id, entriesOf(invoice));
        else if (given === 'rebuild') ledger.rebuild();
        else invoices[index] = given(invoice);
      }
      for (const invoice of invoices) ledger.count(invoice._id, entriesOf(invoice));
      same(plain(ledger.rows), plain(recomputed(invoices.map(entriesOf))));
      expectListed(ledger.rows, invoices.map(entriesOf));
      let owed = 0n;
      for (const { canonical: read, provider_status } of invoices) {
        if (provider_status !== null || read?.currency !== 'EUR') continue;
        const exact = BigInt(read.amounts.ht.toFixed(2).replace('.', ''));
        owed += read.kind === 'credit_note' && exact > 0n ? -exact : exact;
      }
      const rows = [...totals(ledger.rows, 'payable')].filter(([split]) => split.endsWith('EUR'));
      expect(BigInt(rows.reduce((sum, [, { ht }]) => sum + ht, 0))).toBe(owed);
    }),
    10_000,
  );
});
