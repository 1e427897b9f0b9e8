import type { CanonicalInvoice, InvoiceFetched, InvoiceSupplier } from '@app/contracts';
import { newId } from '@app/kernel';
import { requestRefusalAgain, requestReversal } from '../feedback/feedback.ts';
import { desiredClaims, lookupKeys } from '../invoices/duplicates.ts';
import { type FetchTime, fetchTimeOf, isLater, refetchedAt } from '../invoices/fetch-order.ts';
import {
  type Content,
  chainDecisions,
  changed,
  type Decision,
  type FieldChange,
  filesOf,
  type Invoice,
  type InvoiceFlag,
  noKeys,
  unchanged,
  withFlags,
  withReason,
} from '../invoices/invoice.ts';
import { lineChanged } from '../invoices/invoice-line.ts';
import { deletedStatus, hasEnded } from '../invoices/provider-status.ts';
import { begin, mayMove, move } from '../invoices/state-machine.ts';
import { statusOf } from '../lifecycle/received-status.ts';
import { isLinkClaim } from '../matching/ticket-target.ts';

/** An invoice that the connection service fetched. `resync`: a person asked for it. */
export type FetchedInvoice = Pick<
  InvoiceFetched,
  'client_id' | 'connection_id' | 'provider' | 'external_id' | 'resync'
> & {
  content: Content;
};

/** A fetched invoice with its canonical form; null if the content cannot be read. */
type ReadInvoice = { fetched: FetchedInvoice; canonical: CanonicalInvoice | null };

/**
 * What a fetch means for a known invoice. `stale`: outdated, or delivered twice. `same`: unchanged. `restart`: begin again
 * with `received`. `ask_again`: request feedback again after it failed. `compare`: changed content of a linked or concluded invoice.
 */
type RefetchEffect = 'stale' | 'same' | 'restart' | 'ask_again' | 'compare';

/** A new invoice, in state `received`. */
export function received(fetched: FetchedInvoice, at: Date): Decision {
  const { client_id, connection_id, provider, external_id, content } = fetched;
  const own = { _id: newId(at), client_id, connection_id, provider, external_id, content };
  return begin({ ...own, ...blank, state: 'received', version: 0, created_at: at, updated_at: at });
}

export function effectOf(invoice: Invoice, { content, resync }: FetchedInvoice): RefetchEffect {
  if (!isLater(fetchTimeOf(content), fetchTimeOf(invoice.content))) return 'stale';
  const same = isSame(invoice.content, content) && invoice.provider_status !== deletedStatus;
  if (same && !resync) return 'same';
  if (invoice.ticket_id === null && !invoice.conclusion) return 'restart';
  if (!same) return 'compare';
  return mayAskAgain(invoice) ? 'ask_again' : 'same';
}

/** What the provider was last told failed, and still stands. */
export function mayAskAgain({ state, conclusion, flags }: Invoice): boolean {
  return state === 'error' || (conclusion?.outcome === 'refused' && flags.includes('refusal_failed'));
}

/** The invoice, whose files are gone, with those of an equal fetch. */
export function withFilesOf(invoice: Invoice, { content }: FetchedInvoice): Invoice {
  const { raw, document } = content;
  return isSame(invoice.content, content) ? { ...invoice, content: { ...invoice.content, raw, document } } : invoice;
}

/** The invoice with the list of files that its new content replaced: they are removed after the write. */
export function withReplacedFiles(before: Invoice, after: Invoice): Invoice {
  const replaced = filesNotIn([...(before.replaced_files ?? []), ...filesOf(before.content)], after.content);
  return replaced.length > 0 ? { ...after, replaced_files: replaced } : after;
}

/** Those of the files that the content does not have. */
export function filesNotIn(files: readonly string[], content: Content): string[] {
  const kept = filesOf(content);
  return files.filter((key) => !kept.includes(key));
}

/** The same content was fetched again: nothing to publish, but what was fetched before is outdated from now on. */
export function refetchedUnchanged(invoice: Invoice, { content }: FetchedInvoice): Decision {
  const seen = { content: refetchedAt(invoice.content, fetchTimeOf(content)), version: invoice.version + 1 };
  return { invoice: { ...invoice, ...seen }, events: [] };
}

