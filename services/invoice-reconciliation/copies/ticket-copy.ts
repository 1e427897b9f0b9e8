import type { PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import { type HeldForms, heldBy, type MatchPurchase } from '@app/matching';

/** What a copy of a ticket holds of a purchase document: two hundred copies are read for one invoice, so no more than is needed. */
export type KeptPurchase = MatchPurchase & Pick<PurchaseSnapshot, 'version' | 'created_at'>;

/** A ticket with the purchase documents of its client, live ones alone, and what it is known by. */
export type TicketCopy = { facts: TicketSnapshot; purchases: KeptPurchase[]; held: readonly HeldForms[] };

/**
 * How a copy of a ticket is stored: all that matching reads of it as one text of JSON. Two hundred copies are read for one
 * invoice, and a text is read into objects in a fraction of the time that BSON takes (docs/decisions.md).
 */
export type Packed<Copy extends TicketCopy> = Omit<Copy, keyof TicketCopy> & {
  /** Absent: the ticket is not known yet. */
  packed?: string;
};

export function pack({ facts, purchases }: Pick<TicketCopy, 'facts' | 'purchases'>): string {
  return JSON.stringify({ facts, purchases, held: heldBy(facts, purchases) } satisfies TicketCopy);
}

/**
 * The copy, of a ticket that is not known yet without what it holds; null where it cannot be read: it is no JSON, or of the
 * shape that another release wrote.
 */
export function unpacked<Copy extends TicketCopy>({ packed, ...record }: Packed<Copy>): Copy | null {
  if (packed === undefined) return isUnknown(record) ? (record as Copy) : null;
  const copy = parsed(packed);
  return isWhole(copy) ? ({ ...record, ...copy } as Copy) : null;
}

/** What stands for a ticket that is not known yet, from the first of its purchase documents on: no version is older. */
export const unknownVersion = -1;

function isUnknown(record: object): boolean {
  return 'version' in record && record.version === unknownVersion;
}

function parsed(text: string): Partial<TicketCopy> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Has every part that is gone through: two hundred are read for one invoice, which the whole schema would slow down. */
function isWhole(copy: Partial<TicketCopy> | null): copy is TicketCopy {
  const { facts, purchases, held } = copy ?? {};
  return [facts?.views, facts?.quotes, facts?.location_ids, purchases, held].every(Array.isArray);
}
