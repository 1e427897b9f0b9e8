import { type NewEvent, type NotificationRaised, notificationRaised } from '@app/contracts';
import { AppError, nameOrder, searchWords } from '@app/kernel';
import { createOutboxWriter, type Relay } from '@app/messaging';
import { conflict, isDuplicateKey, retryOnConflict } from '@app/runtime';
import {
  type ProtectedWrite,
  resultWrite,
  type SaveResult,
  type TransactionalWrite,
  writeOnce,
} from '@app/runtime/idempotency';
import type { Countable } from '@app/service/statistics';
import type { Connection } from 'mongoose';
import type { Decision, Invoice } from './invoice.ts';
import {
  type InvoiceKey,
  type InvoiceRecord,
  invoiceCollection,
  invoiceModel,
  invoiceOnly,
  type Tombstone,
} from './invoice-collection.ts';
import { type InvoiceObserver, observeChange } from './invoice-observer.ts';
import { encodeAmounts } from './linked-amounts.ts';

/** Words of lines: each is a key of an index, and the first lines say what an invoice is about. */
const maxLineWords = 24;
const shortestLineWord = 3;

type Read = Pick<Invoice, 'canonical'>;

/**
 * The search words of an invoice: of its number, SIREN and name of its supplier, references, lines, and its amounts as digits
 * (`26125` is 261.25).
 */
function wordsOf({ canonical }: Read): string[] {
  if (canonical === null) return [];
  const { number, supplier, amounts, matchHints, references, lines } = canonical;
  const { poRef, ticketRef, orderRef } = matchHints;
  const named = searchWords(number, supplier.siren, supplier.name);
  const digits = [amounts.ttc, amounts.ht].map((amount) => Math.abs(amount).toFixed(2).replace('.', ''));
  const referred = searchWords(poRef, ticketRef, orderRef, ...references.map(({ value }) => value));
  const ofLines = searchWords(...lines.map(({ label }) => label)).filter((word) => word.length >= shortestLineWord);
  return [...new Set([...named, ...digits, ...referred, ...ofLines.slice(0, maxLineWords)])];
}

/** `raced`: another write came first. `claimed`: another invoice holds a claim of this one by now. */
type Saved = 'saved' | 'raced' | 'claimed';

export type InvoiceStore = ReturnType<typeof createInvoiceStore>;

/** `write`: of the request. `original`: the id of the invoice that this one duplicates. */
type ChangeOptions = { write: ProtectedWrite | null; original?: string | undefined };

type Deps = {
  connection: Connection;
  relay: Pick<Relay, 'watch' | 'committed'>;
  observer: InvoiceObserver;
  /** Of a client's ticket, with all above them; none if it is not known. */
  placesOf: (clientId: string, ticketId: string) => Promise<string[]>;
};