/**
 * Begins again with `received`. If the content is the same, the files of the first fetch are kept. Review reasons that an
 * operator has overridden stay so unless amount, supplier or account changed. A reversal that the provider did not take is
 * requested again.
 */
export function restart(invoice: Invoice, { fetched, canonical: read }: ReadInvoice, at: Date): Decision {
  const { content, connection_id } = fetched;
  const same = isSame(invoice.content, content);
  const kept = same ? refetchedAt(invoice.content, fetchTimeOf(content)) : content;
  const keepsOverrides = same || (read !== null && !isMaterialChange(invoice.canonical, read));
  const acknowledged = keepsOverrides ? invoice.acknowledged : [];
  // Claims are released: other content may have another number or document.
  const set = { ...unmatched, content: kept, connection_id, acknowledged, failure: null };
  const reason = same ? 'asked for again' : 'the provider has other content';
  const begun = move(invoice, { trigger: 'restart', at, reason, set });
  return chainDecisions(begun, (one) => requestReversal(one, at, { again: true }));
}

/** The provider did not accept the feedback on the link or the refusal, which stands: it is requested again. */
export function requestFeedbackAgain(invoice: Invoice, { content, connection_id }: FetchedInvoice, at: Date): Decision {
  const set = { content: refetchedAt(invoice.content, fetchTimeOf(content)), connection_id };
  const { conclusion } = invoice;
  if (conclusion?.outcome === 'refused') {
    const flags = invoice.flags.filter((flag) => flag !== 'refusal_failed');
    return chainDecisions(changed(invoice, { ...set, flags }, at), (one) => requestRefusalAgain(one, at));
  }
  return move(invoice, { trigger: 'ask_again', at, reason: 'asked for again', set });
}

/**
 * Applies changed content to a linked invoice, which stays on its ticket, or to a concluded one, which stays concluded. Changes of amounts, supplier or account, and content
 * that cannot be read, need a person; a changed number updates the line on the ticket.
 */
export function updateLinked(invoice: Invoice, { fetched, canonical }: ReadInvoice, at: Date): Decision {
  const { content, connection_id } = fetched;
  if (canonical === null || isMaterialChange(invoice.canonical, canonical)) {
    const reason = canonical === null ? 'the new content cannot be read' : 'amount, supplier or account changed';
    const read = canonical && { canonical, provider_status: statusOf(invoice, canonical.providerStatus) };
    const kept = read && { ...read, ...keysAndClaims(invoice, { ...read, content }) };
    const reasons = withReason(invoice, 'changed_after_link');
    const trigger = invoice.conclusion ? 'change_after_conclusion' : 'change_after_link';
    const changes = changesSince(invoice, canonical);
    const set = { content, connection_id, reasons, changes, ...kept, conclusion: null };
    const moved = move(invoice, { trigger, at, reason, set });
    return chainDecisions(moved, (one) => requestReversal(one, at));
  }
  const read = { content, canonical };
  const provider_status = statusOf(invoice, canonical.providerStatus);
  const kept = { ...read, ...keysAndClaims(invoice, read), connection_id, provider_status };
  const others = invoice.flags.filter((flag) => flag !== 'provider_status');
  const flags: InvoiceFlag[] = hasEnded(provider_status) ? [...others, 'provider_status'] : others;
  const isLineChanged = invoice.ticket_id !== null && canonical.number !== invoice.canonical?.number;
  const line_version = invoice.line_version + (isLineChanged ? 1 : 0);
  const { invoice: after } = changed(invoice, { ...kept, flags, line_version }, at);
  return { invoice: after, events: isLineChanged ? [lineChanged(after, at)] : [] };
}

/**
 * The provider has deleted the invoice. A linked one gets a flag, any other one needs a person. Content that was fetched
 * before the deletion is outdated, however late it arrives.
 */
export function deletedAtProvider(invoice: Invoice, deleted: FetchTime, at: Date): Decision {
  const known = fetchTimeOf(invoice.content);
  if (isLater(known, deleted)) return unchanged(invoice);
  const content = refetchedAt(invoice.content, deleted);
  if (invoice.provider_status === deletedStatus) {
    return isLater(deleted, known) ? changed(invoice, { content }, at) : unchanged(invoice);
  }
  const set = { content, provider_status: deletedStatus, flags: withFlags(invoice.flags, 'provider_status') };
  if (!mayMove(invoice, 'provider_status')) return changed(invoice, set, at);
  const released = { claims: [], suggestions: [], rematch_at: null };
  return move(invoice, {
    trigger: 'provider_status',
    at,
    reason: 'the provider has this invoice no more',
    set: { ...set, ...released, reasons: withReason(invoice, 'provider_status') },
  });
}

