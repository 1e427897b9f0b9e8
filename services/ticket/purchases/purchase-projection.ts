import type { AttachedFile, PurchaseSnapshot } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { DocumentStore, PurchaseOrderKey } from '../documents/document-store.ts';
import type { TicketSummary, TicketSummaryStore } from '../tickets/ticket-summary-store.ts';
import { nextTime } from '../tickets/ticket-time.ts';
import type { TicketTimes } from '../tickets/ticket-times-store.ts';
import { supplierOfOrder } from './purchase.ts';
import { purchaseFileAdded, purchaseFileDocument, purchaseFileShared } from './purchase-file-document.ts';
import type { PurchaseProjectionStore } from './purchase-projection-store.ts';

export type PurchaseProjection = {
  /** Keeps the copy, and shows the files of an order to the supplier that it names. */
  apply(purchase: PurchaseSnapshot, ticket: TicketSummary): Promise<void>;
  /** Puts a file into the Documents tab, once by its id, and tells of it, once. */
  attachFile(file: AttachedFile, ticket: TicketSummary): Promise<void>;
  /** The same for what comes by event, often after the hand-over. @throws AppError not_found `ticket_not_found` */
  applyEvent(purchase: PurchaseSnapshot): Promise<void>;
  attachFileFromEvent(file: AttachedFile): Promise<void>;
};

type Deps = {
  copies: PurchaseProjectionStore;
  documents: DocumentStore;
  glances: TicketSummaryStore;
  times: Pick<TicketTimes, 'advanceTo'>;
  now: () => Date;
};

/** What the purchase service hands over and its events repeat: each step is the same twice, and in any order. */
export function createPurchaseProjection({ copies, documents, glances, times, now }: Deps): PurchaseProjection {
  /** What is being kept at this moment; the event that repeats it waits for that. */
  const underWay = new Map<string, Promise<void>>();

  function keep(purchase: PurchaseSnapshot, ticket: TicketSummary): Promise<void> {
    const keeping = keepNow(purchase, ticket).finally(() => {
      if (underWay.get(purchase.id) === keeping) underWay.delete(purchase.id);
    });
    underWay.set(purchase.id, keeping);
    return keeping;
  }

  async function keepNow(purchase: PurchaseSnapshot, ticket: TicketSummary): Promise<void> {
    await glances.setFlag(ticket, 'has_purchases');
    const written = await copies.upsertIfNewer(purchase);
    const shared = await shareFiles(purchase, async () => ticket);
    const at = latest(written ? new Date(purchase.updated_at) : null, shared);
    // The ticket follows only then: whoever reads it at its new time sees what it stands for.
    if (at) await times.advanceTo(ticket._id, at);
    if (written) copies.settle(purchase);
  }

  /** @returns when they were shown, if any were */
  async function shareFiles(
    purchase: PurchaseSnapshot,
    ticketOfIt: () => Promise<TicketSummary>,
  ): Promise<Date | null> {
    const supplier = supplierOfOrder(purchase);
    const { id: purchase_id, ticket_id, buyer_company_id } = purchase;
    const order = { purchase_id, ticket_id, buyer_company_id };
    if (supplier === null || purchase.document_id === null) return null;
    return share(order, supplier, ticketOfIt);
  }

  async function share(
    order: PurchaseOrderKey,
    supplier: string,
    ticketOfIt: () => Promise<TicketSummary>,
  ): Promise<Date | null> {
    let at: Date | null = null;
    await documents.share(order, supplier, async () => {
      const ticket = await ticketOfIt();
      const told = nextTime(ticket, now());
      at = told;
      return (document) => purchaseFileShared(ticket, document, told);
    });
    return at;
  }

  async function attach(file: AttachedFile, ticket: TicketSummary): Promise<void> {
    const isOrder = file.kind === 'purchase_order';
    const supplier = supplierOfOrder(file) ?? (isOrder ? await copies.supplierOf(file.purchase_id) : null);
    const document = purchaseFileDocument(file, supplier);
    await documents.addOnce(document, (current) => [purchaseFileAdded(current, document)]);
    if (!isOrder) return;
    // It may have become known before this file was there, in between or before a crash: whoever kept it saw no file.
    const known = supplier ?? (await copies.supplierOf(file.purchase_id));
    const at = known === null ? null : await share(file, known, () => ticketOf(file));
    if (at) await times.advanceTo(ticket._id, at);
  }

  async function ticketOf({ ticket_id }: { ticket_id: string }): Promise<TicketSummary> {
    const ticket = await glances.find(ticket_id);
    if (!ticket) throw new AppError('not_found', 'ticket_not_found', 'there is no such ticket');
    return ticket;
  }

  return {
    apply: keep,
    attachFile: attach,
    async applyEvent(purchase) {
      await underWay.get(purchase.id)?.catch(() => undefined);
      if (!(await copies.hasVersion(purchase))) return keep(purchase, await ticketOf(purchase));
      const at = await shareFiles(purchase, () => ticketOf(purchase));
      if (at) await times.advanceTo(purchase.ticket_id, at);
      if (copies.isSettled(purchase)) return;
      // Kept by another process, which may have died before its ticket followed.
      const changed = new Date(purchase.updated_at);
      await times.advanceTo(purchase.ticket_id, changed, { ifBefore: changed });
      copies.settle(purchase);
    },
    attachFileFromEvent: async (file) => attach(file, await ticketOf(file)),
  };
}

function latest(one: Date | null, other: Date | null): Date | null {
  return one && other ? new Date(Math.max(one.getTime(), other.getTime())) : (one ?? other);
}
