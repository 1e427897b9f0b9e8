import type { CanonicalInvoice } from '@app/contracts';
import { type LinkedInvoice, numberKey, precedingNumbers } from '@app/matching';
import { isNamedBy } from './duplicates.ts';
import type { Invoice } from './invoice.ts';

/** An invoice on a ticket, with the amounts that it counts there, what it names, and its claims. */
export type LinkedToTicket = LinkedInvoice & { invoiceId: string; ticketId: string; claims: string[] };

/** An invoice on a ticket with its number, for a person who compares. */
export type InvoicedAmount = LinkedToTicket & { number: string };

type Read = Pick<CanonicalInvoice, 'kind' | 'number' | 'amounts' | 'references'>;
export type LinkedInvoiceRecord = Pick<Invoice, '_id' | 'ticket_id' | 'claims'> & {
  canonical: Read | null;
  siren: string | null;
  references: string[];
};

/**
 * The amounts that each invoice counts on its ticket. An invoice that a corrective one on the same ticket replaces counts zero.
 */
export function toLinked(records: readonly LinkedInvoiceRecord[]): LinkedToTicket[] {
  const correctives = records.filter(({ canonical }) => canonical?.kind === corrective);
  const replacing = Map.groupBy(correctives.flatMap(replacedBy), ({ identity }) => identity);
  return records.map((record) => {
    const { _id, ticket_id, claims, canonical, references } = record;
    const possible = canonical === null ? [] : (replacing.get(identityOf(record, canonical.number)) ?? []);
    const isReplaced = possible.some((one) => isNamedBy(canonical, one.by.canonical));
    const { ht, ttc } = canonical !== null && !isReplaced ? signedAmounts(canonical) : { ht: 0, ttc: 0 };
    return { invoiceId: _id, ticketId: String(ticket_id), claims, ht, ttc, references };
  });
}

/** The amounts that add up: a credit note counts negative, whichever sign its document has. EN 16931 makes it positive. */
export function signedAmounts({ kind, amounts }: Pick<CanonicalInvoice, 'kind' | 'amounts'>): Read['amounts'] {
  if (kind !== 'credit_note') return amounts;
  const { ht, tva, ttc } = amounts;
  return { ht: 0 - Math.abs(ht), tva: 0 - Math.abs(tva), ttc: 0 - Math.abs(ttc) };
}

const corrective = 'corrective';

/**
 * Kind and amounts in one text (`invoice 100.5 120.6`), so that an index can hold them; null for an
 * invoice that was never read.
 */
export function encodeAmounts({ canonical }: Pick<Invoice, 'canonical'>): string | null {
  if (canonical === null) return null;
  const { ht, ttc } = signedAmounts(canonical);
  return `${canonical.kind} ${ht} ${ttc}`;
}

/** The reverse of `encodeAmounts`. `replaces`: a corrective invoice, which may replace another one on its ticket. */
export function decodeAmounts(text: string | null | undefined): LinkedInvoice & { replaces: boolean } {
  const [kind, ht = 0, ttc = 0] = text?.split(' ') ?? [];
  return { ht: Number(ht), ttc: Number(ttc), replaces: kind === corrective };
}

/** The identities that a corrective invoice may replace. */
function replacedBy(by: LinkedInvoiceRecord): { identity: string; by: LinkedInvoiceRecord }[] {
  const numbers = by.canonical === null ? [] : precedingNumbers(by.canonical);
  return [...new Set(numbers.map((number) => identityOf(by, number)))].map((identity) => ({ identity, by }));
}

function identityOf({ ticket_id, siren }: LinkedInvoiceRecord, number: string): string {
  return `${ticket_id} ${siren} ${numberKey(number)}`;
}
