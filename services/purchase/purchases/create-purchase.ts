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

export type CreationRequest = { caller: Caller; context: TicketContext; input: NewPurchase };
/** Without a date it is that of the making. */
export type NewPurchase = Omit<PurchaseInput, 'date'> & { kind: PurchaseKind; date?: Date };
export type CreationResult = { purchase: Purchase; created: boolean };

type Named = CreationRequest & { name: PurchaseKey };

/** Longer than that after its beginning, which follows the question to the ticket service, no write is begun. */
const issuedWithinMs = 10_000;

/**
 * Issues a document, or finds the live one of the same kind and reference, whatever else a new one would be refused for
 * (design section 8). One write: the document itself takes one of the buyer's places on the ticket, under a unique index,
 * so that a crash leaves a document or nothing.
 * @throws AppError as listed in spec section 7
 */
export function purchaseCreator(deps: Deps): (issuing: CreationRequest) => Promise<CreationResult> {
  const { purchases, now } = deps;
  return async (issuing) => {
    const { caller, context, input } = issuing;
    const name = {
      ticket_id: context.ticket.id,
      buyer_company_id: caller.companyId,
      ...{ kind: input.kind, reference: input.reference },
    };
    const named = { ...issuing, name };
    for (const until = now().getTime() + issuedWithinMs; now().getTime() < until; ) {
      try {
        await permit(purchases, named);
        return { purchase: await write(deps, named, until), created: true };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const purchase = await purchases.findByKey(name);
        if (purchase) return { purchase, created: false };
        // Gone again since it stood in the way.
        if (error.code !== 'purchase_duplicate_reference') throw error;
      }
    }
    throw timedOut();
  };
}

async function permit(purchases: PurchaseStore, { context, input, name }: Named): Promise<void> {
  permitWrite(context);
  permitQuote(context, input.quote_id);
  await permitOrder(purchases, name, input.purchase_order_id);
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
 * Any place first, since most buyers have few documents on a ticket; where it is taken, any of those that are free by then. Of
 * many that try at once some find a place each time, until none is left.
 */
async function write(deps: Deps, { caller, context, input, name }: Named, until: number): Promise<Purchase> {
  const { purchases, assignments, now } = deps;
  // Its contractor may have been replaced meanwhile, and must not be shown the document then. Where there is none, `settle` looks.
  const heard = context.contractor === null ? noHistory : await assignments.history(name.ticket_id);
  const supplier = supplierOf(context, caller.companyId, heard);
  const { kind: _kind, reference: _reference, ...fields } = input;
  for (let place = randomInt(slotsPerBuyer); ; place = await freeSlot(purchases, name)) {
    if (now().getTime() >= until) throw timedOut();
    const at = timeOn(context, now());
    const decision = newPurchase({ id: newId(at), place, name, input: fields, context, supplier, caller }, at);
    if (await purchases.add(decision)) return decision.purchase;
  }
}

/** @throws AppError unprocessable `purchase_too_many` */
async function freeSlot(purchases: PurchaseStore, name: PurchaseKey): Promise<number> {
  const taken = new Set(await purchases.takenSlots(name));
  const free = Array.from({ length: slotsPerBuyer }, (_, place) => place).filter((place) => !taken.has(place));
  if (free.length === 0) throw tooMany(slotsPerBuyer);
  return free[randomInt(free.length)] as number;
}

function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && (error.kind === 'conflict' || error.kind === 'unprocessable');
}

function timedOut(): AppError {
  return new AppError('timeout', 'purchase_timeout', 'the database took too long; nothing was written, try again');
}
