import { heldBy } from '@app/matching';
import type { TicketCopy } from './ticket-copies-store.ts';

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

/** The copy; of a ticket that is not known yet without what it holds. */
export function unpacked<Copy extends TicketCopy>({ packed, ...record }: Packed<Copy>): Copy {
  return { ...record, ...(packed === undefined ? {} : (JSON.parse(packed) as TicketCopy)) } as Copy;
}
