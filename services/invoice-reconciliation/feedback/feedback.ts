import {
  detailFaults,
  type FeedbackRequested,
  type FeedbackSettled,
  type HeardStatuses,
  type InvoiceStatus,
  invoiceFeedbackRequested,
  type NewEvent,
  noDetails,
  obstacleSentence,
  obstacleTo,
  type ReportedLink,
  type StatusDetails,
} from '@app/contracts';
import { AppError, ValidationError } from '@app/kernel';
import {
  chainDecisions,
  changed,
  type Decision,
  type Feedback,
  type Invoice,
  type ProviderStatus,
  unchanged,
  withFlags,
} from '../invoices/invoice.ts';
import { lineChanged } from '../invoices/invoice-line.ts';
import { move } from '../invoices/state-machine.ts';
import { factsOf, isRepeated, withAsked, withoutRefusal, withSettled } from './statuses.ts';

/** The link that is reported to a provider, and what the provider takes. */
export type FeedbackTarget = ReportedLink & { heard: HeardStatuses };

/**
 * Requests feedback on a link, under the next `link_version`. If the supplier cannot be told, an automatic match is done, and an
 * operator's link stays `linked`.
 */
export function requestFeedback(invoice: Invoice, target: FeedbackTarget, at: Date): Decision {
  if (!mayTakeInCharge(invoice, target.heard)) {
    return invoice.state === 'ticket_matched' ? move(invoice, { trigger: 'no_feedback', at }) : unchanged(invoice);
  }
  const { ticket, po_ref } = target;
  const { event, ...set } = request(invoice, { outcome: 'taken_in_charge', ticket, po_ref }, { at });
  const moved = move(invoice, { trigger: 'ask_feedback', at, set });
  return { invoice: moved.invoice, events: [...moved.events, event] };
}

/** By itself a supplier is told only between two French companies (B2B). */
function mayTakeInCharge(invoice: Invoice, heard: HeardStatuses): boolean {
  const isDomestic = (invoice.canonical?.lifeCycle?.rule ?? 'B2B') === 'B2B';
  return isDomestic && obstacleTo('taken_in_charge', factsOf(invoice, heard)) === null;
}

/** `by`: the person or ERP. `heard`: what the provider takes. */
type Telling = { heard: HeardStatuses; by: string; at: Date };

/**
 * A person or an ERP tells the supplier where the invoice stands. The same again, as long as it holds, changes nothing.
 * @throws AppError conflict `invoice_status_forbidden` if a rule forbids it; ValidationError if its fields are wrong
 */
export function requestStatus(
  invoice: Invoice,
  { status, details }: { status: InvoiceStatus; details: StatusDetails },
  { heard, by, at }: Telling,
): Decision {
  if (isRepeated(invoice, status, details)) return unchanged(invoice);
  assertSendable(invoice, status, heard);
  const ht = invoice.canonical?.amounts.ht ?? 0;
  const faults = detailFaults(status, details, { heard, ht, today: at.toISOString().slice(0, 10) });
  if (faults.length > 0) throw new ValidationError(faults);
  const asked = { outcome: status, ticket: null, po_ref: null };
  const { event, feedback, ...told } = request(invoice, asked, { at, by, details });
  // A refusal is taken back like a link; all other statuses stand beside both.
  const set = { ...told, ...(status === 'refused' && { feedback }) };
  const flags = invoice.flags.filter((flag) => flag !== 'status_failed' && flag !== 'refusal_failed');
  return { invoice: changed(invoice, { ...set, flags }, at).invoice, events: [event] };
}

/** The last refusal once more, after it failed. */
export function requestRefusalAgain(invoice: Invoice, at: Date): Decision {
  const last = invoice.provider_statuses?.findLast(({ status }) => status === 'refused');
  if (!last) return unchanged(invoice);
  const { reason, note, amount, date, action, by } = last;
  const details = { reason, note, amount, date, action };
  const asked = { outcome: 'refused', ticket: null, po_ref: null } as const;
  const { event, ...set } = request(invoice, asked, { at, details, by });
  return { invoice: changed(invoice, set, at).invoice, events: [event] };
}

