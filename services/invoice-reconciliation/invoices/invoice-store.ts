import { AppError } from '@app/kernel';
import { addOutbox, createOutboxWriter, type Relay, type WithOutbox } from '@app/messaging';
import { isDuplicateKey, waitForMajority } from '@app/runtime';
import { type Connection, type mongo, Schema } from 'mongoose';
import type { Decision, Invoice, State } from './invoice.ts';
import { type MatchObserver, observeMatch } from './match-observer.ts';
import { asCounts } from './on-ticket.ts';
import { createQuestions, type Question } from './questions-store.ts';
import type { Tombstone } from './tombstone-store.ts';

export type InvoiceKey = Pick<Invoice, 'client_id' | 'provider' | 'external_id'>;

/** `raced`: another write came between. `claimed`: another invoice holds by now what this one claims. */
export type Saved = 'saved' | 'raced' | 'claimed';

export type InvoiceStore = {
  byKey(key: InvoiceKey): Promise<Invoice | Tombstone | null>;
  find(clientId: string, id: string): Promise<Invoice | null>;
  /** Saves an invoice that is new with its events; one of that key exists: `raced`. */
  add(decision: Decision): Promise<Saved>;
  /** Saves what a rule changed, with its events, where the invoice is still as it was read. */
  save(before: Invoice, decision: Decision): Promise<Saved>;
  /**
   * Decides on the invoice as it is and saves; again where another write came between, so `decide` may run again.
   * @throws AppError not_found `invoice_not_found`, overloaded `invoice_busy`, and what `decide` throws
   */
  change(clientId: string, id: string, decide: (invoice: Invoice) => Decision | Promise<Decision>): Promise<Invoice>;
  /** No election takes back what was read until now: before it is the reason to write nothing. */
  confirmed(): Promise<void>;
};

/** `taken_by`: the taking of the sweep that it was part of last; `counts`: what it counts on its ticket (`on-ticket.ts`). */
export type InvoiceRecord = Invoice & WithOutbox & { taken_by?: string; counts?: string | null };
export type Invoices = mongo.Collection<InvoiceRecord>;

const changeAttempts = 20;
/** Of those that are asked for together, each has one at most. */
const mostTogether = 1_000;
/** Tells dates from null in partial indexes, in a way that a range of dates lies within. */
export const epoch = new Date(0);
/** The lists of what waits for a person, each by the states in it: partial indexes of these names hold nothing else. */
export const waitingStates = {
  queue: { state: 'ticket_unmatched' },
  review: { state: { $in: ['error', 'manual_review'] } },
} satisfies Record<string, { state: State | { $in: State[] } }>;
const inQueue = waitingStates.queue;

const schema = new Schema<InvoiceRecord>(
  { _id: { type: String, required: true }, version: { type: Number, required: true } },
  // The shape is `Invoice`, kept by the compiler: rules return whole invoices and nothing else writes here.
  { versionKey: false, collection: 'invoices', strict: false },
);
addOutbox(schema as unknown as Schema);
schema.index({ client_id: 1, provider: 1, external_id: 1 }, { name: 'key', unique: true });
// What one invoice of a client may hold alone (its number and total, its document, its place on a ticket): whatever races.
schema.index(
  { client_id: 1, claims: 1 },
  { name: 'claims', unique: true, partialFilterExpression: { claims: { $gt: '' } } },
);
schema.index({ client_id: 1, 'keys.twins': 1 }, { name: 'twins' });
// With what each counts there: what is on two hundred candidates is read from the index alone.
schema.index(
  { client_id: 1, ticket_id: 1, counts: 1, _id: 1 },
  { name: 'placed', partialFilterExpression: { ticket_id: { $gt: '' } } },
);
schema.index(
  { client_id: 1, supplier_id: 1, confirmed_iban: 1 },
  { name: 'ibans', partialFilterExpression: { confirmed_iban: { $gt: '' } } },
);
schema.index(
  { client_id: 1, confirmed_vat: 1, supplier_id: 1 },
  { name: 'vat', partialFilterExpression: { confirmed_vat: { $gt: '' } } },
);
for (const [name, partialFilterExpression] of Object.entries(waitingStates)) {
  schema.index({ client_id: 1, created_at: 1, _id: 1 }, { name, partialFilterExpression });
}
for (const [name, field] of Object.entries({
  references: 'keys.references',
  amounts: 'keys.amounts',
  suggested: 'suggestions.ticketId',
  siren: 'keys.siren',
  suppliers: 'supplier_ids',
})) {
  schema.index({ client_id: 1, [field]: 1, rematch_at: 1, created_at: -1 }, { name, partialFilterExpression: inQueue });
}
schema.index({ due_at: 1 }, { name: 'due', partialFilterExpression: { due_at: { $gt: epoch } } });
schema.index({ rematch_at: 1 }, { name: 'rematch', partialFilterExpression: { rematch_at: { $gt: epoch } } });
schema.index(
  { forget_at: 1 },
  { name: 'forgotten', expireAfterSeconds: 0, partialFilterExpression: { forget_at: { $gt: epoch } } },
);

