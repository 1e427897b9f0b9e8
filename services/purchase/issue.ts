import { setTimeout as later } from 'node:timers/promises';
import type { Caller, PurchaseKind } from '@app/contracts';
import { AppError, newId } from '@app/kernel';
import { isMongoOutage } from '@app/runtime';
import { drawUp } from './changes.ts';
import { isOnItsWay, issuedWithinMs, placesPerBuyer, supplierOf } from './dossier.ts';
import type { DossierStore, Place } from './dossier-store.ts';
import {
  orderNotFound,
  type Purchase,
  type PurchaseInput,
  type PurchaseName,
  permitOrderLink,
  tooMany,
} from './purchase.ts';
import type { PurchaseStore } from './purchase-store.ts';
import { permitQuote, permitWrite, type TicketContext } from './ticket-context.ts';

type Deps = { purchases: PurchaseStore; dossiers: DossierStore; now: () => Date };

export type Issuing = { caller: Caller; context: TicketContext; input: NewPurchase };
/** Without a date it is that of the making. */
export type NewPurchase = Omit<PurchaseInput, 'date'> & { kind: PurchaseKind; date?: Date };
export type Issued = { purchase: Purchase; created: boolean };

type Draft = Omit<Parameters<typeof drawUp>[0], 'id' | 'supplier'>;

const roomWithinMs = 5_000;
const askedAgainAfterMs = 50;

/**
 * Issues a document, or finds the live one of the same kind and reference, in the order of checks of design section 8.
 * The place of the document among the buyer's 200 is taken first, then the document is written: what a crash leaves
 * in between is a place that nobody holds, which is given back when it is needed.
 * @throws AppError as listed in spec section 7
 */
export function createIssue(deps: Deps): (issuing: Issuing) => Promise<Issued> {
  const { purchases, dossiers, now } = deps;
  return async ({ caller, context, input: { kind, reference, ...input } }) => {
    const name = { ticket_id: context.ticket.id, buyer_company_id: caller.companyId, kind, reference };
    const existing = await purchases.named(name);
    if (existing) return { purchase: existing, created: false };
    permitWrite(context);
    permitQuote(context, input.quote_id);
    await permitOrder(purchases, name, input.purchase_order_id);

    const place = { ticketId: name.ticket_id, buyerId: name.buyer_company_id };
    for (const deadline = Date.now() + roomWithinMs; Date.now() < deadline; ) {
      const id = newId(now());
      const heard = await dossiers.take(place, id);
      if (heard) {
        const supplier = supplierOf(context, caller.companyId, heard);
        const issued = await write(deps, { id, name, input, context, supplier, caller });
        if (issued) return issued;
      } else {
        const mayHaveRoom = await makeRoom(deps, place);
        // Asked afterwards: the last place may have gone to another copy of this very request.
        const same = await purchases.named(name);
        if (same) return { purchase: same, created: false };
        if (!mayHaveRoom) throw tooMany(placesPerBuyer);
      }
    }
    throw new AppError('unavailable', 'purchase_unavailable', 'other documents of this ticket are being written');
  };
}

/** @throws AppError unprocessable `purchase_order_link_only_on_goods_receipt`, `purchase_order_not_found` */
export async function permitOrder(
  purchases: PurchaseStore,
  { ticket_id, buyer_company_id, kind }: Omit<PurchaseName, 'reference'>,
  orderId: string | null,
): Promise<void> {
  if (orderId === null) return;
  permitOrderLink(kind);
  if (!(await purchases.isOrder({ ticket_id, buyer_company_id, id: orderId }))) throw orderNotFound();
}

/** The document, or the one that another request wrote first; null where that is gone again. */
async function write(
  { purchases, dossiers, now }: Deps,
  draft: Draft & Pick<Parameters<typeof drawUp>[0], 'id' | 'supplier'>,
): Promise<Issued | null> {
  const { id, name } = draft;
  const at = now();
  const giveBack = () => dossiers.release({ ticketId: name.ticket_id, buyerId: name.buyer_company_id }, [id]);
  if (!isOnItsWay(id, new Date(at.getTime() + issuedWithinMs))) {
    await giveBack();
    throw late();
  }
  const decision = drawUp(draft, at);
  try {
    await purchases.add(decision);
    return { purchase: decision.purchase, created: true };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') {
      // After an outage the write may yet arrive, and its place is what tells an assignment of it: it stays until it is old.
      if (!isMongoOutage(error)) await unlessWritten(purchases, id, giveBack).catch(() => undefined);
      throw error;
    }
    await giveBack();
    // Of a receipt written twice the database may name either index first.
    const same = await purchases.named(name);
    if (same) return { purchase: same, created: false };
    if (error.code === 'purchase_duplicate_reference') return null;
    throw error;
  }
}

async function unlessWritten(purchases: PurchaseStore, id: string, giveBack: () => Promise<void>): Promise<void> {
  if (!(await purchases.standing([id])).has(id)) await giveBack();
}

/**
 * Gives back the places that no live document holds: of deleted ones, and of those that a crash kept from being written.
 * Waits a moment for those on their way, which may yet turn out to be second copies. False where a live document holds
 * every place.
 */
async function makeRoom({ purchases, dossiers, now }: Deps, place: Place): Promise<boolean> {
  const ids = await dossiers.taken(place);
  const standing = await purchases.standing(ids);
  const unheld = ids.filter((id) => standing.get(id) !== 'live');
  const free = unheld.filter((id) => standing.has(id) || !isOnItsWay(id, now()));
  if (free.length > 0) await dossiers.release(place, free);
  else if (unheld.length > 0) await later(askedAgainAfterMs);
  return unheld.length > 0 || ids.length < placesPerBuyer;
}

function late(): AppError {
  return new AppError('timeout', 'purchase_timeout', 'the database took too long; nothing was written, try again');
}
