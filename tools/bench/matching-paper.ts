import type { CanonicalInvoice } from '@app/contracts';
import { nothingOfUse, rewritten } from './matching-mutations.ts';
import type { Random } from './matching-random.ts';
import type { Trader } from './matching-traders.ts';
import type { Work } from './matching-world.ts';

/** What an invoice says of the ticket, and where; `names`: somewhere in it stands a reference, however it is written. */
export type Said = Pick<CanonicalInvoice, 'matchHints' | 'references' | 'notes'> & { labels: string[]; names: boolean };

const dayMs = 86_400_000;

/** In the field for the buyer's order. */
export function inField(text: string | null, names = true): Said {
  const references = text === null ? [] : [{ kind: 'order' as const, value: text }];
  return { matchHints: { poRef: text, ticketRef: null, orderRef: null }, references, notes: [], labels: [], names };
}

export function withoutReference(random: Random): Said {
  return inField(nothingOfUse(random), false);
}

export function asTicket(random: Random, text: string): Said {
  const hints = { poRef: nothingOfUse(random), ticketRef: text, orderRef: null };
  if (random.chance(0.4)) return { ...inField(null), matchHints: hints };
  return { ...inField(null), references: [{ kind: 'buyer_reference', value: text }] };
}

export function asQuote(random: Random, text: string): Said {
  const value = random.chance(0.5) ? text : rewritten(random, text);
  const hints = { poRef: null, ticketRef: null, orderRef: value };
  return { ...inField(null), matchHints: hints, references: [{ kind: 'sales_order', value }] };
}

export function inText(random: Random, text: string): Said {
  const blank = inField(random.chance(0.3) ? nothingOfUse(random) : null);
  return random.chance(0.5) ? { ...blank, notes: [text] } : { ...blank, labels: [text] };
}

export function issueDay(random: Random, { ticket }: Work): string {
  const after = random.chance(0.9) ? random.whole(0, 45) : random.whole(46, 150);
  const from = Math.max(Date.parse(ticket.created_at), Date.parse(ticket.last_intervention_at ?? ticket.created_at));
  return new Date(from + after * dayMs).toISOString().slice(0, 10);
}

/** `notBefore`: a day on which something else that it is for was not yet there. */
export type Content = { work: Work; said: Said; amount: number; notBefore?: string };

export function invoiceOf(random: Random, { work, said, amount, notBefore = '' }: Content): CanonicalInvoice {
  const { labels, references, notes, matchHints } = said;
  const tva = Math.round(amount * work.vatRate * 100) / 100;
  const own = { kind: 'sales_order' as const, value: String(random.whole(1000, 99_999)) };
  const day = issueDay(random, work);
  const issueDate = day < notBefore ? notBefore : day;
  const place = work.locations[0];
  const delivered = random.chance(0.5) && place ? [`${place.name}, ${place.postal_code}`] : [];
  return {
    ...{ kind: 'invoice', number: `F${random.whole(10_000, 99_999)}`, issueDate, dueDate: null, currency: 'EUR' },
    supplier: printedBy(random, work.trader),
    buyer: { name: 'Foncière', siren: null, siret: null },
    amounts: { ht: amount, tva, ttc: Math.round((amount + tva) * 100) / 100 },
    vatBreakdown: [{ rate: work.vatRate, base: amount, amount: tva }],
    lines: [...labels, random.one(['Main d’oeuvre 3 h', 'Déplacement', 'Joint 40/49', 'Forfait'])].map((label) => ({
      ...{ label, qty: 1, unitPrice: null, ht: null, vatRate: work.vatRate },
    })),
    matchHints,
    references:
      random.chance(0.3) && references.every(({ kind }) => kind !== own.kind) ? [...references, own] : references,
    notes: [
      ...notes,
      ...(random.chance(0.5) ? [`IBAN ${work.trader.iban}, tél. 04 72 ${random.whole(10, 99)} 18 2026`] : []),
    ],
    places: delivered,
    providerStatus: null,
  };
}

/** A supplier's numbers as invoices carry them: this one, or that, or all. */
function printedBy(random: Random, { printed, name, iban }: Trader): CanonicalInvoice['supplier'] {
  const vatNumber = `FR${String((12 + 3 * (Number(printed.siren) % 97)) % 97).padStart(2, '0')}${printed.siren}`;
  const none = {
    externalId: null,
    name,
    siren: null,
    siret: null,
    vatNumber: null,
    iban: random.chance(0.6) ? iban : null,
  };
  return {
    all: { ...none, ...printed, vatNumber },
    siren: { ...none, siren: printed.siren, vatNumber },
    siret: { ...none, siret: printed.siret },
    vat: { ...none, vatNumber },
  }[random.weighted({ all: 45, siren: 20, siret: 25, vat: 10 })];
}
