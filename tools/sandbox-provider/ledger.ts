import { createHash } from 'node:crypto';
import { Refusal } from './serve.ts';

/** Whoever has an API key: its invoices are its own. Webhooks are sent where `webhookUrl` is set. */
export type Account = {
  apiKey: string;
  clientId: string | null;
  webhookUrl: string | null;
  webhookSecret: string | null;
};

/** An invoice as the API gives it (README.md); the ledger sets `status`, `updated_at` and `document`. */
export type SandboxInvoice = Record<string, unknown> & { id: string; status: string; updated_at: string };

export type ReceivedFeedback = {
  invoiceId: string;
  outcome: string;
  ticket: unknown;
  poRef: unknown;
  at: string;
  /** False where the invoice had this outcome, for this ticket, already. */
  changed: boolean;
};

export type StoredDocument = { name: string; type: string; bytes: Buffer };
type Entry = { invoice: SandboxInvoice; document: StoredDocument | null; deleted: boolean; sequence: number };
type Book = { account: Account; entries: Map<string, Entry>; feedback: ReceivedFeedback[] };

export type Ledger = ReturnType<typeof createLedger>;

const mostAccounts = 1_000;
const mostInvoices = 20_000;
const mostDocumentBytes = 100_000_000;
const mostFeedback = 1_000;

/** What the provider knows, in memory and bounded: the oldest invoices of an account and the oldest feedback go first. */
export function createLedger() {
  const books = new Map<string, Book>();
  let sequence = 0;
  let documentBytes = 0;

  const bookOf = (apiKey: string | null): Book => {
    const book = apiKey === null ? undefined : books.get(apiKey);
    if (!book) throw new Refusal(401, 'unauthorized', 'no account has this API key');
    return book;
  };
  const entryOf = (book: Book, id: string): Entry => {
    const entry = book.entries.get(id);
    if (!entry || entry.deleted) throw new Refusal(404, 'not_found', 'there is no such invoice');
    return entry;
  };
  /** Last in order from now on, so that the list of changes is in the order of the map. */
  const changed = (book: Book, entry: Omit<Entry, 'sequence'>): SandboxInvoice => {
    if (documentBytes + sizeOf(entry) > mostDocumentBytes) {
      throw new Refusal(413, 'too_large', 'the sandbox holds no more documents');
    }
    forget(book, entry.invoice.id);
    sequence += 1;
    documentBytes += sizeOf(entry);
    const invoice = { ...entry.invoice, updated_at: new Date().toISOString() };
    book.entries.set(invoice.id, { ...entry, invoice, sequence });
    if (book.entries.size > mostInvoices) forget(book, book.entries.keys().next().value as string);
    return invoice;
  };
  const forget = (book: Book, id: string): void => {
    documentBytes -= sizeOf(book.entries.get(id));
    book.entries.delete(id);
  };

  return {
    /** Adds or changes an account. */
    setAccount(account: Account): void {
      const known = books.get(account.apiKey);
      if (!known && books.size >= mostAccounts) throw new Refusal(409, 'too_many', `at most ${mostAccounts} accounts`);
      books.set(account.apiKey, { account, entries: known?.entries ?? new Map(), feedback: known?.feedback ?? [] });
    },
    accountOf: (apiKey: string | null): Account => bookOf(apiKey).account,

    /** Adds an invoice, or changes the fields given of one that is there. */
    put(apiKey: string, fields: Record<string, unknown>, file?: StoredDocument | null): SandboxInvoice {
      const book = bookOf(apiKey);
      const id = typeof fields['id'] === 'string' && fields['id'] !== '' ? fields['id'] : `inv_${sequence + 1}`;
      const before = book.entries.get(id);
      const document = file === undefined ? (before?.document ?? null) : file;
      const kept = before && !before.deleted ? before.invoice : { status: 'received' };
      const invoice = { ...kept, ...fields, id, document: describe(document) } as SandboxInvoice;
      return changed(book, { invoice, document, deleted: false });
    },
    remove(apiKey: string, id: string): void {
      const book = bookOf(apiKey);
      const { invoice } = entryOf(book, id);
      changed(book, { invoice, document: null, deleted: true });
    },
    read: (apiKey: string | null, id: string): SandboxInvoice => entryOf(bookOf(apiKey), id).invoice,
    documentOf(apiKey: string | null, id: string): StoredDocument {
      const { document } = entryOf(bookOf(apiKey), id);
      if (!document) throw new Refusal(404, 'not_found', 'this invoice has no document');
      return document;
    },

    /** A page of what changed at or after the moment, after the position, oldest first. */
    changes(apiKey: string | null, { since, after, limit }: { since: number; after: number; limit: number }) {
      const found = [...bookOf(apiKey).entries.values()].filter(
        (entry) => entry.sequence > after && Date.parse(entry.invoice.updated_at) >= since,
      );
      return { page: found.slice(0, limit), more: found.length > limit };
    },

    /** Keeps what the platform says of an invoice. @throws Refusal 409 `already_in_status`, 400 `invalid_transition` */
    feedBack(apiKey: string | null, id: string, given: { outcome: string; ticket: unknown; poRef: unknown }): void {
      const book = bookOf(apiKey);
      const { invoice, document } = entryOf(book, id);
      const same =
        invoice.status === given.outcome && JSON.stringify(invoice['ticket']) === JSON.stringify(given.ticket);
      book.feedback.push({ invoiceId: id, ...given, at: new Date().toISOString(), changed: !same });
      if (book.feedback.length > mostFeedback) book.feedback.shift();
      if (same) throw new Refusal(409, 'already_in_status', `the invoice is ${given.outcome} already`);
      if (given.outcome === 'reversed' && invoice.status !== 'taken_in_charge') {
        throw new Refusal(400, 'invalid_transition', `an invoice that is ${invoice.status} can't be reversed`);
      }
      changed(book, { invoice: { ...invoice, status: given.outcome, ticket: given.ticket }, document, deleted: false });
    },
    feedbackOf: (apiKey: string): ReceivedFeedback[] => bookOf(apiKey).feedback,
  };
}

function sizeOf(entry: { document: StoredDocument | null } | undefined): number {
  return entry?.document?.bytes.length ?? 0;
}

function describe(document: StoredDocument | null) {
  if (!document) return null;
  const { name, type, bytes } = document;
  return { name, type, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
