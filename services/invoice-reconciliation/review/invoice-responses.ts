import type { CanonicalInvoice, HeardStatuses } from '@app/contracts';
import { readIban } from '@app/kernel';
import type { InvoiceDetails } from '../comparison/related.ts';
import { currentOf, sendableOf } from '../feedback/statuses.ts';
import { type FoundAddress, withFoundAddress } from '../feedback/supplier-address.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { codedMove, codedReason } from '../invoices/reason-code.ts';

const unread = {
  supplier: { externalId: null, name: null, siret: null, siren: null, iban: null, accounts: [] },
  kind: null,
  number: null,
  issueDate: null,
  currency: null,
  amounts: null,
  vatBreakdown: [],
  matchHints: { poRef: null, ticketRef: null, orderRef: null },
  warnings: [],
};

/** An invoice as the API shows it. The content of an invoice that was never read is null. */
function invoiceResponse(invoice: Invoice): object {
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
export function queuedResponse(invoice: Invoice): object {
  return { ...invoiceResponse(invoice), flags: invoice.flags, suggestions: invoice.suggestions };
}

/** An invoice that waits for review or after an error, with the reasons. */
export function reviewedResponse(invoice: Invoice): object {
  return { ...queuedResponse(invoice), reasons: invoice.reasons, reasonCodes: invoice.reasons.map(codedReason) };
}

/** An invoice in any state, for lists. */
export function foundResponse(invoice: Invoice): object {
  return { ...reviewedResponse(invoice), conclusion: conclusionOf(invoice) };
}

function conclusionOf({ conclusion }: Invoice): object | null {
  if (!conclusion) return null;
  const { outcome, reason } = conclusion;
  const code = outcome === 'refused' ? conclusion.code : null;
  return { outcome, reason, code, invoiceId: outcome === 'duplicate_of' ? conclusion.invoice_id : null };
}

/** One invoice with its history and all that a person compares it with. */
export function detailedResponse(
  invoice: Invoice,
  { ticketDetails, related, ticketNumbers, knownAccounts, sharedAccounts, isApprovable }: InvoiceDetails,
  { heard, found }: { heard: HeardStatuses; found: FoundAddress },
): object {
  const { reasons, failure, feedback, ticket_id, view_id, history, rematch_at } = invoice;
  const own = ticket_id === null ? undefined : ticketDetails.get(ticket_id);
  return {
    ...foundResponse(invoice),
    suggestions: invoice.suggestions.map((one) => ({
      ...unknownTicket,
      ...ticketDetails.get(one.ticketId),
      ...one,
    })),
    view: view_id,
    linkedTicket: own ? { ticketId: ticket_id, viewId: view_id, ...own } : null,
    related: related.map(({ ticketId, ...other }) => {
      const number = ticketId === null ? undefined : ticketNumbers.get(ticketId);
      return { ...other, ticket: number === undefined ? null : { id: ticketId, number } };
    }),
    knownAccounts,
    sharedAccounts,
    // Whatever takes the reason away leaves the changes.
    changes: reasons.includes('changed_after_link') ? (invoice.changes ?? []) : [],
    rematchAt: rematch_at?.toISOString() ?? null,
    error: failure && { step: failure.step, code: failure.code, attempts: failure.attempts },
    feedback: feedback && { outcome: feedback.outcome, result: feedback.result },
    receivedStatuses: receivedOf(invoice),
    supplierStatus: {
      ...toldOf(invoice),
      ...sendableOf(withFoundAddress(invoice, found), heard),
      receivesAt: found.address,
      directoryFailure: found.failure,
      suggested: isApprovable ? 'approved' : null,
    },
    history: historyOf(history),
  };
}

/** What the supplier was told, and what holds of it. */
function toldOf(invoice: Invoice) {
  const { provider_statuses: told = [] } = invoice;
  const history = told.map(({ status, result, reason, note, amount, date, action, by, failure, ...times }) => {
    const details = { reason, note, amount, date, action };
    const settledAt = times.settled_at?.toISOString() ?? null;
    return { status, result, ...details, failure, at: times.asked_at.toISOString(), settledAt, by: by && { id: by } };
  });
  return { current: currentOf(invoice)?.status ?? null, told: history };
}

/** One invoice by itself, for the export of its company. */
export function exportedInvoice(invoice: Invoice): object {
  const { view_id, failure, feedback, history } = invoice;
  return {
    ...foundResponse(invoice),
    view: view_id,
    error: failure && { step: failure.step, code: failure.code, attempts: failure.attempts },
    feedback: feedback && { outcome: feedback.outcome, result: feedback.result },
    receivedStatuses: receivedOf(invoice),
    supplierStatus: toldOf(invoice),
    history: historyOf(history),
  };
}

function receivedOf({ received_statuses = [] }: Invoice) {
  const shown = received_statuses.map(({ status, reasons, at }) => ({ status, reasons, at: at.toISOString() }));
  return shown.sort((one, other) => one.at.localeCompare(other.at));
}

function historyOf(history: Invoice['history']) {
  return history.map(({ at, signals = [], by = null, ...move }) => {
    return { at: at.toISOString(), ...move, reasonCodes: codedMove(move), signals, by };
  });
}

/** What a file of the invoice is called. */
export function documentName({ canonical, external_id }: Invoice, type: string): string {
  return `${canonical?.number ?? external_id}${endings[type] ?? ''}`;
}

const endings: Record<string, string> = {
  'application/pdf': '.pdf',
  'application/xml': '.xml',
  'application/json': '.json',
  'text/xml': '.xml',
  'image/png': '.png',
  'image/jpeg': '.jpg',
};

const unknownTicket = { status: null, contractor: null, location: null, quotes: [], orders: [], invoiced: [] };

function contentOf({ supplier, ...canonical }: CanonicalInvoice): object {
  const { externalId, name, siret, siren, accounts } = supplier;
  const iban = accounts.find((account) => readIban(account) !== null) ?? accounts[0] ?? null;
  const { kind, number, issueDate, dueDate, currency, amounts, vatBreakdown, lines, matchHints, warnings } = canonical;
  return {
    supplier: { externalId, name, siret, siren, iban, accounts },
    kind,
    number,
    issueDate,
    ...(dueDate === null ? {} : { dueDate }),
    currency,
    amounts,
    vatBreakdown,
    ...(lines.length === 0 ? {} : { lines }),
    matchHints,
    warnings,
  };
}

function documentOf({ content: { document } }: Invoice): object {
  return document === null ? {} : { document: { mime: document.type, ref: document.key, hash: document.hash } };
}
