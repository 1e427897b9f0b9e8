import {
  type FeedbackRequested,
  type FeedbackSettled,
  invoiceFeedbackRequested,
  type NewEvent,
  type Refusal,
  type ReportedLink,
} from '@app/contracts';
import {
  chainDecisions,
  changed,
  type Decision,
  type Feedback,
  type Invoice,
  unchanged,
  withFlags,
} from '../invoices/invoice.ts';
import { move } from '../invoices/state-machine.ts';

/** The link that is reported to a provider, and whether the provider takes feedback. */
export type FeedbackTarget = ReportedLink & { hasFeedback: boolean };

/**
 * Requests feedback on a link, under the next `link_version`. If the provider takes none, an automatic match is done, and an
 * operator's link stays `linked`.
 */
export function requestFeedback(invoice: Invoice, target: FeedbackTarget, at: Date): Decision {
  if (!target.hasFeedback) {
    return invoice.state === 'ticket_matched' ? move(invoice, { trigger: 'no_feedback', at }) : unchanged(invoice);
  }
  const { feedback, link_version, event } = request(invoice, { outcome: 'taken_in_charge', ...target }, at);
  const moved = move(invoice, { trigger: 'ask_feedback', at, set: { feedback, link_version } });
  return { invoice: moved.invoice, events: [...moved.events, event] };
}

/** Requests that the provider is told of a refusal, under the next `link_version`. */
export function requestRefusal(invoice: Invoice, refusal: Refusal, at: Date): Decision {
  const { event, ...set } = request(invoice, { outcome: 'refused', ticket: null, po_ref: null, refusal }, at);
  return { invoice: changed(invoice, set, at).invoice, events: [event] };
}

/** Applies the result of the last request. Results of earlier requests and repeated ones change nothing. */
export function applyFeedbackResult(invoice: Invoice, settled: FeedbackSettled, at: Date): Decision {
  const { feedback } = invoice;
  if (feedback?.version !== settled.link_version || feedback.outcome !== settled.outcome) return unchanged(invoice);
  if (feedback.result !== 'pending') return unchanged(invoice);
  const updated = { ...feedback, result: settled.result };
  if (invoice.state === 'feedback_pending' && feedback.outcome === 'taken_in_charge') {
    return settled.result === 'sent' ? accepted(invoice, updated, at) : refused(invoice, { updated, settled }, at);
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
  const { feedback } = invoice;
  const isReported = feedback !== null && feedback.result !== 'pending' && isKnown(feedback);
  if (!isReported || (feedback.outcome === 'reversed' && !again) || stands(invoice, feedback))
    return unchanged(invoice);
  const { ticket, po_ref, refusal } = feedback;
  const { event, ...set } = request(invoice, { outcome: 'reversed', ticket, po_ref, ...(refusal && { refusal }) }, at);
  return { invoice: changed(invoice, set, at).invoice, events: [event] };
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

function request(invoice: Invoice, wanted: Pick<Feedback, 'outcome' | 'ticket' | 'po_ref' | 'refusal'>, at: Date) {
  const { outcome, ticket, po_ref, refusal } = wanted;
  const link_version = invoice.link_version + 1;
  const earlier_links = reportedLinks(invoice.feedback).filter(
    (link) => link.ticket.number !== ticket?.number || link.po_ref !== po_ref,
  );
  const links = { ticket, po_ref, earlier_links, ...(refusal && { refusal }) };
  const accepted_before = isKnown(invoice.feedback);
  const feedback: Feedback = { version: link_version, outcome, result: 'pending', accepted_before, ...links };
  const event = invoiceFeedbackRequested(requestOf(invoice, feedback), at, invoice._id);
  return { feedback, link_version, event };
}

function requestOf(invoice: Invoice, { version: link_version, ...feedback }: Feedback): FeedbackRequested {
  const { _id: invoice_id, client_id, connection_id, provider, external_id } = invoice;
  const { outcome, ticket, po_ref, earlier_links = [], refusal } = feedback;
  const links = { ticket, po_ref, earlier_links, ...(refusal && { refusal }) };
  return { invoice_id, client_id, connection_id, provider, external_id, link_version, outcome, ...links };
}

/** The last request once more, if it has no result yet: after a restore, the request or its result may be lost. */
export function pendingRequest(invoice: Invoice, at: Date): NewEvent[] {
  const { feedback } = invoice;
  if (feedback?.result !== 'pending') return [];
  return [invoiceFeedbackRequested({ ...requestOf(invoice, feedback), again: true }, at, invoice._id)];
}