/** The differences from the invoice as it was when it was linked, or when a person last saw it. */
function changesSince(invoice: Invoice, after: CanonicalInvoice | null): FieldChange[] {
  const isInReview = invoice.reasons.includes('changed_after_link');
  const earlier = new Map((isInReview ? (invoice.changes ?? []) : []).map(({ field, before }) => [field, before]));
  if (after === null) return isInReview ? (invoice.changes ?? []) : [];
  const [known, read] = [comparedFields(invoice.canonical), comparedFields(after)];
  return Object.keys(read)
    .map((field) => ({
      field,
      before: earlier.has(field) ? (earlier.get(field) ?? null) : (known[field] ?? null),
      after: read[field] ?? null,
    }))
    .filter(({ before, after: now }) => before !== now);
}

function comparedFields(canonical: CanonicalInvoice | null): Record<string, string | number | null> {
  const { number = null, currency = null, amounts, supplier } = canonical ?? {};
  return {
    number,
    'amounts.ht': amounts?.ht ?? null,
    'amounts.tva': amounts?.tva ?? null,
    'amounts.ttc': amounts?.ttc ?? null,
    currency,
    'supplier.name': supplier?.name ?? null,
    'supplier.siren': supplier?.siren ?? null,
    'supplier.siret': supplier?.siret ?? null,
    'supplier.vatNumber': supplier?.vatNumber ?? null,
    'supplier.accounts': supplier?.accounts.join(', ') || null,
  };
}

/** Whether amounts, supplier or account changed, so that a person must look at the invoice. */
export function isMaterialChange(before: CanonicalInvoice | null, after: CanonicalInvoice): boolean {
  const material = (one: CanonicalInvoice | null) =>
    JSON.stringify([one?.amounts, one?.currency, one?.supplier.siren, one?.supplier.siret, one?.supplier.accounts]);
  return material(before) !== material(after) || isOtherSupplier(before?.supplier, after.supplier);
}

/** By VAT number, or by name if one of them has none. If both have a SIREN, that alone counts: the caller compares it. */
function isOtherSupplier(before: InvoiceSupplier | undefined, after: InvoiceSupplier): boolean {
  if (before?.siren && after.siren) return false;
  if (before?.vatNumber && after.vatNumber) return lettersOf(before.vatNumber) !== lettersOf(after.vatNumber);
  return lettersOf(before?.name) !== lettersOf(after.name);
}

function lettersOf(text: string | null | undefined): string {
  const plain = (text ?? '').normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  return plain.toUpperCase();
}

function isSame(a: Content, b: Content): boolean {
  return a.raw.hash === b.raw.hash && (a.document?.hash ?? null) === (b.document?.hash ?? null);
}

type Read = { canonical: CanonicalInvoice; content: Content };

/**
 * Lookup keys for the new content, without claims that only the old content justified. It claims nothing new: a conflict would
 * block the update, and the lookup keys find duplicates as well.
 */
function keysAndClaims({ keys, claims }: Invoice, read: Read): Pick<Invoice, 'keys' | 'claims'> {
  const desired = desiredClaims(read);
  return {
    keys: { ...keys, lookupKeys: lookupKeys(read.canonical, read.content.document?.hash ?? null) },
    claims: claims.filter((claim) => isLinkClaim(claim) || desired.includes(claim)),
  };
}

/** What reading and matching find out. */
const unmatched = {
  canonical: null,
  provider_status: null,
  supplier_id: null,
  supplier_ids: [],
  flags: [],
  reasons: [],
  suggestions: [],
  claims: [],
  rematch_at: null,
} satisfies Partial<Invoice>;

const blank = {
  ...unmatched,
  ticket_id: null,
  view_id: null,
  matched_by: null,
  line_version: 0,
  line_added_at: null,
  acknowledged: [],
  ...{
    refused_tickets: [],
    link_version: 0,
    feedback: null,
    failure: null,
    confirmed_accounts: null,
    confirmed_vat: null,
  },
  keys: noKeys,
  history: [],
  due_at: null,
} satisfies Partial<Invoice>;
