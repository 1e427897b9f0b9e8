import type { CanonicalInvoice } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { InvoiceFormat, InvoiceReader } from '@app/providers';
import type { Logger } from '@app/runtime';
import type { TicketCopies } from '../copies/ticket-copies-store.ts';
import { tellProvider } from './feedback.ts';
import type { Finder } from './find-ticket.ts';
import { isTwinKey } from './identity.ts';
import { type Decision, type Invoice, type State, type StepName, then, unchanged } from './invoice.ts';
import { mayMove, takenUpAfterMs } from './machine.ts';
import type { MatchStore } from './match-store.ts';
import { isStorageOutage, type Payloads } from './payload-store.ts';
import { orderOf } from './place.ts';
import { failed, identified, normalized, supplierKept, unmappable } from './steps.ts';
import { matched, rematched } from './ticket-steps.ts';

/** What reconciliation needs of a provider (libs/providers): the meaning of its payloads, and whether it can be told. */
export type KnownProvider = {
  capabilities: { feedback: boolean };
  format: InvoiceFormat;
};

export type ReconcileDeps = {
  payloads: Payloads;
  tickets: Pick<TicketCopies, 'find'>;
  invoices: Pick<MatchStore, 'twins'>;
  finder: Finder;
  providerOf: (key: string) => KnownProvider | null;
  reader: Pick<InvoiceReader, 'read'>;
  /** After which an error of ours is tried again, one after the other. */
  retryDelaysMs: readonly number[];
  logger: Logger;
  now: () => Date;
};

export type Reconcile = {
  /** Goes on from where the invoice is until it rests: all its moves in one decision, to be saved by one write. */
  settle(start: Decision): Promise<Decision>;
  /** An invoice of the queue, looked at again (row 19). */
  rematch(invoice: Invoice): Promise<Decision>;
  /** The canonical form of the content; null where it can't be read. @throws AppError overloaded `reader_busy` */
  read(content: Unread): Promise<CanonicalInvoice | null>;
};

type Unread = Pick<Invoice, 'client_id' | 'provider' | 'content'>;

type Step = { name: StepName; run: (invoice: Invoice) => Promise<Decision> };
/** More moves than any way through the table has. */
const mostSteps = 12;

/** The pipeline (domain.md section 5). It reads what a step needs, has the rule decide, and writes nothing itself. */
export function createReconcile(deps: ReconcileDeps): Reconcile {
  const { payloads, tickets, invoices, finder, providerOf, reader, logger, now } = deps;

  /** @throws AppError invalid, a code of `unreadable`, where it can't be read; overloaded `reader_busy` */
  async function readContent({ client_id, provider, content }: Unread) {
    const known = providerOf(provider);
    if (!known) throw new AppError('invalid', 'unmappable', `there is no provider ${provider}`);
    let damaged = false;
    const canonical = await reader.read({
      format: known.format,
      owner: client_id,
      withPayload: (use) =>
        payloads.read(content, (files) => {
          damaged = files.damaged;
          return use(files);
        }),
    });
    return { canonical, damaged };
  }

  async function normalize(invoice: Invoice): Promise<Decision> {
    try {
      return normalized(invoice, await readContent(invoice), now());
    } catch (error) {
      if (isUnreadable(error)) return unmappable(invoice, error, now());
      throw error;
    }
  }

  const twinsOf = (invoice: Invoice) => invoices.twins(invoice, invoice.keys.twins.filter(isTwinKey));

  async function identify(invoice: Invoice): Promise<Decision> {
    const [twins, facts] = await Promise.all([twinsOf(invoice), finder.supplier(invoice)]);
    return identified(invoice, { twins, ...facts }, now());
  }

  async function ticket(invoice: Invoice): Promise<Decision> {
    const found = await finder.ticket(invoice, supplierKept(invoice));
    const { place } = found;
    const after = matched(invoice, found, now());
    return place ? then(after, (one) => tellProvider(one, place, now())) : after;
  }

  async function tell(invoice: Invoice): Promise<Decision> {
    const hasFeedback = providerOf(invoice.provider)?.capabilities.feedback ?? false;
    const copy = await tickets.find(invoice.client_id, String(invoice.ticket_id));
    const number = copy?.facts.number ?? invoice.feedback?.ticket.number ?? String(invoice.ticket_id);
    const told = {
      hasFeedback,
      ticket: { id: String(invoice.ticket_id), number },
      po_ref: copy ? orderOf(copy) : null,
    };
    return tellProvider(invoice, told, now());
  }

  const steps: Partial<Record<State, Step>> = {
    received: { name: 'normalize', run: normalize },
    normalized: { name: 'supplier', run: identify },
    supplier_matched: { name: 'ticket', run: ticket },
    supplier_unmatched: { name: 'ticket', run: ticket },
    ticket_matched: { name: 'feedback', run: tell },
    linked: { name: 'feedback', run: tell },
  };

  async function attempt({ name, run }: Step, invoice: Invoice): Promise<Decision | 'later'> {
    try {
      return await run(invoice);
    } catch (error) {
      if (isBusy(error)) return 'later';
      // An outage is no failure of the invoice: whoever has it in hand, a message or the sweep, tries again.
      if (isStorageOutage(error) || !mayMove(invoice, 'fail')) throw error;
      logger.warn('a step of an invoice failed', { invoiceId: invoice._id, step: name, error });
      const code = error instanceof AppError ? error.code : 'internal_error';
      return failed(invoice, { step: name, code, delaysMs: deps.retryDelaysMs }, now());
    }
  }

  return {
    async settle(start) {
      let decision = start;
      for (let count = 0; count < mostSteps; count++) {
        const { invoice } = decision;
        const step = steps[invoice.state];
        if (!step) return decision;
        const next = await attempt(step, invoice);
        if (next === 'later') return then(decision, (one) => takenUpLater(one, now()));
        if (next.invoice === invoice) return decision;
        decision = { invoice: next.invoice, events: [...decision.events, ...next.events] };
      }
      throw new Error(`invoice ${start.invoice._id} does not come to rest`);
    },
    async rematch(invoice) {
      if (invoice.state !== 'ticket_unmatched' || invoice.canonical === null) return unchanged(invoice);
      // One that never was on a ticket has been compared as it is, and only what comes after it can be its copy.
      const wasPlaced = invoice.line_version > 0;
      const [twins, facts] = await Promise.all([wasPlaced ? twinsOf(invoice) : [], finder.supplier(invoice)]);
      const found = await finder.ticket(invoice, facts.supplier);
      const { place } = found;
      const after = rematched(invoice, { twins, ...facts, ...found }, now());
      if (!place || after.invoice.state !== 'ticket_matched') return after;
      return then(after, (one) => tellProvider(one, place, now()));
    },
    async read(content) {
      try {
        return (await readContent(content)).canonical;
      } catch (error) {
        if (isUnreadable(error)) return null;
        throw error;
      }
    },
  };
}

/** For good: what is missing or wrong in it, or why it is not read at all. */
const unreadable = ['unmappable', 'document_refused'];

function isUnreadable(error: unknown): error is AppError {
  return error instanceof AppError && unreadable.includes(error.code);
}

/** Documents of its company take long at the moment, and this one does not hold up those of others meanwhile. */
export function isBusy(error: unknown): boolean {
  return error instanceof AppError && error.code === 'reader_busy';
}

/** It stays where it is, as a crash would have left it, and the sweep goes on with it. */
function takenUpLater(invoice: Invoice, at: Date): Decision {
  return { invoice: { ...invoice, due_at: new Date(at.getTime() + takenUpAfterMs) }, events: [] };
}