/** @throws AppError conflict `invoice_status_forbidden` */
export function assertSendable(invoice: Invoice, status: InvoiceStatus, heard: HeardStatuses): void {
  const facts = factsOf(invoice, heard);
  const obstacle = invoice.canonical === null ? 'not_sendable' : obstacleTo(status, facts);
  if (obstacle === null) return;
  const message = `the supplier can't be told ${status}: ${obstacleSentence(obstacle, facts)}`;
  throw new AppError('conflict', 'invoice_status_forbidden', message, { details: { status, rule: obstacle } });
}

/** Applies the result of a request. Results of requests that have one, or that another one replaced, change nothing. */
export function applyFeedbackResult(before: Invoice, settled: FeedbackSettled, at: Date): Decision {
  const { provider_statuses: told = [] } = before;
  const statuses = withSettled(told, settled, at);
  if (statuses === told) return applyLinkResult(before, settled, at);
  const isOfLink = settled.outcome === 'taken_in_charge' || settled.outcome === 'refused';
  const failed = !isOfLink && settled.result === 'failed';
  const flags = failed ? withFlags(before.flags, 'status_failed') : before.flags;
  const set = { provider_statuses: statuses, flags };
  const invoice = { ...before, ...set };
  const applied = applyLinkResult(invoice, settled, at);
  const noted = applied.invoice === invoice ? changed(before, set, at) : applied;
  return isOfLink || failed ? noted : chainDecisions(noted, (one) => withStatusOnLine(one, at));
}

/** Both parties read on the ticket what the supplier was told. */
function withStatusOnLine(invoice: Invoice, at: Date): Decision {
  if (invoice.ticket_id === null) return unchanged(invoice);
  const { invoice: after } = changed(invoice, { line_version: invoice.line_version + 1 }, at);
  return { invoice: after, events: [lineChanged(after, at)] };
}

/** Applies the result of the last request about a link or a refusal. */
function applyLinkResult(invoice: Invoice, settled: FeedbackSettled, at: Date): Decision {
  const { feedback } = invoice;
  if (feedback?.version !== settled.link_version || feedback.outcome !== settled.outcome) return unchanged(invoice);
  if (feedback.result !== 'pending') return unchanged(invoice);
  const updated = { ...feedback, result: settled.result };
  if (invoice.state === 'feedback_pending' && feedback.outcome === 'taken_in_charge') {
    if (settled.result === 'sent') return accepted(invoice, updated, at);
    // Nobody can be told, which is no failure of the link.
    if (settled.unsendable) return move(invoice, { trigger: 'no_feedback', at, set: { feedback: updated } });
    return refused(invoice, { updated, settled }, at);
  }
  const failure = settled.outcome === 'refused' ? ('refusal_failed' as const) : ('reversal_failed' as const);
  const isFailed = settled.outcome !== 'taken_in_charge' && settled.result === 'failed';
  const flags = isFailed ? withFlags(invoice.flags, failure) : invoice.flags;
  // An operator may have unlinked or reopened the invoice while the request was under way: only now it is known
  // whether what the provider was told must be reversed.
  return chainDecisions(changed(invoice, { feedback: updated, flags }, at), (one) => requestReversal(one, at));
}

/**
 * Requests the reversal of the last link or refusal, if it stands no more and the provider knows of it. `again`: also if
 * the provider did not take the last such request.
 */
export function requestReversal(invoice: Invoice, at: Date, { again = false } = {}): Decision {
  const { feedback, provider_statuses: told = [] } = invoice;
  const isReported = feedback !== null && feedback.result !== 'pending' && isKnown(feedback);
  if (!isReported || (feedback.outcome === 'reversed' && !again) || stands(invoice, feedback))
    return unchanged(invoice);
  const { ticket, po_ref } = feedback;
  const { event, ...set } = request(invoice, { outcome: 'reversed', ticket, po_ref }, { at });
  const statuses = ticket === null ? { provider_statuses: withoutRefusal(told) } : {};
  return { invoice: changed(invoice, { ...set, ...statuses }, at).invoice, events: [event] };
}

function stands({ ticket_id, conclusion }: Invoice, { outcome }: Feedback): boolean {
  return outcome === 'refused' ? conclusion?.outcome === 'refused' : ticket_id !== null;
}

function accepted(invoice: Invoice, feedback: Feedback, at: Date): Decision {
  const sent = move(invoice, { trigger: 'feedback_accepted', at, set: { feedback } });
  return chainDecisions(sent, (one) =>
    move(one, { trigger: 'confirm', at, reason: 'the provider needs to confirm nothing more' }),
  );
}

