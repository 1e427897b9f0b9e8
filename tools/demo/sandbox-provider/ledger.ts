import { createHash } from 'node:crypto';
import { HttpError } from '../fake-server/http-server.ts';

/** The owner of an API key and of its invoices. Webhooks are sent if `webhookUrl` is set. */
export type Account = {
  apiKey: string;
  clientId: string | null;
  webhookUrl: string | null;
  webhookSecret: string | null;
};

/** An invoice as the API returns it (README.md); the ledger sets `status`, `updated_at` and `document`. */
export type SandboxInvoice = Record<string, unknown> & { id: string; status: string; updated_at: string };

export type ReceivedFeedback = {
  invoiceId: string;
  outcome: string;
  ticket: unknown;
  poRef: unknown;
  refusal: unknown;
  at: string;
  /** False if the invoice had this outcome, for this ticket, already. */
  changed: boolean;
};

export type StoredDocument = { name: string; type: string; bytes: Buffer };
type Entry = { invoice: SandboxInvoice; document: StoredDocument | null; deleted: boolean; sequence: number };
type Book = { account: Account; entries: Map<string, Entry>; feedback: ReceivedFeedback[] };

const maxAccounts = 1_000;
const maxInvoices = 20_000;
const maxDocumentBytes = 100_000_000;
const maxFeedback = 1_000;

/** The provider's data, in memory and bounded: the oldest invoices of an account and the oldest feedback are dropped first. */
export class Ledger {
  readonly #books = new Map<string, Book>();
  #sequence = 0;
  #documentBytes = 0;

  /** Adds or changes an account. */
  setAccount(account: Account): void {
    const known = this.#books.get(account.apiKey);
    if (!known && this.#books.size >= maxAccounts) {
      throw new HttpError(409, 'too_many', `at most ${maxAccounts} accounts`);
    }
    const { entries = new Map(), feedback = [] } = known ?? {};
    this.#books.set(account.apiKey, { account, entries, feedback });
  }

  accountOf(apiKey: string | null): Account {
    return this.#bookOf(apiKey).account;
  }

  /** Adds an invoice, or changes the given fields of an existing one: now, unless `updated_at` is among them. */
  put(apiKey: string, fields: Record<string, unknown>, file?: StoredDocument | null): SandboxInvoice {
    const book = this.#bookOf(apiKey);
    const id = typeof fields['id'] === 'string' && fields['id'] !== '' ? fields['id'] : `inv_${this.#sequence + 1}`;
    const before = book.entries.get(id);
    const document = file === undefined ? (before?.document ?? null) : file;
    const existing = before && !before.deleted ? before.invoice : { status: 'received' };
    const invoice = { ...existing, ...fields, id, document: describe(document) } as SandboxInvoice;
    const given = fields['updated_at'];
    return this.#change(book, { invoice, document, deleted: false }, typeof given === 'string' ? given : undefined);
  }

  remove(apiKey: string, id: string): void {
    const book = this.#bookOf(apiKey);
    const { invoice } = entryOf(book, id);
    this.#change(book, { invoice, document: null, deleted: true });
  }

  read(apiKey: string | null, id: string): SandboxInvoice {
    return entryOf(this.#bookOf(apiKey), id).invoice;
  }

  documentOf(apiKey: string | null, id: string): StoredDocument {
    const { document } = entryOf(this.#bookOf(apiKey), id);
    if (!document) throw new HttpError(404, 'not_found', 'this invoice has no document');
    return document;
  }

  /** A page of the changes at or after `since` whose sequence is greater than `after`, the oldest first. */
  changes(apiKey: string | null, { since, after, limit }: { since: number; after: number; limit: number }) {
    const found = [...this.#bookOf(apiKey).entries.values()].filter(
      (entry) => entry.sequence > after && Date.parse(entry.invoice.updated_at) >= since,
    );
    return { page: found.slice(0, limit), more: found.length > limit };
  }

  /** Records feedback of the platform. @throws HttpError 409 `already_in_status`, 400 `invalid_transition` */
  addFeedback(
    apiKey: string | null,
    id: string,
    given: Pick<ReceivedFeedback, 'outcome' | 'ticket' | 'poRef' | 'refusal'>,
  ): void {
    const book = this.#bookOf(apiKey);
    const { invoice, document } = entryOf(book, id);
    const isSame =
      invoice.status === given.outcome && JSON.stringify(invoice['ticket']) === JSON.stringify(given.ticket);
    book.feedback.push({ invoiceId: id, ...given, at: new Date().toISOString(), changed: !isSame });
    if (book.feedback.length > maxFeedback) book.feedback.shift();
    if (isSame) throw new HttpError(409, 'already_in_status', `the invoice is ${given.outcome} already`);
    if (given.outcome === 'reversed' && !['taken_in_charge', 'refused'].includes(invoice.status)) {
      throw new HttpError(400, 'invalid_transition', `an invoice that is ${invoice.status} can't be reversed`);
    }
    const changed = { ...invoice, status: given.outcome, ticket: given.ticket };
    this.#change(book, { invoice: changed, document, deleted: false });
  }

  feedbackOf(apiKey: string): ReceivedFeedback[] {
    return this.#bookOf(apiKey).feedback;
  }

  #bookOf(apiKey: string | null): Book {
    const book = apiKey === null ? undefined : this.#books.get(apiKey);
    if (!book) throw new HttpError(401, 'unauthorized', 'no account has this API key');
    return book;
  }

  /** Moves the entry to the end of the map, which is the order of the list of changes. */
  #change(book: Book, entry: Omit<Entry, 'sequence'>, at = new Date().toISOString()): SandboxInvoice {
    if (this.#documentBytes + sizeOf(entry) > maxDocumentBytes) {
      throw new HttpError(413, 'too_large', 'the sandbox holds no more documents');
    }
    this.#forget(book, entry.invoice.id);
    this.#sequence += 1;
    this.#documentBytes += sizeOf(entry);
    const invoice = { ...entry.invoice, updated_at: at };
    book.entries.set(invoice.id, { ...entry, invoice, sequence: this.#sequence });
    if (book.entries.size > maxInvoices) this.#forget(book, book.entries.keys().next().value as string);
    return invoice;
  }

  #forget(book: Book, id: string): void {
    this.#documentBytes -= sizeOf(book.entries.get(id));
    book.entries.delete(id);
  }
}

function entryOf(book: Book, id: string): Entry {
  const entry = book.entries.get(id);
  if (!entry || entry.deleted) throw new HttpError(404, 'not_found', 'there is no such invoice');
  return entry;
}

function sizeOf(entry: { document: StoredDocument | null } | undefined): number {
  return entry?.document?.bytes.length ?? 0;
}

function describe(document: StoredDocument | null) {
  if (!document) return null;
  const { name, type, bytes } = document;
  return { name, type, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