/** The invoice alone. */
export const unsent = { outbox: 0, taken_by: 0, counts: 0 } as const;

/** The collection, with its model registered so that its indexes are made at the start. */
export function invoicesOf(connection: Connection): { collection: Invoices; model: unknown } {
  const model = connection.models['Invoice'] ?? connection.model('Invoice', schema);
  // The driver's own collection: these are the hottest reads and writes, and what goes in is typed already.
  return { collection: model.collection as unknown as Invoices, model };
}

type Deps = { connection: Connection; relay: Pick<Relay, 'watch' | 'committed'>; observer: MatchObserver };

export function createInvoiceStore({ connection, relay, observer }: Deps): InvoiceStore {
  const { collection, model } = invoicesOf(connection);
  relay.watch(model);

  const writes = createOutboxWriter<Invoice & Pick<InvoiceRecord, 'counts'>>({
    model,
    relay,
    service: 'invoice-reconciliation',
  });
  const projection = unsent;
  const one = { limit: 1, limitTogether: mostTogether };
  const byId = createQuestions<Question, Invoice>({
    ...one,
    valuesOf: ({ _id }) => [_id],
    find: ({ clientId, values }, limit) =>
      collection.find({ _id: { $in: values }, client_id: clientId }, { projection, limit }).toArray(),
  });
  const byKey = createQuestions<Question & InvoiceKey, Invoice | Tombstone>({
    ...one,
    valuesOf: ({ external_id }) => [external_id],
    fits: ({ provider }, asked) => provider === asked.provider,
    find: ({ clientId, values, questions }, limit) => {
      const providers = [...new Set(questions.map(({ provider }) => provider))];
      const filter = { client_id: clientId, provider: { $in: providers }, external_id: { $in: values } };
      return collection.find(filter, { projection, limit, hint: 'key' }).toArray();
    },
  });

  const store: InvoiceStore = {
    async byKey(key) {
      const [found] = await byKey({ ...key, clientId: key.client_id, values: [key.external_id] });
      return found ?? null;
    },
    async find(clientId, id) {
      const [found] = await byId({ clientId, values: [id] });
      return found ?? null;
    },
    async add({ invoice, events }) {
      const saved = await outcomeOf(writes.insert({ ...invoice, counts: asCounts(invoice) }, events).then(() => true));
      if (saved === 'saved') observeMatch(observer, null, invoice);
      return saved;
    },
    async save(before, { invoice, events }) {
      const filter = { _id: before._id, version: before.version };
      const saved = await outcomeOf(writes.update({ filter, update: { $set: changes(before, invoice) }, events }));
      if (saved === 'saved') observeMatch(observer, before, invoice);
      return saved;
    },
    async change(clientId, id, decide) {
      for (let attempt = 0; attempt < changeAttempts; attempt++) {
        const before = await store.find(clientId, id);
        if (!before) throw invoiceNotFound();
        const decision = await decide(before);
        if (decision.invoice === before) return before;
        if ((await store.save(before, decision)) === 'saved') return decision.invoice;
      }
      throw new AppError('overloaded', 'invoice_busy', 'this invoice is being changed by many requests; try again');
    },
    confirmed: () => waitForMajority(collection as never),
  };
  return store;
}

export function invoiceNotFound(): AppError {
  return new AppError('not_found', 'invoice_not_found', 'there is no such invoice');
}

async function outcomeOf(write: Promise<boolean>): Promise<Saved> {
  try {
    return (await write) ? 'saved' : 'raced';
  } catch (error) {
    if (isDuplicateKey(error, 'claims')) return 'claimed';
    if (isDuplicateKey(error, 'key')) return 'raced';
    throw error;
  }
}

/** The fields that a rule replaced: rules never change a value in place. */
function changes(before: Invoice, after: Invoice): Partial<InvoiceRecord> {
  const names = Object.keys(after) as (keyof Invoice)[];
  const changed = names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]);
  const counts = after.canonical === before.canonical ? {} : { counts: asCounts(after) };
  return { ...Object.fromEntries(changed), ...counts };
}
