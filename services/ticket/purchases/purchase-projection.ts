import { type AttachedFile, isSharedWithSupplier, type PurchaseSnapshot } from '@app/contracts';
import { AppError } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import type { DocumentStore, PurchaseKey } from '../documents/document-store.ts';
import type { TicketSummary, TicketSummaryStore } from '../tickets/stores/ticket-summary-store.ts';
import type { TicketTimes } from '../tickets/stores/ticket-times-store.ts';
import { nextTime } from '../tickets/ticket.ts';
import { sharedSupplierOf } from './purchase.ts';
import { purchaseFileAdded, purchaseFileDocument, purchaseFileShared } from './purchase-file-document.ts';
import type { PurchaseProjectionStore } from './purchase-projection-store.ts';

type Deps = {
  store: PurchaseProjectionStore;
  documents: DocumentStore;
  summaries: TicketSummaryStore;
  times: Pick<TicketTimes, 'advanceTo'>;
  now: () => Date;
};

const maxAppliedVersions = 10_000;

/** Projects purchase documents and their files onto tickets. Each step may be repeated, and snapshots come in any order. */
export class PurchaseProjection {
  private readonly deps: Deps;
  /** Versions that this process has applied completely: the event that follows a push has nothing left to do. */
  private readonly applied = new LRUCache<string, number>({ max: maxAppliedVersions });
  /**
   * What is being applied now: of a push and its event, whichever comes second waits for the first, instead of doing the same
   * work at the same time.
   */
  private readonly inProgress = new Map<string, Promise<void>>();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Saves the snapshot, and shows the files of an order to its supplier. An event that comes while the ticket is read waits too. */
  apply(purchase: PurchaseSnapshot, ticket: TicketSummary | Promise<TicketSummary>): Promise<void> {
    const applying = this.applyInTurn(purchase, ticket).finally(() => {
      if (this.inProgress.get(purchase.id) === applying) this.inProgress.delete(purchase.id);
    });
    this.inProgress.set(purchase.id, applying);
    return applying;
  }

  /** The same for a snapshot that comes by event, often after it was pushed. @throws AppError not_found `ticket_not_found` */
  async applyEvent(purchase: PurchaseSnapshot): Promise<void> {
    await this.ended(purchase);
    const isSaved = this.isApplied(purchase) || (await this.deps.store.hasVersion(purchase));
    if (!isSaved) return this.apply(purchase, await this.ticketOf(purchase));
    const sharedAt = await this.shareFiles(purchase, () => this.ticketOf(purchase));
    if (sharedAt) await this.deps.times.advanceTo(purchase.ticket_id, sharedAt);
    if (this.isApplied(purchase)) return;
    // Saved by another process, which may have died before it moved the ticket's time.
    const changedAt = new Date(purchase.updated_at);
    await this.deps.times.advanceTo(purchase.ticket_id, changedAt, { ifBefore: changedAt });
    this.applied.set(purchase.id, purchase.version);
  }

  /** Adds the file to the Documents tab, with its event, once. */
  async attachFile(file: AttachedFile, ticket: TicketSummary): Promise<void> {
    const { store, documents, times } = this.deps;
    const isShared = isSharedWithSupplier(file.kind);
    const supplier = sharedSupplierOf(file) ?? (isShared ? await store.supplierOf(file.purchase_id) : null);
    const document = purchaseFileDocument(file, supplier);
    await documents.addOnce(document, (current) => [purchaseFileAdded(current, document)]);
    if (!isShared) return;
    // The supplier may have become known before this file was stored; the process that saved the
    // supplier then found no file to share.
    const supplierNow = supplier ?? (await store.supplierOf(file.purchase_id));
    const at = supplierNow === null ? null : await this.share(file, supplierNow, () => this.ticketOf(file));
    if (at) await times.advanceTo(ticket._id, at);
  }

  /** The same for a file that comes by event. @throws AppError not_found `ticket_not_found` */
  async attachFileFromEvent(file: AttachedFile): Promise<void> {
    await this.attachFile(file, await this.ticketOf(file));
  }

  /** The purchase service has lost the document by a restore: it disappears from its ticket. Its files stay. */
  async markLost(id: string, version: number): Promise<void> {
    const ticketId = await this.deps.store.markDeleted(id, version);
    if (ticketId !== null) await this.deps.times.advanceTo(ticketId, this.deps.now());
  }

  private isApplied({ id, version }: PurchaseSnapshot): boolean {
    return (this.applied.get(id) ?? 0) >= version;
  }

  private async ended({ id }: PurchaseSnapshot): Promise<void> {
    await this.inProgress.get(id)?.catch(() => undefined);
  }

  private async applyInTurn(
    purchase: PurchaseSnapshot,
    reading: TicketSummary | Promise<TicketSummary>,
  ): Promise<void> {
    const { store, summaries, times } = this.deps;
    const [ticket] = await Promise.all([reading, this.ended(purchase)]);
    if (this.isApplied(purchase)) return;
    await summaries.setFlag(ticket, 'has_purchases');
    const isSaved = await store.upsertIfNewer(purchase);
    const sharedAt = await this.shareFiles(purchase, async () => ticket);
    // Last, so that a reader of the ticket at its new time sees what was written.
    const at = latest(isSaved ? new Date(purchase.updated_at) : null, sharedAt);
    if (at) await times.advanceTo(ticket._id, at);
    if (isSaved) this.applied.set(purchase.id, purchase.version);
  }

  /** @returns when files were shown to the supplier of an order; null if none were */
  private async shareFiles(purchase: PurchaseSnapshot, loadTicket: () => Promise<TicketSummary>): Promise<Date | null> {
    const supplier = sharedSupplierOf(purchase);
    if (supplier === null || purchase.document_id === null) return null;
    const { id: purchase_id, ticket_id, buyer_company_id } = purchase;
    return this.share({ purchase_id, ticket_id, buyer_company_id }, supplier, loadTicket);
  }

  private async share(
    order: PurchaseKey,
    supplier: string,
    loadTicket: () => Promise<TicketSummary>,
  ): Promise<Date | null> {
    let sharedAt: Date | null = null;
    await this.deps.documents.share(order, supplier, async () => {
      const ticket = await loadTicket();
      const at = nextTime(ticket, this.deps.now());
      sharedAt = at;
      return (document) => purchaseFileShared(ticket, document, at);
    });
    return sharedAt;
  }

  private async ticketOf({ ticket_id }: { ticket_id: string }): Promise<TicketSummary> {
    const ticket = await this.deps.summaries.find(ticket_id);
    if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
    return ticket;
  }
}

function latest(one: Date | null, other: Date | null): Date | null {
  return one && other ? new Date(Math.max(one.getTime(), other.getTime())) : (one ?? other);
}
