import { type CanonicalInvoice, type InvoiceLine, invoiceLimits as limits, type ReferenceKind } from '@app/contracts';
import { readIban } from '@app/kernel';
import { companyNumbers } from './company-numbers.ts';
import { parseDate } from './date.ts';
import { divide, parseDecimal, percentToFraction, toNumber } from './decimal.ts';
import type { Facts, LineFacts, PartyFacts } from './facts.ts';
import { unmappable } from './faults.ts';
import { readAmounts, readBreakdown } from './money.ts';
import { cleanReferences, ticketNamedIn } from './references.ts';

/** UNTDID 1001, as EN 16931 and XP Z12-012 group them; self-billed and factored ones are among them. */
const creditNotes = new Set('81 83 261 262 296 308 381 396 420 458 502 503 532'.split(' '));
const correctives = new Set('384 471 472 473'.split(' '));
/** BT-X-8 of lines that sum up others or explain one: the amount is the others', and counted with them it would be twice. */
const uncounted = new Set(['GROUP', 'INFORMATION']);

/**
 * The canonical invoice of what a document says (spec section 2.4; domain.md sections 2.6 and 2.7).
 * @throws AppError invalid `unmappable`: what is missing or wrong
 */
export function toCanonical(facts: Facts): CanonicalInvoice {
  const number = shortened(required(facts.number, 'the invoice number (BT-1)'));
  if (number.length > limits.numberLength) {
    throw unmappable(`the invoice number (BT-1) has more than ${limits.numberLength} characters`);
  }
  const currency = required(facts.currency, 'the currency (BT-5)').toUpperCase();
  if (!/^[A-Z]{3}$/.test(currency)) throw unmappable('the currency (BT-5) is no code of three letters');
  const issueDate = parseDate(required(facts.issueDate, 'the issue date (BT-2)'), 'the issue date (BT-2)');
  const amounts = readAmounts(facts.totals, currency);
  const references = cleanReferences(facts.references);
  const lines = facts.lines.flatMap((line, index) => (isCounted(line) ? [toLine(line, index)] : []));
  const notes = notesOf(facts);
  return {
    kind: kindOf(facts, amounts.ttc),
    number,
    issueDate,
    dueDate: facts.dueDate === null ? null : parseDate(facts.dueDate, 'the due date (BT-9)'),
    currency,
    supplier: toSupplier(facts.supplier, facts.accounts),
    buyer: facts.buyer === null ? null : toBuyer(facts.buyer),
    amounts,
    vatBreakdown: readBreakdown(facts.vatBreakdown, currency),
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
    places: [...new Set(facts.places.map(placeOf))].filter((place) => place !== '').slice(0, limits.places),
    providerStatus: null,
  };
}

function kindOf({ typeCode, isCreditNote }: Facts, ttc: number): CanonicalInvoice['kind'] {
  if (isCreditNote) return 'credit_note';
  if (typeCode !== null && correctives.has(typeCode)) return 'corrective';
  return ttc < 0 || (typeCode !== null && creditNotes.has(typeCode)) ? 'credit_note' : 'invoice';
}

/** `externalId` stays null: it is the provider's name for the supplier, not the document's. */
function toSupplier(party: PartyFacts, accounts: string[]): CanonicalInvoice['supplier'] {
  const iban = accounts.map(readIban).find((account) => account !== null) ?? null;
  return { externalId: null, name: nameOf(party), ...companyNumbers(party), iban };
}

function toBuyer(party: PartyFacts): NonNullable<CanonicalInvoice['buyer']> {
  const { siren, siret } = companyNumbers(party);
  return { name: nameOf(party), siren, siret };
}

function nameOf({ name }: PartyFacts): string | null {
  return name === null ? null : shortened(name).slice(0, limits.labelLength);
}

function toLine(line: LineFacts, index: number): InvoiceLine {
  const where = (what: string) => `${what} of line ${index + 1}`;
  const decimal = (text: string | null, what: string) => (text === null ? null : parseDecimal(text, where(what)));
  const qty = decimal(line.qty, 'the quantity (BT-129)');
  const price = decimal(line.price, 'the net price (BT-146)');
  const priceFor = decimal(line.priceFor, 'the base quantity of the price (BT-149)');
  const ht = decimal(line.ht, 'the net amount (BT-131)');
  const percent = decimal(line.percent, 'the VAT rate (BT-152)');
  const isForOne = priceFor === null || priceFor.units === 0n || (priceFor.units === 1n && priceFor.scale === 0);
  return {
    label: shortened(line.label ?? '').slice(0, limits.labelLength),
    qty: qty && toNumber(qty),
    unitPrice: price && toNumber(isForOne ? price : divide(price, priceFor)),
    ht: ht && toNumber(ht),
    vatRate: percent && toNumber(percentToFraction(percent)),
  };
}

function isCounted({ subtype }: LineFacts): boolean {
  return subtype === null || !uncounted.has(subtype);
}

/** The document's own notes first, then those of its lines; each once. Headings are notes: people write references into them. */
function notesOf(facts: Facts): string[] {
  const ofLines = facts.lines.flatMap((line) => (isCounted(line) ? line.notes : [line.label ?? '', ...line.notes]));
  const notes = [...facts.notes, ...ofLines];
  return [...new Set(notes.map((note) => note.trim().slice(0, limits.noteLength)))]
    .filter((note) => note !== '')
    .slice(0, limits.notes);
}

function placeOf(parts: (string | null)[]): string {
  const said = parts.flatMap((part) => (part === null ? [] : [shortened(part)]));
  return said.join(', ').slice(0, limits.noteLength);
}

function firstOf(references: Facts['references'], kind: ReferenceKind): string | null {
  return valuesOf(references, kind)[0] ?? null;
}

function valuesOf(references: Facts['references'], kind: ReferenceKind): string[] {
  return references.flatMap((reference) => (reference.kind === kind ? [reference.value] : []));
}

/** White space of every kind, line ends too, counts as one space. */
function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function required(text: string | null, what: string): string {
  if (text === null) throw unmappable(`${what} is missing`);
  return text;
}
