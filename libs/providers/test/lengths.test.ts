import { normalizeAfnor } from '../afnor/mapping.ts';
import { identifier, latest, pageEntries } from '../parsing/json.ts';
import { normalizePennylane } from '../pennylane/mapping.ts';
import { normalizeSandbox } from '../sandbox/mapping.ts';
import { ublInvoice } from './ubl-invoice.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const long = 'a'.repeat(100_000);
const amounts = { ht: '100.00', tva: '20.00', ttc: '120.00' };
const sandbox = (given: object) =>
  normalizeSandbox(json({ number: 'F1', issue_date: '2026-11-16', currency: 'EUR', amounts, ...given }));
const pennylane = (given: object, rest: object = {}, document: Buffer | null = null) => {
  const own = { invoice_number: 'F1', date: '2026-11-16', currency: 'EUR', currency_amount: '120', currency_tax: '20' };
  return normalizePennylane(
    json({ invoice: { ...own, ...given }, lines: [], purchase_requests: [], ...rest }),
    document,
  );
};
const unmappable = (sentence: string) =>
  expect.objectContaining({ code: 'unmappable', message: expect.stringContaining(sentence) });

test.each<[string, () => unknown, string]>([
  ['number', () => sandbox({ number: long }), 'more than 100 characters'],
  ['amount', () => sandbox({ amounts: { ...amounts, ttc: `1.${'0'.repeat(60_000)}` } }), 'amounts.ttc is no decimal'],
  ['amount of zeros', () => sandbox({ amounts: { ...amounts, ht: '0'.repeat(60_000) } }), 'amounts.ht is no decimal'],
  ['date', () => sandbox({ issue_date: `2026-11-16T${long}` }), 'the issue date is no date'],
  ['currency', () => sandbox({ currency: long }), 'no ISO 4217 code'],
  ['list of lines', () => sandbox({ lines: Array(10_001).fill({}) }), 'more than 10000 lines'],
  ['list of VAT rates', () => sandbox({ vat_breakdown: Array(10_001).fill({}) }), 'more than 10000 VAT rates'],
  ['number at Pennylane', () => pennylane({ invoice_number: long }), 'more than 100 characters'],
  ['amount at Pennylane', () => pennylane({ currency_amount: '1'.repeat(41) }), 'currency_amount is no decimal'],
  ['list of lines at Pennylane', () => pennylane({}, { lines: Array(10_001).fill({}) }), 'more than 10000 lines'],
  [
    'list of purchase requests at Pennylane',
    () => pennylane({}, { purchase_requests: Array(10_001).fill({}) }),
    'more than 10000 purchase requests',
  ],
])('an invoice with a %s that no invoice has is refused, and the sentence says which', (_what, map, sentence) => {
  expect(map).toThrow(unmappable(sentence));
});

test('texts of the sandbox are cut as those of an e-invoice are, and a reference of 201 characters is dropped', () => {
  const order = 'BC-'.repeat(8_000);
  const mapped = sandbox({
    supplier: { id: long, name: long, siren: long, siret: long, vat_number: long, iban: `1${long}` },
    buyer: { name: long },
    references: { purchase_order: order, ticket: long, sales_order: 'D'.repeat(200), contract: 'D'.repeat(201) },
    lines: [{ label: long }],
    notes: [long, ...Array(2_000).fill('a')],
    delivery_address: long,
    status: long,
  });
  expect(mapped).toMatchObject({
    supplier: { externalId: null, siren: null, siret: null },
    matchHints: { poRef: null, ticketRef: null, orderRef: 'D'.repeat(200) },
    references: [{ kind: 'sales_order', value: 'D'.repeat(200) }],
    places: ['a'.repeat(1_000)],
  });
  const { supplier, buyer, lines, notes, providerStatus } = mapped;
  const lengths = [
    supplier.name,
    supplier.vatNumber,
    supplier.accounts[0],
    buyer?.name,
    lines[0]?.label,
    providerStatus,
  ];
  expect(lengths.map((text) => text?.length)).toEqual([300, 200, 200, 300, 300, 300]);
  expect([notes.length, notes[0]?.length]).toEqual([1_000, 1_000]);
});

test('texts of Pennylane are cut likewise', () => {
  const requests = Array.from({ length: 2_000 }, (_, index) => ({ purchase_order_number: `PO-${index}` }));
  const mapped = pennylane(
    { external_reference: long, label: long, payment_status: long },
    { purchase_requests: [{ number: long }, ...requests], lines: [{ label: long, description: long, vat_rate: long }] },
  );
  const { lines, notes, references, providerStatus } = mapped;
  expect(mapped.matchHints.poRef).toBe('PO-0');
  expect(references).toHaveLength(500);
  expect([lines[0]?.label, ...notes, providerStatus].map((text) => text?.length)).toEqual([300, 1_000, 1_000, 300]);
  const completed = pennylane({ label: long }, { purchase_requests: requests }, ublInvoice({ number: 'F1' }));
  expect(completed.references).toHaveLength(500);
});

test('the status of a flow is cut likewise', () => {
  const flow = json({ flowSyntax: 'UBL', acknowledgement: { status: long } });
  expect(normalizeAfnor(flow, ublInvoice({ number: 'F1' })).providerStatus).toHaveLength(300);
});

test('a page of a list of changes has 10,000 entries at most, an id 200 characters', () => {
  expect(pageEntries(Array(10_000).fill({ id: 1 }))).toHaveLength(10_000);
  expect(() => pageEntries(Array(10_001).fill({ id: 1 }))).toThrow(expect.objectContaining({ kind: 'refused' }));
  expect(() => pageEntries('no list')).toThrow(expect.objectContaining({ kind: 'transient' }));
  expect([identifier('a'.repeat(200)), identifier('a'.repeat(201)), identifier(7)]).toEqual([
    'a'.repeat(200),
    null,
    '7',
  ]);
  const moments = Array(150_000).fill('2026-11-16T10:00:00Z');
  expect(latest([long, ...moments])).toEqual(new Date('2026-11-16T10:00:00Z'));
});

test('the latest of the moments is read as ISO 8601 says, not as JavaScript guesses', () => {
  expect(latest(['2026-01-01T10:00:00Z', '2026-01-01T13:00+02', 'soon', null])).toEqual(
    new Date('2026-01-01T11:00:00Z'),
  );
  expect(latest(['2026-02-31T00:00:00Z'])).toBeNull();
});
