import type { InvoiceFetched, InvoiceGone } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import { type Arrived, askAgain, askedFor, compare, gone, meaningOf, received, restart, seenAgain } from './arrival.ts';
import { type Decision, type Invoice, then } from './invoice.ts';
import type { InvoiceKey, InvoiceStore } from './invoice-store.ts';
import { type Asked, isLater } from './order.ts';
import { isStorageOutage, type Payloads } from './payload-store.ts';
import { isBusy, type Reconcile } from './reconcile.ts';
import { askedOf, isTombstone, type Tombstone, type TombstoneStore } from './tombstone-store.ts';

export type Ingest = {
  /** Idempotent: however often, in whatever order and by how many at once it comes, there is one invoice. */
  fetched(data: InvoiceFetched): Promise<void>;
  gone(data: InvoiceGone): Promise<void>;
};

type Deps = {
  store: InvoiceStore;
  tombstones: TombstoneStore;
  reconcile: Reconcile;
  payloads: Pick<Payloads, 'discard'>;
  logger: Logger;
  now: () => Date;
};

const attempts = 20;

/**
 * From what connection fetched to where the invoice rests, in one write: a crash before it loses nothing (the message comes
 * again), one after it has done all. Of several at once, one writes; the others look again, and see what it wrote.
 */
export function createIngest({ store, tombstones, reconcile, payloads, logger, now }: Deps): Ingest {
  const read = ({ client_id, provider }: Invoice, { content }: Arrived) =>
    reconcile.read({ client_id, provider, content });

  async function decide(known: Invoice, arrived: Arrived): Promise<Decision | null> {
    switch (meaningOf(known, arrived)) {
      case 'stale':
        await store.confirmed();
        await payloads.discard(arrived.content, known.content);
        return null;
      case 'same':
        return seenAgain(known, arrived);
      case 'restart': {
        const canonical = await read(known, arrived).catch(asUnreadable);
        return reconcile.settle(restart(known, { arrived, canonical }, now()));
      }
      case 'ask_again':
        return reconcile.settle(askAgain(known, arrived, now()));
      case 'compare': {
        const compared = compare(known, { arrived, canonical: await read(known, arrived) }, now());
        // The same person's wish as where nothing changed: what the provider could not be told, it is told anew (row 20).
        const asks = arrived.resync && compared.invoice.state === 'error';
        return asks ? reconcile.settle(then(compared, (one) => askAgain(one, arrived, now()))) : compared;
      }
    }
  }

  /** True when it is done; false where another write came between. */
  async function take(arrived: Arrived): Promise<boolean> {
    const known = await store.byKey(arrived);
    if (!known) {
      const decision = await reconcile.settle(received(arrived, now()));
      const saved = await store.add(decision);
      if (saved === 'saved') logOf('invoice taken in', decision.invoice);
      return saved === 'saved';
    }
    if (isTombstone(known)) return isTooLate(known, arrived);
    const decision = await decide(known, arrived);
    if (decision === null) return true;
    if (decision.invoice === known) {
      await store.confirmed();
      return true;
    }
    if ((await store.save(known, decision)) !== 'saved') return false;
    await payloads.discard(known.content, decision.invoice.content);
    await payloads.discard(arrived.content, decision.invoice.content);
    logOf('invoice taken in again', decision.invoice);
    return true;
  }

  /** True for what was fetched before the provider had it no more; else nothing stands in its way any longer. */
  async function isTooLate(tombstone: Tombstone, { content }: Arrived): Promise<boolean> {
    const tooLate = !isLater(askedFor(content), askedOf(tombstone));
    if (tooLate) {
      await store.confirmed();
      await payloads.discard(content, null);
    } else await tombstones.lift(tombstone);
    return tooLate;
  }

  /** True when it is done; false where another write came between. */
  async function leave(key: InvoiceKey, asked: Asked): Promise<boolean> {
    const known = await store.byKey(key);
    if (!known) return tombstones.bury(key, asked, now());
    if (isTombstone(known)) {
      if (!(await tombstones.renew(known, asked, now()))) return false;
    } else await store.change(known.client_id, known._id, (invoice) => gone(invoice, asked, now()));
    // Either may have found that nothing is to be changed.
    await store.confirmed();
    return true;
  }

  async function untilDone(attempt: () => Promise<boolean>): Promise<void> {
    for (let count = 0; count < attempts; count++) if (await attempt()) return;
    throw new AppError('overloaded', 'invoice_busy', 'this invoice is being changed all the time');
  }

  function logOf(message: string, { _id, state, client_id }: Invoice): void {
    logger.info(message, { invoiceId: _id, clientId: client_id, state });
  }

  return {
    async fetched({ fetched_at, sequence = null, raw, document, ...data }) {
      const arrived = { ...data, content: { raw, document, fetched_at: new Date(fetched_at), sequence } };
      await untilDone(() => take(arrived));
    },
    async gone({ at, sequence = null, client_id, provider, external_id }) {
      await untilDone(() => leave({ client_id, provider, external_id }, { at: new Date(at), sequence }));
    },
  };
}

/** What can't be read or had makes the first step fail as well, which is kept with the invoice; an outage, or a reader that is busy, is waited for. */
function asUnreadable(error: unknown): null {
  if (isStorageOutage(error) || isBusy(error)) throw error;
  return null;
}
