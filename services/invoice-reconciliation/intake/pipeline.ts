// Why it is so: docs/decisions/invoice-pipeline-in-one-write.md
import type { CanonicalInvoice, HeardStatuses } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { KnownAccounts } from '@app/matching';
import type { InvoiceFormat, InvoiceReader } from '@app/providers';
import type { Logger } from '@app/runtime';
import { requestFeedback } from '../feedback/feedback.ts';
import { isDuplicateLookupKey } from '../invoices/duplicates.ts';
import {
  chainDecisions,
  type Decision,
  type Invoice,
  type State,
  type StepName,
  unchanged,
} from '../invoices/invoice.ts';
import { mayMove } from '../invoices/state-machine.ts';
import type { MatchQueries } from '../matching/match-query-store.ts';
import type { Matcher } from '../matching/matcher.ts';
import { identified, supplierOf } from '../matching/supplier-rules.ts';
import { matched, rematched } from '../matching/ticket-rules.ts';
import { latestOrder } from '../matching/ticket-target.ts';
import type { TicketProjectionStore } from '../projections/ticket-projection-store.ts';
import { isStorageOutage, type PayloadReader } from './payload-reader.ts';
import { continueLater, failed, normalized, unmappable } from './pipeline-rules.ts';

/** What the pipeline needs of a provider: how to read its payloads, and what it takes as feedback. */
export type PayloadProvider = {
  capabilities: { statuses: HeardStatuses; reversal: boolean };
  format: InvoiceFormat;
};

type Deps = {
  payloads: Pick<PayloadReader, 'read'>;
  tickets: Pick<TicketProjectionStore, 'find'>;
  queries: Pick<MatchQueries, 'duplicateCandidates' | 'creditsRefused'>;
  matcher: Pick<Matcher, 'findSupplier' | 'findTicket'>;
  providerOf: (key: string) => PayloadProvider | null;
  reader: Pick<InvoiceReader, 'read'>;
  /** Delays between the attempts of a step that fails. */
  retryDelaysMs: readonly number[];
  logger: Logger;
  now: () => Date;
};

type Unread = Pick<Invoice, 'client_id' | 'provider' | 'content'>;
/** What a step has read for later ones of the same run. */
type Seen = { accounts: KnownAccounts | null };
type Step = { name: StepName; run: (invoice: Invoice, seen: Seen) => Promise<Decision> };

/** Bounds the loop: no way through the state machine needs as many. */
const maxSteps = 12;

/**
 * Takes an invoice from step to step: read the content, find the supplier, find the ticket, request feedback. Each step reads
 * what its rule needs and returns the rule's decision; nothing is saved here.
 */
export class Pipeline {
  readonly #deps: Deps;
  readonly #steps: Partial<Record<State, Step>>;

