import type { CanonicalInvoice } from '@app/contracts';
import type { Invoice } from '../invoices/invoice.ts';

const unread = {
  supplier: { externalId: null, name: null, siret: null, siren: null, iban: null },
  number: null,
  issueDate: null,
  currency: null,
  amounts: null,
  vatBreakdown: [],
  matchHints: { poRef: null, ticketRef: null, orderRef: null },
};

/** An invoice as the API shows it. The content of an invoice that was never read is null. */
function invoiceView(invoice: Invoice): object {
  const { canonical, supplier_id, created_at, updated_at } = invoice;
  return {
    id: invoice._id,
    client: invoice.client_id,
    connection: invoice.connection_id,
    provider: invoice.provider,
    externalId: invoice.external_id,
    ...(supplier_id === null ? {} : { supplierId: supplier_id }),
    ticket: invoice.ticket_id,
    ...(canonical === null ? unread : contentOf(canonical)),
    ...documentOf(invoice),
    providerStatus: invoice.provider_status,
    state: invoice.state,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  };
}

/** An invoice of the queue, with suggested tickets. */
export function queuedView(invoice: Invoice): object {
  return { ...invoiceView(invoice), flags: invoice.flags, suggestions: invoice.suggestions };
}

/** An invoice that waits for review or after an error, with the reasons. */
export function reviewedView(invoice: Invoice): object {
  return { ...queuedView(invoice), reasons: invoice.reasons };
}

/** One invoice, with its history. */
export function detailedView(invoice: Invoice): object {
  const { reasons, failure, feedback, view_id, history } = invoice;
  return {
    ...queuedView(invoice),
    view: view_id,
    reasons,
    error: failure && { step: failure.step, code: failure.code, attempts: failure.attempts },
    feedback: feedback && { outcome: feedback.outcome, result: feedback.result },
    history: history.map(({ at, from, to, reason }) => ({ at: at.toISOString(), from, to, reason })),
  };
}

function contentOf({ supplier, ...canonical }: CanonicalInvoice): object {
  const { externalId, name, siret, siren, iban } = supplier;
  const { number, issueDate, dueDate, currency, amounts, vatBreakdown, lines, matchHints } = canonical;
  return {
    supplier: { externalId, name, siret, siren, iban },
    number,
    issueDate,
    ...(dueDate === null ? {} : { dueDate }),
    currency,
    amounts,
    vatBreakdown,
    ...(lines.length === 0 ? {} : { lines }),
    matchHints,
  };
}

function documentOf({ content: { document } }: Invoice): object {
  return document === null ? {} : { document: { mime: document.type, ref: document.key, hash: document.hash } };
}