export function createInvoiceStore({ connection, relay, observer, placesOf }: Deps) {
  const model = invoiceModel(connection);
  const collection = invoiceCollection(connection);
  relay.watch(model);
  const service = 'invoice-reconciliation';
  const writer = createOutboxWriter<Invoice & Derived & Countable>({
    model,
    relay,
    service,
  });

  const store = {
    findByKey({ client_id, provider, external_id }: InvoiceKey): Promise<Invoice | Tombstone | null> {
      const options = { projection: invoiceOnly, hint: 'key' } as const;
      return collection.findOne<Invoice | Tombstone>({ client_id, provider, external_id }, options);
    },
    find: (client_id: string, _id: string): Promise<Invoice | null> =>
      collection.findOne<Invoice>({ _id, client_id }, { projection: invoiceOnly }),
    /** Inserts a new invoice with its events; `raced` if its key exists. */
    async add({ invoice, events }: Decision): Promise<Saved> {
      const insert = writer.insert({ ...invoice, ...derived(invoice), uncounted: [invoice.client_id] }, events, null);
      const saved = await outcomeOf(insert.then(() => true));
      if (saved === 'saved') observeChange(observer, null, invoice);
      return saved;
    },
    /** Saves the changes of a rule with their events, if the invoice is still as it was read. */
    async save(before: Invoice, { invoice, events }: Decision, alongside?: TransactionalWrite | null): Promise<Saved> {
      const filter = { _id: before._id, version: before.version };
      const told = await placed(invoice, events, placesOf);
      const change = { filter, update: { $set: changes(before, invoice) }, events: told };
      const saved = await outcomeOf(alongside ? writer.updateInTransaction(change, alongside) : writer.update(change));
      if (saved === 'saved') observeChange(observer, before, invoice);
      return saved;
    },
    /**
     * Reads, decides and saves, repeatedly until no other write comes between: `decide` may run several times. The
     * `original` gets a new version in the same transaction, and must be no duplicate by then: of decisions about each other that race, the
     * later ones see the earlier ones.
     * @throws AppError not_found `invoice_not_found`, overloaded `invoice_busy`, and what `decide` throws
     */
    change(
      clientId: string,
      id: string,
      decide: (invoice: Invoice) => Decision | Promise<Decision>,
      { write, original }: ChangeOptions,
    ): Promise<Invoice> {
      const attempt = async (saveResult: SaveResult<Invoice> | null) => {
        const before = await store.find(clientId, id);
        if (!before) throw invoiceNotFound();
        const decision = await decide(before);
        if (decision.invoice === before) return before;
        const other =
          original === undefined ? null : keptAsOriginal(collection, { client_id: clientId, _id: original });
        const saved = await store.save(before, decision, resultWrite(saveResult, decision.invoice, other));
        return saved === 'saved' ? decision.invoice : conflict;
      };
      return writeOnce(write, (saveResult) =>
        retryOnConflict(() => attempt(saveResult), { code: 'invoice_busy', what: 'this invoice' }),
      );
    },
    /** Forgets replaced files (`Invoice.replaced_files`) that are removed. */
    async forgetFiles(_id: string, keys: string[]): Promise<void> {
      // Needs no majority: if this write is lost, the files are removed once more.
      const options = { writeConcern: { w: 1 } } as const;
      await collection.updateOne({ _id }, { $pullAll: { replaced_files: keys } }, options);
    },
  };
  return store;
}

export function invoiceNotFound(): AppError {
  return new AppError('not_found', 'invoice_not_found', 'there is no such invoice');
}

/** Thrown in a transaction of which another one has taken the ground. */
const lostRace = new Error('another invoice has changed meanwhile');

/** Gives the invoice a new version, unless it has become a duplicate. */
function keptAsOriginal(
  collection: ReturnType<typeof invoiceCollection>,
  original: Pick<Invoice, 'client_id' | '_id'>,
): TransactionalWrite {
  const filter = { ...original, 'conclusion.outcome': { $ne: 'duplicate_of' as const } };
  return async (session) => {
    const { matchedCount } = await collection.updateOne(filter, { $inc: { version: 1 } }, { session });
    if (matchedCount === 0) throw lostRace;
  };
}

async function outcomeOf(write: Promise<boolean>): Promise<Saved> {
  try {
    return (await write) ? 'saved' : 'raced';
  } catch (error) {
    if (error === lostRace) return 'raced';
    if (isDuplicateKey(error, 'claims')) return 'claimed';
    if (isDuplicateKey(error, 'key')) return 'raced';
    throw error;
  }
}

type Derived = Pick<InvoiceRecord, 'linked_amounts' | 'words' | 'supplier_order'>;

/** What is told of an invoice is told by the places of its ticket, as it is shown by them: rules do not know these. */
async function placed({ client_id, ticket_id }: Invoice, events: NewEvent[], placesOf: Deps['placesOf']) {
  const isTold = ({ type }: NewEvent) => type === notificationRaised.type;
  if (ticket_id === null || !events.some(isTold)) return events;
  const place_ids = await placesOf(client_id, ticket_id);
  return events.map((event) => {
    const data = event.data as NotificationRaised;
    return isTold(event) ? { ...event, data: { ...data, to: { ...data.to, place_ids } } } : event;
  });
}

/** Fields that are derived from the canonical invoice, for the indexes. */
function derived(invoice: Invoice): Derived {
  const supplier_order = nameOrder(invoice.canonical?.supplier.name ?? '');
  return { linked_amounts: encodeAmounts(invoice), words: wordsOf(invoice), supplier_order };
}

/** The fields that a rule replaced, and that it is to be counted; rules never modify a value in place. */
function changes(before: Invoice, after: Invoice): Partial<InvoiceRecord> {
  const names = Object.keys(after) as (keyof Invoice)[];
  const changed = names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]);
  const uncounted = [after.client_id];
  return { ...Object.fromEntries(changed), ...(after.canonical === before.canonical ? {} : derived(after)), uncounted };
}
