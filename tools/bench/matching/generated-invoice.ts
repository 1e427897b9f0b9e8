import type { CanonicalInvoice } from '@app/contracts';
import type { Random } from '@app/demo';
import type { Company } from './companies.ts';
import type { DatasetTicket } from './dataset.ts';
import { rewritten, uselessText } from './mutations.ts';

/** How an invoice mentions its ticket, and in which fields. `hasReference`: it contains a reference in some spelling. */
export type ReferenceText = Pick<CanonicalInvoice, 'matchHints' | 'references' | 'notes'> & {
  labels: string[];
  hasReference: boolean;
};

const dayMs = 86_400_000;

/** In the field for the buyer's order number. */
export function inOrderField(text: string | null, names = true): ReferenceText {
  const references = text === null ? [] : [{ kind: 'order' as const, value: text }];
  return {
    matchHints: { poRef: text, ticketRef: null, orderRef: null },
    references,
    notes: [],
    labels: [],
    hasReference: names,
  };
}

export function withoutReference(random: Random): ReferenceText {
  return inOrderField(uselessText(random), false);
}

export function asTicketReference(random: Random, text: string): ReferenceText {
  const hints = { poRef: uselessText(random), ticketRef: text, orderRef: null };
  if (random.chance(0.4)) return { ...inOrderField(null), matchHints: hints };
  return { ...inOrderField(null), references: [{ kind: 'buyer_reference', value: text }] };
}

export function asQuoteReference(random: Random, text: string): ReferenceText {
  const value = random.chance(0.5) ? text : rewritten(random, text);
  const hints = { poRef: null, ticketRef: null, orderRef: value };
  return { ...inOrderField(null), matchHints: hints, references: [{ kind: 'sales_order', value }] };
}

export function inFreeText(random: Random, text: string): ReferenceText {
  const blank = inOrderField(random.chance(0.3) ? uselessText(random) : null);
  return random.chance(0.5) ? { ...blank, notes: [text] } : { ...blank, labels: [text] };
}

export function issueDay(random: Random, { ticket }: DatasetTicket): string {
  const after = random.chance(0.9) ? random.whole(0, 45) : random.whole(46, 150);
  const from = Math.max(Date.parse(ticket.created_at), Date.parse(ticket.last_intervention_at ?? ticket.created_at));
  return new Date(from + after * dayMs).toISOString().slice(0, 10);
}

/** `notBefore`: the earliest possible day of issue, `YYYY-MM-DD`. */
export type Content = { work: DatasetTicket; mention: ReferenceText; amount: number; notBefore?: string };

export function createInvoice(random: Random, { work, mention, amount, notBefore = '' }: Content): CanonicalInvoice {
  const { labels, references, notes, matchHints } = mention;
  const tva = Math.round(amount * work.vatRate * 100) / 100;
  const own = { kind: 'sales_order' as const, value: String(random.whole(1000, 99_999)) };
  const day = issueDay(random, work);
  const issueDate = day < notBefore ? notBefore : day;
  const place = work.locations[0];
  const delivered = random.chance(0.5) && place ? [`${place.name}, ${place.postal_code}`] : [];
  return {
    kind: 'invoice',
    number: `F${random.whole(10_000, 99_999)}`,
    issueDate,
    dueDate: null,
    currency: 'EUR',
    supplier: supplierOf(random, work.company),
    buyer: { name: 'Foncière', siren: null, siret: null },
    amounts: { ht: amount, tva, ttc: Math.round((amount + tva) * 100) / 100 },
    vatBreakdown: [{ rate: work.vatRate, base: amount, amount: tva }],
    lines: [...labels, random.one(['Main d’oeuvre 3 h', 'Déplacement', 'Joint 40/49', 'Forfait'])].map((label) => ({
      label,
      qty: 1,
      unitPrice: null,
      ht: null,
      vatRate: work.vatRate,
    })),
    matchHints,
    references:
      random.chance(0.3) && references.every(({ kind }) => kind !== own.kind) ? [...references, own] : references,
    notes: [
      ...notes,
      ...(random.chance(0.5) ? [`IBAN ${work.company.iban}, tél. 04 72 ${random.whole(10, 99)} 18 2026`] : []),
    ],
    places: delivered,
    providerStatus: null,
    warnings: [],
  };
}

/** The supplier's numbers as printed on the invoice: one of them, or all. */
function supplierOf(random: Random, { printed, name, iban }: Company): CanonicalInvoice['supplier'] {
  const vatNumber = `FR${String((12 + 3 * (Number(printed.siren) % 97)) % 97).padStart(2, '0')}${printed.siren}`;
  const none = {
    externalId: null,
    name,
    siren: null,
    siret: null,
    vatNumber: null,
    accounts: random.chance(0.6) ? [iban] : [],
  };
  return {
    all: { ...none, ...printed, vatNumber },
    siren: { ...none, siren: printed.siren, vatNumber },
    siret: { ...none, siret: printed.siret },
    vat: { ...none, vatNumber },
  }[random.weighted({ all: 45, siren: 20, siret: 25, vat: 10 })];
}
