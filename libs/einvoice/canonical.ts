import { type CanonicalInvoice, type InvoiceLine, invoiceLimits as limits, type ReferenceKind } from '@app/contracts';
import { readAccounts } from '@app/kernel';
import { companyNumbers } from './company-numbers.ts';
import { divide, parseDecimal, percentToFraction, toNumber } from './decimal.ts';
import type { DocumentFields, LineFields, PartyFields } from './document-fields.ts';
import { unmappable } from './errors.ts';
import { readAmounts, readBreakdown } from './money.ts';
import { OptionalFields } from './optional-fields.ts';
import { cleanReferences, ticketNamedIn } from './references.ts';

/** Document types (UNTDID 1001) as EN 16931 and XP Z12-012 group them, self-billed and factored ones included. */
const creditNotes = new Set('81 83 261 262 296 308 381 396 420 458 502 503 532'.split(' '));
const correctives = new Set('384 471 472 473'.split(' '));
/** Line types (BT-X-8) that only sum up or explain other lines: their amounts would count twice. */
const uncounted = new Set(['GROUP', 'INFORMATION']);

/**
 * Converts the fields of a document into the canonical invoice.
 * @throws AppError invalid `unmappable`, with the missing or wrong field in the message
 */
export function toCanonical(fields: DocumentFields): CanonicalInvoice {
  // Its spaces stay: the supplier and the provider know it by every character.
  const number = required(fields.number, 'the invoice number (BT-1)').replace(/[\t\n]/g, ' ');
  if (number.length > limits.numberLength) {
    throw unmappable(`the invoice number (BT-1) has more than ${limits.numberLength} characters`);
  }
  const currency = required(fields.currency, 'the currency (BT-5)').toUpperCase();
  if (!/^[A-Z]{3}$/.test(currency)) throw unmappable('the currency (BT-5) is no code of three letters');
  const issueDate = parseDate(required(fields.issueDate, 'the issue date (BT-2)'), 'the issue date (BT-2)');
  const optional = new OptionalFields();
  const { dueDate } = fields;
  const amounts = readAmounts(fields.totals, currency, optional);
  const references = cleanReferences(fields.references);
  const lines = fields.lines.flatMap((line, index) => (isCounted(line) ? [toLine(line, index, optional)] : []));
  const notes = notesOf(fields);
  return {
    kind: kindOf(fields, amounts.ttc),
    number,
    issueDate,
    dueDate: dueDate === null ? null : optional.read(() => parseDate(dueDate, 'the due date (BT-9)')),
    currency,
    supplier: toSupplier(fields.supplier, fields.accounts),
    buyer: fields.buyer === null ? null : toBuyer(fields.buyer),
    amounts,
    vatBreakdown: readBreakdown(fields.vatBreakdown, currency, optional),
    lines,
    matchHints: {
      poRef: firstOf(references, 'order'),
      ticketRef: ticketNamedIn([
        ...valuesOf(references, 'buyer_reference'),
        ...notes,
        ...lines.map(({ label }) => label),
      ]),
      orderRef: firstOf(references, 'sales_order'),
    },
    references,
    notes,
    places: [...new Set(fields.places.map(placeOf))].filter((place) => place !== '').slice(0, limits.places),
    providerStatus: null,
    ...(sharedProcesses.has(processOf(fields)) && { isShared: true as const }),
    warnings: [...optional.warnings, ...(processes[processOf(fields)] ?? [])],
  };
}

function kindOf({ typeCode, isCreditNote }: DocumentFields, ttc: number): CanonicalInvoice['kind'] {
  if (isCreditNote) return 'credit_note';
  if (typeCode !== null && correctives.has(typeCode)) return 'corrective';
  return ttc < 0 || (typeCode !== null && creditNotes.has(typeCode)) ? 'credit_note' : 'invoice';
}

/** `externalId` stays null: it is the provider's id of the supplier, which no document contains. */
function toSupplier(party: PartyFields, fields: string[]): CanonicalInvoice['supplier'] {
  const accounts = readAccounts(fields).map((account) => account.slice(0, limits.referenceLength));
  if (accounts.length > limits.accounts)
    throw unmappable(`the invoice has more than ${limits.accounts} accounts (BT-84)`);
  return { externalId: null, name: nameOf(party), ...companyNumbers(party), accounts };
}

