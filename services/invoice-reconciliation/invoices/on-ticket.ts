import type { CanonicalInvoice } from '@app/contracts';
import { type LinkedInvoice, numberKey, precedingKeys } from '@app/matching';
import type { Invoice } from './invoice.ts';

/** An invoice that is on a ticket, with its claims. */
export type OnTicket = LinkedInvoice & { invoiceId: string; ticketId: string; claims: string[] };

type Read = Pick<CanonicalInvoice, 'kind' | 'number' | 'amounts' | 'references'>;
export type Placed = Pick<Invoice, '_id' | 'ticket_id' | 'claims'> & { canonical: Read | null; siren: string | null };

/**
 * What each invoice counts towards the amount of its ticket (domain.md sections 2.6 and 6.2). A credit note takes away,
 * whichever sign its document has: by the norm it is positive. One that a corrective invoice on the same ticket replaces
 * counts nothing, and is there still.
 */
export function onTickets(placed: readonly Placed[]): OnTicket[] {
  const replaced = new Set(placed.flatMap(replacedBy));
  return placed.map((one) => {
    const { _id, ticket_id, claims, canonical } = one;
    const counts = canonical !== null && !replaced.has(nameOf(one, numberKey(canonical.number)));
    const { ht, ttc } = counts ? signed(canonical) : { ht: 0, ttc: 0 };
    return { invoiceId: _id, ticketId: String(ticket_id), claims, ht, ttc };
  });
}

/** What an invoice by itself counts. */
function signed({ kind, amounts: { ht, ttc } }: Pick<CanonicalInvoice, 'kind' | 'amounts'>): LinkedInvoice {
  return kind === 'credit_note' ? { ht: -Math.abs(ht), ttc: -Math.abs(ttc) } : { ht, ttc };
}

const corrective = 'corrective';

/** What an invoice by itself counts, in one text (`invoice 100.5 120.6`): an index holds it, and a query gathers it, at little cost. */
export function asCounts({ canonical }: Pick<Invoice, 'canonical'>): string | null {
  if (canonical === null) return null;
  const { ht, ttc } = signed(canonical);
  return `${canonical.kind} ${ht} ${ttc}`;
}

/** `replaces`: it may take the place of another on its ticket. What was never read counts nothing. */
export function readCounts(counts: string | null | undefined): LinkedInvoice & { replaces: boolean } {
  const [kind, ht = 0, ttc = 0] = counts?.split(' ') ?? [];
  return { ht: Number(ht), ttc: Number(ttc), replaces: kind === corrective };
}

/** A corrective invoice that names itself replaces nothing. */
function replacedBy(one: Placed): string[] {
  if (one.canonical?.kind !== corrective) return [];
  const own = numberKey(one.canonical.number);
  return precedingKeys(one.canonical)
    .filter((number) => number !== own)
    .map((number) => nameOf(one, number));
}

function nameOf({ ticket_id, siren }: Placed, number: string): string {
  return `${ticket_id} ${siren} ${number}`;
}
