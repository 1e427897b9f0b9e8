import type { CanonicalInvoice, InvoiceFetched, InvoiceGone } from '@app/contracts';
import { conflict, type Logger, retryOnConflict } from '@app/runtime';
import { type FetchTime, fetchTimeOf, isLater } from '../invoices/fetch-order.ts';
import { chainDecisions, type Decision, filesOf, type Invoice } from '../invoices/invoice.ts';
import type { InvoiceKey, Tombstone } from '../invoices/invoice-collection.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { deletionTimeOf, isTombstone, type TombstoneStore } from '../invoices/tombstone-store.ts';
import { isStorageOutage, type PayloadReader } from './payload-reader.ts';
import { isBusy, type Pipeline } from './pipeline.ts';
import {
  deletedAtProvider,
  effectOf,
  type FetchedInvoice,
  filesNotIn,
  mayAskAgain,
  received,
  refetchedUnchanged,
  requestFeedbackAgain,
  restart,
  updateLinked,
  withFilesOf,
  withReplacedFiles,
} from './refetch.ts';

type Deps = {
  store: InvoiceStore;
  tombstones: TombstoneStore;
  pipeline: Pick<Pipeline, 'run' | 'read'>;
  payloads: Pick<PayloadReader, 'has' | 'remove'>;
  logger: Logger;
  now: () => Date;
};
type Attempt = undefined | typeof conflict;

const busy = { code: 'invoice_busy', what: 'this invoice' };

/**
 * Ingests what the connection service fetched. One write saves the invoice with all its moves and events: a crash before it
 * loses nothing, because the message is delivered again. If several writes race, one wins and the others decide again. So
 * messages may arrive repeatedly and in any order.
 */
export class Ingest {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async fetched({ fetched_at, sequence, raw, document, ...data }: InvoiceFetched): Promise<void> {
    const content = { raw, document, fetched_at: new Date(fetched_at), sequence };
    const fetched = { ...data, content };
    await retryOnConflict(() => this.#ingest(fetched), busy);
  }

  async deleted({ at, sequence, client_id, provider, external_id }: InvoiceGone): Promise<void> {
    const key = { client_id, provider, external_id };
    await retryOnConflict(() => this.#markDeleted(key, { at: new Date(at), sequence }), busy);
  }

  async #ingest(fetched: FetchedInvoice): Promise<Attempt> {
    const stored = await this.#deps.store.findByKey(fetched);
    if (!stored) return this.#add(fetched);
    return isTombstone(stored) ? this.#compareWithTombstone(stored, fetched) : this.#update(stored, fetched);
  }

  async #add(fetched: FetchedInvoice): Promise<Attempt> {
    const { pipeline, store, now } = this.#deps;
    const decision = await pipeline.run(received(fetched, now()));
    if ((await store.add(decision)) !== 'saved') return conflict;
    this.#log('invoice ingested', decision.invoice);
    return undefined;
  }

  async #update(stored: Invoice, fetched: FetchedInvoice): Promise<Attempt> {
    const { store } = this.#deps;
    const decision = await this.#decide(stored, fetched);
    if (decision === null) return undefined;
    if (decision.invoice === stored) return undefined;
    const invoice = withReplacedFiles(stored, decision.invoice);
    if ((await store.save(stored, { ...decision, invoice })) !== 'saved') return conflict;
    this.#log('invoice updated', invoice);
    return this.#removeUnused(invoice, fetched);
  }

  /**
   * Removes files that are not needed, and forgets them. If this fails, or if the process dies
   * before the acknowledgement, the message is redelivered and handled as outdated.
   */
  async #removeUnused(saved: Invoice, { content }: FetchedInvoice): Promise<undefined> {
    const { store, payloads } = this.#deps;
    await payloads.remove(filesNotIn(filesOf(content), saved.content));
    const { replaced_files: replaced = [] } = saved;
    if (replaced.length > 0) await store.forgetFiles(saved._id, await payloads.remove(replaced));
  }

  /** Null: the fetch is outdated. */
  async #decide(stored: Invoice, fetched: FetchedInvoice): Promise<Decision | null> {
    const { pipeline, payloads, now } = this.#deps;
    const effect = effectOf(stored, fetched);
    if (effect === 'stale') {
      await this.#removeUnused(stored, fetched);
      return null;
    }
    const invoice = (await payloads.has(stored.content)) ? stored : withFilesOf(stored, fetched);
    switch (effect) {
      case 'same':
        return refetchedUnchanged(invoice, fetched);
      case 'restart': {
        const canonical = await this.#read(invoice, fetched).catch(nullIfUnreadable);
        return pipeline.run(restart(invoice, { fetched, canonical }, now()));
      }
      case 'ask_again':
        return pipeline.run(requestFeedbackAgain(invoice, fetched, now()));
      case 'compare': {
        const updated = updateLinked(invoice, { fetched, canonical: await this.#read(invoice, fetched) }, now());
        // A resync by a person also requests failed feedback again.
        const isRequested = fetched.resync && mayAskAgain(updated.invoice);
        return isRequested
          ? pipeline.run(chainDecisions(updated, (one) => requestFeedbackAgain(one, fetched, now())))
          : updated;
      }
    }
  }

  #read({ client_id, provider }: Invoice, { content }: FetchedInvoice): Promise<CanonicalInvoice | null> {
    return this.#deps.pipeline.read({ client_id, provider, content });
  }

  /** Discards what was fetched before the deletion; otherwise removes the tombstone and has the fetch ingested again. */
  async #compareWithTombstone(tombstone: Tombstone, { content }: FetchedInvoice): Promise<Attempt> {
    const { tombstones, payloads } = this.#deps;
    if (isLater(fetchTimeOf(content), deletionTimeOf(tombstone))) {
      await tombstones.remove(tombstone);
      return conflict;
    }
    await payloads.remove(filesOf(content));
    return undefined;
  }

  async #markDeleted(key: InvoiceKey, deleted: FetchTime): Promise<Attempt> {
    const { store, tombstones, now } = this.#deps;
    const stored = await store.findByKey(key);
    if (!stored) return (await tombstones.add(key, deleted, now())) ? undefined : conflict;
    if (isTombstone(stored)) {
      if (!(await tombstones.renew(stored, deleted, now()))) return conflict;
    } else {
      const decide = (invoice: Invoice) => deletedAtProvider(invoice, deleted, now());
      await store.change(stored.client_id, stored._id, decide, { write: null });
    }
    return undefined;
  }

  #log(message: string, { _id, state, client_id }: Invoice): void {
    this.#deps.logger.info(message, { invoiceId: _id, clientId: client_id, state });
  }
}

/**
 * Unreadable content fails the first step of the pipeline too, which records it. An outage or a
 * busy reader fails the message, which comes again.
 */
function nullIfUnreadable(error: unknown): null {
  if (isStorageOutage(error) || isBusy(error)) throw error;
  return null;
}
