import type { CanonicalInvoice } from '@app/contracts';
import { type LinkedInvoice, numberKey, precedingKeys } from '@app/matching';
import type { Invoice } from './invoice.ts';

/** An invoice on a ticket, with the amounts that it counts there and its claims. */
export type LinkedToTicket = LinkedInvoice & { invoiceId: string; ticketId: string; claims: string[] };

/** An invoice on a ticket with its number, for a person who compares. */
export type InvoicedAmount = LinkedToTicket & { number: string };

type Read = Pick<CanonicalInvoice, 'kind' | 'number' | 'amounts' | 'references'>;
export type LinkedInvoiceRecord = Pick<Invoice, '_id' | 'ticket_id' | 'claims'> & {
  canonical: Read | null;
  siren: string | null;
};

/**
 * The amounts that each invoice counts on its ticket. A credit note counts negative, whichever sign its document has: EN
 * 16931 makes it positive. An invoice that a corrective one on the same ticket replaces counts zero.
 */
export function toLinked(records: readonly LinkedInvoiceRecord[]): LinkedToTicket[] {
  const replaced = new Set(records.flatMap(replacedBy));
  return records.map((record) => {
    const { _id, ticket_id, claims, canonical } = record;
    const counts = canonical !== null && !replaced.has(identityOf(record, numberKey(canonical.number)));
    const { ht, ttc } = counts ? signedAmounts(canonical) : { ht: 0, ttc: 0 };
    return { invoiceId: _id, ticketId: String(ticket_id), claims, ht, ttc };
  });
}

function signedAmounts({ kind, amounts: { ht, ttc } }: Pick<CanonicalInvoice, 'kind' | 'amounts'>): LinkedInvoice {
  return kind === 'credit_note' ? { ht: -Math.abs(ht), ttc: -Math.abs(ttc) } : { ht, ttc };
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

/** The identities that a corrective invoice replaces; its own number never counts. */
function replacedBy(record: LinkedInvoiceRecord): string[] {
  if (record.canonical?.kind !== corrective) return [];
  const own = numberKey(record.canonical.number);
  return precedingKeys(record.canonical)
    .filter((number) => number !== own)
    .map((number) => identityOf(record, number));
}

function identityOf({ ticket_id, siren }: LinkedInvoiceRecord, number: string): string {
  return `${ticket_id} ${siren} ${number}`;
}