type Refused = { updated: Feedback; settled: FeedbackSettled };

/** The link stands; only a resync requests the feedback again. */
function refused(invoice: Invoice, { updated, settled }: Refused, at: Date): Decision {
  const from = invoice.matched_by === 'operator' ? 'linked' : 'ticket_matched';
  const failure = { step: 'feedback', code: 'feedback_failed', attempts: 1, from } as const;
  const reason = settled.reason ?? 'the provider could not be told';
  return move(invoice, { trigger: 'feedback_refused', at, reason, set: { feedback: updated, failure } });
}

/** Links whose feedback failed that are remembered, since the last one that was accepted. */
const maxReportedLinks = 20;

/** Whether the provider has accepted a link or a refusal, and no reversal since. A failed request changes nothing of that. */
function isKnown(last: Feedback | null): boolean {
  return last?.result === 'sent' ? last.outcome !== 'reversed' : (last?.accepted_before ?? false);
}

/** The links that the provider may have: the last accepted one, which replaced all before, and failed ones since. */
function reportedLinks(last: Feedback | null): ReportedLink[] {
  if (last === null || (last.result === 'sent' && last.outcome === 'reversed')) return [];
  const own = last.ticket === null ? [] : [{ ticket: last.ticket, po_ref: last.po_ref }];
  const isOnly = last.result === 'sent' && last.ticket !== null;
  return isOnly ? own : [...(last.earlier_links ?? []), ...own].slice(-maxReportedLinks);
}

type Wanted = Pick<Feedback, 'outcome' | 'ticket' | 'po_ref'>;
type Asking = { at: Date; by?: string | null; details?: StatusDetails };

function request(invoice: Invoice, { outcome, ticket, po_ref }: Wanted, { at, by, details = noDetails }: Asking) {
  const version = invoice.link_version + 1;
  const earlier_links = reportedLinks(invoice.feedback).filter(
    (link) => link.ticket.number !== ticket?.number || link.po_ref !== po_ref,
  );
  const accepted_before = isKnown(invoice.feedback);
  const links = { ticket, po_ref, earlier_links };
  const feedback: Feedback = { version, outcome, result: 'pending', accepted_before, ...links };
  const told = { version, details, by: by ?? null, at };
  const statuses = outcome === 'reversed' ? null : withAsked(invoice, { ...told, status: outcome });
  const event = invoiceFeedbackRequested(
    requestOf(invoice, feedback, statuses?.at(-1) ?? { ...noDetails, key: `reversed/${version}`, asked_at: at }),
    at,
    invoice._id,
  );
  return { feedback, link_version: version, event, ...(statuses && { provider_statuses: statuses }) };
}

type Said = StatusDetails & Pick<ProviderStatus, 'key' | 'asked_at'>;

function requestOf(
  invoice: Invoice,
  { version: link_version, ...feedback }: Pick<Feedback, 'version' | 'outcome' | 'ticket' | 'po_ref' | 'earlier_links'>,
  { reason, note, amount, date, action, key, asked_at }: Said,
): FeedbackRequested {
  const { _id: invoice_id, client_id, connection_id, provider, external_id } = invoice;
  const { outcome, ticket, po_ref, earlier_links = [] } = feedback;
  const said = { details: { reason, note, amount, date, action }, asked_at: asked_at.toISOString(), key };
  const about = { invoice_id, client_id, connection_id, provider, external_id, link_version };
  return { ...about, outcome, ticket, po_ref, ...said, earlier_links };
}

/** Requests once more that have no result yet: after a restore, they or their results may be lost. */
export function pendingRequests(invoice: Invoice, at: Date): NewEvent[] {
  const { feedback, provider_statuses: told = [] } = invoice;
  const again = (asked: FeedbackRequested) => invoiceFeedbackRequested({ ...asked, again: true }, at, invoice._id);
  const pending = told.filter(({ result }) => result === 'pending');
  const ofStatuses = pending.map((one) => {
    const own = { version: one.version, outcome: one.status, ticket: null, po_ref: null };
    return again(requestOf(invoice, one.version === feedback?.version ? feedback : own, one));
  });
  if (feedback?.outcome !== 'reversed' || feedback.result !== 'pending') return ofStatuses;
  const said = { ...noDetails, key: `reversed/${feedback.version}`, asked_at: at };
  return [...ofStatuses, again(requestOf(invoice, feedback, said))];
}