  constructor(deps: Deps) {
    this.#deps = deps;
    const supplier: Step = { name: 'supplier', run: (invoice, seen) => this.#identify(invoice, seen) };
    const ticket: Step = { name: 'ticket', run: (invoice, seen) => this.#match(invoice, seen) };
    const feedback: Step = { name: 'feedback', run: (invoice) => this.#requestFeedback(invoice) };
    this.#steps = {
      received: { name: 'normalize', run: (invoice) => this.#normalize(invoice) },
      normalized: supplier,
      supplier_matched: ticket,
      supplier_unmatched: ticket,
      ticket_matched: feedback,
      linked: feedback,
    };
  }

  /** Runs all steps until the invoice comes to rest. @returns all changes and events as one decision, to save in one write */
  async run(start: Decision): Promise<Decision> {
    let decision = start;
    const seen: Seen = { accounts: null };
    for (let count = 0; count < maxSteps; count++) {
      const { invoice } = decision;
      const step = this.#steps[invoice.state];
      if (!step) return decision;
      const next = await this.#attempt(step, invoice, seen);
      if (next === 'later') return chainDecisions(decision, (one) => continueLater(one, this.#deps.now()));
      if (next.invoice === invoice) return decision;
      decision = { invoice: next.invoice, events: [...decision.events, ...next.events] };
    }
    throw new Error(`invoice ${start.invoice._id} does not come to rest`);
  }

  /** Matches an invoice of the queue again. */
  async rematch(invoice: Invoice): Promise<Decision> {
    if (invoice.state !== 'ticket_unmatched' || invoice.canonical === null) return unchanged(invoice);
    const { matcher, now } = this.#deps;
    // One that was never linked was compared with all earlier invoices before: only a later one can be its duplicate.
    const wasLinked = invoice.line_version > 0;
    const [duplicates, found] = await Promise.all([
      wasLinked ? this.#duplicateCandidates(invoice) : [],
      matcher.findSupplier(invoice),
    ]);
    const match = await matcher.findTicket(invoice, found.supplier, found.accounts);
    const { target } = match;
    const after = rematched(invoice, { duplicates, ...found, ...match }, now());
    if (!target || after.invoice.state !== 'ticket_matched') return after;
    return chainDecisions(after, (one) => requestFeedback(one, target, now()));
  }

  /** The canonical form of the content; null if it cannot be read. @throws AppError overloaded `reader_busy` */
  async read(content: Unread): Promise<CanonicalInvoice | null> {
    try {
      return (await this.#readContent(content)).canonical;
    } catch (error) {
      if (isUnreadable(error)) return null;
      throw error;
    }
  }

  async #attempt({ name, run }: Step, invoice: Invoice, seen: Seen): Promise<Decision | 'later'> {
    const { logger, retryDelaysMs: delaysMs, now } = this.#deps;
    try {
      return await run(invoice, seen);
    } catch (error) {
      if (isBusy(error)) return 'later';
      // An outage is no failure of the invoice: the message is delivered again, or the background worker tries again.
      if (isStorageOutage(error) || !mayMove(invoice, 'fail')) throw error;
      logger.warn('a step of an invoice failed', { invoiceId: invoice._id, step: name, error });
      const code = error instanceof AppError ? error.code : 'internal_error';
      return failed(invoice, { step: name, code, delaysMs }, now());
    }
  }

  async #normalize(invoice: Invoice): Promise<Decision> {
    try {
      return normalized(invoice, await this.#readContent(invoice), this.#deps.now());
    } catch (error) {
      if (isUnreadable(error)) return unmappable(invoice, error, this.#deps.now());
      throw error;
    }
  }

  /** @throws AppError invalid with a code of `unreadable`, overloaded `reader_busy` */
  async #readContent({ client_id, provider, content }: Unread) {
    const known = this.#deps.providerOf(provider);
    if (!known) throw new AppError('invalid', 'unmappable', `there is no provider ${provider}`);
    let damaged = false;
    const canonical = await this.#deps.reader.read({
      format: known.format,
      owner: client_id,
      withPayload: (use) =>
        this.#deps.payloads.read(content, (files) => {
          damaged = files.damaged;
          return use(files);
        }),
    });
    return { canonical, damaged };
  }

  async #identify(invoice: Invoice, seen: Seen): Promise<Decision> {
    const [duplicates, found] = await Promise.all([
      this.#duplicateCandidates(invoice),
      this.#deps.matcher.findSupplier(invoice),
    ]);
    seen.accounts = found.accounts;
    const creditsRefused = await this.#deps.queries.creditsRefused(invoice, found.numbers.siren);
    return identified(invoice, { duplicates, ...found, creditsRefused }, this.#deps.now());
  }

  async #match(invoice: Invoice, { accounts }: Seen): Promise<Decision> {
    const { matcher, now } = this.#deps;
    const match = await matcher.findTicket(invoice, supplierOf(invoice), accounts);
    const { target } = match;
    const after = matched(invoice, match, now());
    return target ? chainDecisions(after, (one) => requestFeedback(one, target, now())) : after;
  }

  async #requestFeedback(invoice: Invoice): Promise<Decision> {
    const { providerOf, tickets, now } = this.#deps;
    const heard = providerOf(invoice.provider)?.capabilities.statuses ?? {};
    const id = String(invoice.ticket_id);
    const projection = await tickets.find(invoice.client_id, id);
    const number = projection?.ticket.number ?? invoice.feedback?.ticket?.number ?? id;
    const po_ref = projection ? latestOrder(projection) : null;
    return requestFeedback(invoice, { heard, ticket: { id, number }, po_ref }, now());
  }

  #duplicateCandidates(invoice: Invoice) {
    return this.#deps.queries.duplicateCandidates(invoice, invoice.keys.lookupKeys.filter(isDuplicateLookupKey));
  }
}

/** Codes of content that can never be read. */
const unreadable = ['unmappable', 'document_refused'];

function isUnreadable(error: unknown): error is AppError {
  return error instanceof AppError && unreadable.includes(error.code);
}

/**
 * True if the reader is occupied with slow documents of the same company; this invoice must not
 * delay others meanwhile.
 */
export function isBusy(error: unknown): boolean {
  return error instanceof AppError && error.code === 'reader_busy';
}
