import { randomInt } from 'node:crypto';
import type { Caller, PurchaseKind } from '@app/contracts';
import { AppError, newId } from '@app/kernel';
import { noHistory, supplierOf } from '../assignments/assignment.ts';
import type { AssignmentStore } from '../assignments/assignment-store.ts';
import { permitQuote, permitWrite, type TicketContext, timeOn } from '../tickets/ticket-context.ts';
import {
  orderNotFound,
  type Purchase,
  type PurchaseInput,
  type PurchaseKey,
  permitOrderLink,
  slotsPerBuyer,
  tooMany,
} from './purchase.ts';
import { newPurchase } from './purchase-rules.ts';
import type { PurchaseStore } from './purchase-store.ts';

type Deps = { purchases: PurchaseStore; assignments: Pick<AssignmentStore, 'history'>; now: () => Date };

type CreationRequest = { caller: Caller; context: TicketContext; input: NewPurchase };
/** The date defaults to the time of creation. */
export type NewPurchase = Omit<PurchaseInput, 'date'> & { kind: PurchaseKind; date?: Date };
export type CreationResult = { purchase: Purchase; created: boolean };
export type CreatePurchase = (request: CreationRequest) => Promise<CreationResult>;

type KeyedRequest = CreationRequest & { key: PurchaseKey };

/** A write begins within this time after the request, which read the ticket at its start, or not at all. */
const writtenWithinMs = 10_000;

/**
 * Creates a document, or finds the live one of the same key, even if a new one would be refused for other reasons. The write
 * is a single one: the document itself takes one of the buyer's slots on the ticket under a unique index, so that a crash
 * leaves either a document or nothing.
 * @throws AppError as listed in docs/purchases.md
 */
export function purchaseCreator(deps: Deps): CreatePurchase {
  const { purchases, now } = deps;
  return async (request) => {
    const { caller, context, input } = request;
    const { kind, reference } = input;
    const key = { ticket_id: context.ticket.id, buyer_company_id: caller.companyId, kind, reference };
    const keyed = { ...request, key };
    for (const until = now().getTime() + writtenWithinMs; now().getTime() < until; ) {
      try {
        await permit(purchases, keyed);
        return { purchase: await write(deps, keyed, until), created: true };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const purchase = await purchases.findByKey(key);
        if (purchase) return { purchase, created: false };
        // If the duplicate was deleted since, try again.
        if (error.code !== 'purchase_duplicate_reference') throw error;
      }
    }
    throw timedOut();
  };
}

async function permit(purchases: PurchaseStore, { context, input, key }: KeyedRequest): Promise<void> {
  permitWrite(context);
  permitQuote(context, input.quote_id);
  await permitOrder(purchases, key, input.purchase_order_id);
}

/** @throws AppError unprocessable `purchase_order_link_only_on_goods_receipt`, `purchase_order_not_found` */
export async function permitOrder(
  purchases: PurchaseStore,
  { ticket_id, buyer_company_id, kind }: Omit<PurchaseKey, 'reference'>,
  orderId: string | null,
): Promise<void> {
  if (orderId === null) return;
  permitOrderLink(kind);
  if (!(await purchases.isOrder({ ticket_id, buyer_company_id, id: orderId }))) throw orderNotFound();
}

/**
 * Tries a random slot first, since most buyers have few documents on a ticket; if it is taken, a random free one. Of many
 * concurrent requests some succeed each time, until no slot is left.
 */
async function write(deps: Deps, { caller, context, input, key }: KeyedRequest, until: number): Promise<Purchase> {
  const { purchases, assignments, now } = deps;
  // The contractor may have been replaced since the context was read, and must not see the document then. Without a
  // contractor, `SupplierAssignment.recheck` does this after the write.
  const history = context.contractor === null ? noHistory : await assignments.history(key.ticket_id);
  const supplier = supplierOf(context, caller.companyId, history);
  const { kind: _kind, reference: _reference, ...fields } = input;
  for (let slot = randomInt(slotsPerBuyer); ; slot = await freeSlot(purchases, key)) {
    if (now().getTime() >= until) throw timedOut();
    const at = timeOn(context, now());
    const decision = newPurchase({ id: newId(at), slot, key, input: fields, context, supplier, caller }, at);
    const added = await purchases.add(decision);
    if (added) return added;
  }
}

/** @throws AppError unprocessable `purchase_too_many` */
async function freeSlot(purchases: PurchaseStore, key: PurchaseKey): Promise<number> {
  const taken = new Set(await purchases.takenSlots(key));
  const free = Array.from({ length: slotsPerBuyer }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  if (free.length === 0) throw tooMany(slotsPerBuyer);
  return free[randomInt(free.length)] as number;
}

function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && (error.kind === 'conflict' || error.kind === 'unprocessable');
}

function timedOut(): AppError {
  return new AppError('timeout', 'purchase_timeout', 'the database took too long; nothing was written, try again');
}
