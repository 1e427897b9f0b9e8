import type { AttachedFile, PurchaseSnapshot } from '@app/contracts';
import { AppError } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import type { DocumentStore, PurchaseOrderKey } from '../documents/document-store.ts';
import { nextTime } from '../tickets/ticket.ts';
import type { TicketSummary, TicketSummaryStore } from '../tickets/ticket-summary-store.ts';
import type { TicketTimes } from '../tickets/ticket-times-store.ts';
import { supplierOfOrder } from './purchase.ts';
import { purchaseFileAdded, purchaseFileDocument, purchaseFileShared } from './purchase-file-document.ts';
import type { PurchaseProjectionStore } from './purchase-projection-store.ts';

/** Projects purchase documents and their files onto tickets. Each step may be repeated, and snapshots come in any order. */
export type PurchaseProjection = {
  /** Saves the snapshot, and shows the files of an order to its supplier. */
  apply(purchase: PurchaseSnapshot, ticket: TicketSummary): Promise<void>;
  /** Adds the file to the Documents tab, with its event, once. */
  attachFile(file: AttachedFile, ticket: TicketSummary): Promise<void>;
  /** The same for what comes by event, often after it was pushed. @throws AppError not_found `ticket_not_found` */
  applyEvent(purchase: PurchaseSnapshot): Promise<void>;
  attachFileFromEvent(file: AttachedFile): Promise<void>;
};

type Deps = {
  store: PurchaseProjectionStore;
  documents: DocumentStore;
  summaries: TicketSummaryStore;
  times: Pick<TicketTimes, 'advanceTo'>;
  now: () => Date;
};

const maxAppliedVersions = 10_000;

export function createPurchaseProjection({ store, documents, summaries, times, now }: Deps): PurchaseProjection {
  /** Versions that this process has applied completely: the event that follows a push has nothing left to do. */
  const applied = new LRUCache<string, number>({ max: maxAppliedVersions });
  /** What is being applied now: the event that follows a push waits for it, instead of doing the same work beside it. */
  const inProgress = new Map<string, Promise<void>>();

  const isApplied = ({ id, version }: PurchaseSnapshot) => (applied.get(id) ?? 0) >= version;

  function apply(purchase: PurchaseSnapshot, ticket: TicketSummary): Promise<void> {
    const applying = applyNow(purchase, ticket).finally(() => {
      if (inProgress.get(purchase.id) === applying) inProgress.delete(purchase.id);
    });
    inProgress.set(purchase.id, applying);
    return applying;
  }

  async function applyNow(purchase: PurchaseSnapshot, ticket: TicketSummary): Promise<void> {
    await summaries.setFlag(ticket, 'has_purchases');
    const isSaved = await store.upsertIfNewer(purchase);
    const sharedAt = await shareFiles(purchase, async () => ticket);
    // Last: whoever reads the ticket at its new time sees what was written.
    const at = latest(isSaved ? new Date(purchase.updated_at) : null, sharedAt);
    if (at) await times.advanceTo(ticket._id, at);
    if (isSaved) applied.set(purchase.id, purchase.version);
  }

  /** @returns when files were shown to the supplier of an order; null if none were */
  async function shareFiles(
    purchase: PurchaseSnapshot,
    loadTicket: () => Promise<TicketSummary>,
  ): Promise<Date | null> {
    const supplier = supplierOfOrder(purchase);
    if (supplier === null || purchase.document_id === null) return null;
    const { id: purchase_id, ticket_id, buyer_company_id } = purchase;
    return share({ purchase_id, ticket_id, buyer_company_id }, supplier, loadTicket);
  }

  async function share(
    order: PurchaseOrderKey,
    supplier: string,
    loadTicket: () => Promise<TicketSummary>,
  ): Promise<Date | null> {
    let sharedAt: Date | null = null;
    await documents.share(order, supplier, async () => {
      const ticket = await loadTicket();
      const at = nextTime(ticket, now());
      sharedAt = at;
      return (document) => purchaseFileShared(ticket, document, at);
    });
    return sharedAt;
  }

  async function attachFile(file: AttachedFile, ticket: TicketSummary): Promise<void> {
    const isOrder = file.kind === 'purchase_order';
    const supplier = supplierOfOrder(file) ?? (isOrder ? await store.supplierOf(file.purchase_id) : null);
    const document = purchaseFileDocument(file, supplier);
    await documents.addOnce(document, (current) => [purchaseFileAdded(current, document)]);
    if (!isOrder) return;
    // The supplier may have become known before this file was stored; whoever saved it then found no file to share.
    const supplierNow = supplier ?? (await store.supplierOf(file.purchase_id));
    const at = supplierNow === null ? null : await share(file, supplierNow, () => ticketOf(file));
    if (at) await times.advanceTo(ticket._id, at);
  }

  async function ticketOf({ ticket_id }: { ticket_id: string }): Promise<TicketSummary> {
    const ticket = await summaries.find(ticket_id);
    if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
    return ticket;
  }

  return {
    apply,
    attachFile,
    async applyEvent(purchase) {
      await inProgress.get(purchase.id)?.catch(() => undefined);
      const isSaved = isApplied(purchase) || (await store.hasVersion(purchase));
      if (!isSaved) return apply(purchase, await ticketOf(purchase));
      const sharedAt = await shareFiles(purchase, () => ticketOf(purchase));
      if (sharedAt) await times.advanceTo(purchase.ticket_id, sharedAt);
      if (isApplied(purchase)) return;
      // Saved by another process, which may have died before it moved the ticket's time.
      const changedAt = new Date(purchase.updated_at);
      await times.advanceTo(purchase.ticket_id, changedAt, { ifBefore: changedAt });
      applied.set(purchase.id, purchase.version);
    },
    attachFileFromEvent: async (file) => attachFile(file, await ticketOf(file)),
  };
}

function latest(one: Date | null, other: Date | null): Date | null {
  return one && other ? new Date(Math.max(one.getTime(), other.getTime())) : (one ?? other);
}