function toBuyer(party: PartyFields): NonNullable<CanonicalInvoice['buyer']> {
  const { siren, siret } = companyNumbers(party);
  return { name: nameOf(party), siren, siret };
}

function nameOf({ name }: PartyFields): string | null {
  return name === null ? null : collapseSpaces(name).slice(0, limits.labelLength);
}

function toLine(line: LineFields, index: number, optional: OptionalFields): InvoiceLine {
  const decimal = (text: string | null, what: string) =>
    text === null ? null : optional.read(() => parseDecimal(text, `${what} of line ${index + 1}`));
  const qty = decimal(line.qty, 'the quantity (BT-129)');
  const price = decimal(line.price, 'the net price (BT-146)');
  const priceFor = decimal(line.priceFor, 'the base quantity of the price (BT-149)');
  const ht = decimal(line.ht, 'the net amount (BT-131)');
  const percent = decimal(line.percent, 'the VAT rate (BT-152)');
  const isForOne = priceFor === null || priceFor.units === 0n || (priceFor.units === 1n && priceFor.scale === 0);
  return {
    label: collapseSpaces(line.label ?? '').slice(0, limits.labelLength),
    qty: qty && toNumber(qty),
    unitPrice: price && toNumber(isForOne ? price : divide(price, priceFor)),
    ht: ht && toNumber(ht),
    vatRate: percent && toNumber(percentToFraction(percent)),
  };
}

function isCounted({ subtype }: LineFields): boolean {
  return subtype === null || !uncounted.has(subtype);
}

/** Distinct notes, the document's before those of its lines. Headings count as notes because people write references into them. */
function notesOf(fields: DocumentFields): string[] {
  const ofLines = fields.lines.flatMap((line) => (isCounted(line) ? line.notes : [line.label ?? '', ...line.notes]));
  const notes = [...fields.notes, ...ofLines];
  return [...new Set(notes.map((note) => note.trim().slice(0, limits.noteLength)))]
    .filter((note) => note !== '')
    .slice(0, limits.notes);
}

const processes: Record<string, string[]> = {
  2: ['the invoice says that it is paid already (BT-23)'],
  8: ['the invoice says that it is of several suppliers (BT-23): not all of it is of this one'],
  9: ['the invoice says that it bills both ways (BT-23): not all of it is of this supplier'],
};
const sharedProcesses = new Set(['8', '9']);

/** The kind of billing, after goods (`B`), services (`S`) or both (`M`); empty if it says none. */
function processOf({ businessProcess }: DocumentFields): string {
  return /^[BSM](\d)$/.exec(businessProcess ?? '')?.[1] ?? '';
}

function placeOf(parts: (string | null)[]): string {
  const said = parts.flatMap((part) => (part === null ? [] : [collapseSpaces(part)]));
  return said.join(', ').slice(0, limits.noteLength);
}

function firstOf(references: DocumentFields['references'], kind: ReferenceKind): string | null {
  return valuesOf(references, kind)[0] ?? null;
}

function valuesOf(references: DocumentFields['references'], kind: ReferenceKind): string[] {
  return references.flatMap((reference) => (reference.kind === kind ? [reference.value] : []));
}

/** Replaces each run of white space, line ends included, by one space. */
function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function required(text: string | null, what: string): string {
  if (text === null) throw unmappable(`${what} is missing`);
  return text;
}

/**
 * Parses an xs:date (without its time and zone) or a CII date (formats 102, 203 and 204 of UNTDID 2379, which begin with
 * YYYYMMDD) into `YYYY-MM-DD`.
 * @throws AppError invalid `unmappable`, with `where` in the message, for another form or a day that does not exist
 */
function parseDate(text: string, where: string): string {
  const [, year, month, day] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T[\d:.]{5,20})?(?:Z|[+-]\d\d:\d\d)?$/.exec(text) ??
    /^(\d{4})(\d\d)(\d\d)(?:\d{4}|\d{6})?$/.exec(text) ??
    [];
  const date = `${year}-${month}-${day}`;
  const exists = new Date(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(exists.getTime()) && exists.toISOString().startsWith(date) && date >= '1900';
  if (!isDay) throw unmappable(`${where} is no date: ${JSON.stringify(text.slice(0, 40))}`);
  return date;
}
