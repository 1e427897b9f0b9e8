import type { PurchaseSnapshot, TicketSnapshot } from '@app/contracts';
import { searchWords } from '@app/kernel';
import {
  type IndexedReference,
  knownReferences,
  type MatchPurchase,
  purchaseKeys,
  ticketKeys,
  ticketTraits,
} from '@app/matching';
import { amountKey } from './amount-key.ts';

/**
 * What the projection keeps of a purchase document. Matching reads up to 200 projections for one
 * invoice, so no more than it needs.
 */
export type ProjectedPurchase = MatchPurchase & Pick<PurchaseSnapshot, 'version' | 'created_at'>;

/** A ticket with the purchase documents of its client that are not deleted, and the references of all of them. */
export type TicketProjection = {
  ticket: TicketSnapshot;
  purchases: ProjectedPurchase[];
  references: readonly IndexedReference[];
};

/** A projection as it is stored, with the fields that it is found by. */
export type StoredTicket = {
  _id: string;
  client_id: string;
  /** Version of the ticket; `unknownVersion` while only purchase documents of it have arrived. */
  version: number;
  /** Incremented by every write; conditional writes compare it. */
  revision: number;
  /** Whether invoices may be matched with it. */
  open: boolean;
  created_at: Date;
  updated_at: Date;
  contractor_ids: string[];
  location_ids: string[];
  /** Forms of its references and those of its purchase documents. */
  keys: string[];
  /** `amountKey` of each contractor with each amount. */
  amounts: string[];
  /** Its search words (`searchWords`). Absent while the ticket is unknown. */
  words?: string[];
  /** Marks a dirty ticket: the revision whose invoices are still to be queued for a rematch. Absent: not dirty. */
  rematch_revision?: number;
  /** Of a dirty ticket: it is at other places than before. */
  moved?: boolean;
  /** The `TicketProjection` as JSON, which parses several times faster than BSON. Absent while the ticket is unknown. */
  json?: string;
};

/** What a write decides by. `projection` null: the ticket is not known yet. */
export type CurrentTicket = Pick<StoredTicket, '_id' | 'version' | 'revision' | 'open'> & {
  projection: TicketProjection | null;
};

/** Lower than any version of a ticket. */
export const unknownVersion = -1;
/** Purchase documents of one ticket. */
export const maxPurchases = 400;
const maxKeys = 1_000;
const closedStatuses = ['draft', 'canceled', 'removed'];

/** What is stored for a ticket with these purchase documents. */
export function projectTicket(
  ticket: TicketSnapshot,
  purchases: ProjectedPurchase[],
): Omit<StoredTicket, '_id' | 'revision'> {
  const { version, client_id, status } = ticket;
  return {
    version,
    client_id,
    ...contentOf(ticket, purchases),
    words: searchWords(ticket.number, ticket.title),
    open: !closedStatuses.includes(status),
    contractor_ids: contractorsOf(ticket),
    location_ids: ticket.location_ids,
    created_at: new Date(ticket.created_at),
    updated_at: new Date(ticket.updated_at),
  };
}

/** A ticket that no message named before. Drafts have no invoices, so they need no rematch. */
export function newTicket(ticket: TicketSnapshot): StoredTicket {
  // Not its first version: invoices may be on it already, and were counted without its places.
  const moved = ticket.version > 1 ? { moved: true } : {};
  const dirty = ticket.status === 'draft' ? {} : { rematch_revision: 1, ...moved };
  return { ...projectTicket(ticket, []), ...dirty, _id: ticket.id, revision: 1 };
}

/**
 * The changes that a newer version of the ticket makes. The ticket becomes dirty if something that
 * matching reads has changed.
 */
export function withTicket(
  current: CurrentTicket,
  ticket: TicketSnapshot,
  purchases: ProjectedPurchase[],
): Partial<StoredTicket> {
  const before = current.projection;
  const isRelevant = before === null || ticketTraits(before.ticket) !== ticketTraits(ticket);
  const needsRematch = isRelevant && (ticket.status !== 'draft' || current.open);
  const isMoved = String(before?.ticket.location_ids) !== String(ticket.location_ids);
  const dirty = needsRematch ? { ...dirtyAfter(current), ...(isMoved ? { moved: true } : {}) } : {};
  return { ...projectTicket(ticket, purchases), ...dirty };
}

/** True unless the purchase document is another company's, or a newer version of it is in the projection. */
export function isRelevantPurchase({ ticket, purchases }: TicketProjection, purchase: PurchaseSnapshot): boolean {
  const known = purchases.find(({ id }) => id === purchase.id);
  const isNewer = purchase.deleted || known === undefined || known.version < purchase.version;
  return purchase.buyer_company_id === ticket.client_id && isNewer;
}

/** The changes that a purchase document makes. Also if nothing changes, the write makes concurrent writers read again. */
export function withPurchase(
  current: CurrentTicket,
  { ticket, purchases }: TicketProjection,
  purchase: PurchaseSnapshot,
): Partial<StoredTicket> {
  const others = purchases.filter(({ id }) => id !== purchase.id);
  const after = purchase.deleted ? others : [...others, projectPurchase(purchase)];
  const differs = versionsOf(after) !== versionsOf(purchases);
  return { ...contentOf(ticket, after), ...(differs && current.open ? dirtyAfter(current) : {}) };
}

export function projectPurchase(purchase: PurchaseSnapshot): ProjectedPurchase {
  const { id, version, kind, reference, amount, includes_vat, deleted, purchase_order_id, created_at } = purchase;
  return { id, version, kind, reference, amount, includes_vat, deleted, purchase_order_id, created_at };
}

/** Parses a stored projection; null if it is missing, no JSON, or of another shape. */
export function parseProjection(json: string | undefined): TicketProjection | null {
  try {
    const { ticket, purchases, references } = JSON.parse(json ?? '{}') as Partial<TicketProjection>;
    // Only the lists that are iterated are checked: validating the whole schema for 200 tickets would take too long.
    const lists = [ticket?.views, ticket?.quotes, ticket?.location_ids, purchases, references];
    if (!lists.every(Array.isArray)) return null;
    return { ticket, purchases, references } as TicketProjection;
  } catch {
    return null;
  }
}

function contentOf(
  ticket: TicketSnapshot,
  purchases: ProjectedPurchase[],
): Pick<StoredTicket, 'json' | 'keys' | 'amounts'> {
  const all = [ticketKeys(ticket), ...purchases.map(purchaseKeys)];
  const cents = [...new Set(all.flatMap((one) => one.cents))];
  const kept = purchases.slice(0, maxPurchases);
  const content: TicketProjection = { ticket, purchases: kept, references: knownReferences(ticket, kept) };
  return {
    json: JSON.stringify(content),
    keys: [...new Set(all.flatMap(({ keys }) => keys))].slice(0, maxKeys),
    amounts: contractorsOf(ticket)
      .flatMap((contractorId) => cents.map((amount) => amountKey(contractorId, amount)))
      .slice(0, maxKeys),
  };
}

function contractorsOf({ views }: TicketSnapshot): string[] {
  return [...new Set(views.flatMap(({ contractor_id }) => contractor_id ?? []))];
}

function dirtyAfter({ revision }: CurrentTicket): Pick<StoredTicket, 'rematch_revision'> {
  return { rematch_revision: revision + 1 };
}

function versionsOf(purchases: readonly ProjectedPurchase[]): string {
  return purchases
    .map(({ id, version }) => `${id}:${version}`)
    .sort()
    .join();
}
