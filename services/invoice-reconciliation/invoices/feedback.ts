import { type FeedbackSettled, invoiceFeedbackRequested, type NewEvent, type ReportedLink } from '@app/contracts';
import { changed, type Decision, type Feedback, type Invoice, then, unchanged } from './invoice.ts';
import { move } from './machine.ts';

/** The ticket that a provider is told of, and whether it can be told. */
export type Told = ReportedLink & { hasFeedback: boolean };

/**
 * What follows a link (rows 14 and 15): the provider is told once, under a `link_version` of its own; without feedback a
 * link by hand stays `linked`, and one by the machine is done.
 */
export function tellProvider(invoice: Invoice, told: Told, at: Date): Decision {
  if (!told.hasFeedback) {
    return invoice.state === 'ticket_matched' ? move(invoice, { trigger: 'no_feedback', at }) : unchanged(invoice);
  }
  const { feedback, link_version, event } = request(invoice, { outcome: 'taken_in_charge', ...told }, at);
  const asked = move(invoice, { trigger: 'ask_feedback', at, set: { feedback, link_version } });
  return { invoice: asked.invoice, events: [...asked.events, event] };
}

/** What became of the last request (rows 16 to 18); of an earlier one, or told twice: nothing changes. */
export function settle(invoice: Invoice, settled: FeedbackSettled, at: Date): Decision {
  const { feedback } = invoice;
  if (feedback?.version !== settled.link_version || feedback.outcome !== settled.outcome) return unchanged(invoice);
  if (feedback.result !== 'pending') return unchanged(invoice);
  const known = { ...feedback, result: settled.result };
  if (invoice.state === 'feedback_pending' && feedback.outcome === 'taken_in_charge') {
    return settled.result === 'sent' ? accepted(invoice, known, at) : refused(invoice, { known, settled }, at);
  }
  const flags = isLostReversal(settled) ? [...new Set([...invoice.flags, 'reversal_failed'])] : invoice.flags;
  // It was on its way when an operator took the invoice from the ticket: now it is known that there is something to take back.
  return then(changed(invoice, { feedback: known, flags }, at), (one) => takeBack(one, at));
}

/** The provider hears that the link is no more, where it had heard of it. */
export function takeBack(invoice: Invoice, at: Date): Decision {
  const { feedback: told, ticket_id } = invoice;
  if (ticket_id !== null || told?.outcome !== 'taken_in_charge' || told.result === 'pending') return unchanged(invoice);
  if (!hasHeard(told)) return unchanged(invoice);
  const { event, ...set } = request(invoice, { outcome: 'reversed', ticket: told.ticket, po_ref: told.po_ref }, at);
  return { invoice: changed(invoice, set, at).invoice, events: [event] };
}

function accepted(invoice: Invoice, feedback: Feedback, at: Date): Decision {
  const sent = move(invoice, { trigger: 'feedback_accepted', at, set: { feedback } });
  return then(sent, (one) =>
    move(one, { trigger: 'confirm', at, reason: 'the provider needs to confirm nothing more' }),
  );
}

type Refusal = { known: Feedback; settled: FeedbackSettled };

/** The link itself stands (row 17); only somebody's resync asks again. */
function refused(invoice: Invoice, { known, settled }: Refusal, at: Date): Decision {
  const from = invoice.matched_by === 'operator' ? 'linked' : 'ticket_matched';
  const failure = { step: 'feedback', code: 'feedback_failed', attempts: 1, from } as const;
  const reason = settled.reason ?? 'the provider could not be told';
  return move(invoice, { trigger: 'feedback_refused', at, reason, set: { feedback: known, failure } });
}

function isLostReversal({ outcome, result }: FeedbackSettled): boolean {
  return outcome === 'reversed' && result === 'failed';
}

type Request = Pick<Feedback, 'outcome' | 'ticket' | 'po_ref'>;

/** More moves than that without one that was told are remembered no longer. */
const mostToldBefore = 20;

/** Whether the provider believes in a link: a request that failed leaves it with what it had accepted before. */
function hasHeard(last: Feedback | null): boolean {
  return last?.result === 'sent' ? last.outcome === 'taken_in_charge' : (last?.heard_before ?? false);
}

/** The links that may stand at the provider. What it accepted took the place of all before; what failed may have come through. */
function mayStand(last: Feedback | null): ReportedLink[] {
  if (last === null || (last.result === 'sent' && last.outcome === 'reversed')) return [];
  const own = { ticket: last.ticket, po_ref: last.po_ref };
  return last.result === 'sent' ? [own] : [...(last.told_before ?? []), own].slice(-mostToldBefore);
}

function request(invoice: Invoice, { outcome, ticket, po_ref }: Request, at: Date) {
  const link_version = invoice.link_version + 1;
  const before = mayStand(invoice.feedback);
  const told_before = before.filter((one) => one.ticket.number !== ticket.number || one.po_ref !== po_ref);
  const told = { ticket, po_ref, told_before };
  const heard_before = hasHeard(invoice.feedback);
  const feedback: Feedback = { version: link_version, outcome, result: 'pending', heard_before, ...told };
  const { _id: invoice_id, client_id, connection_id, provider, external_id } = invoice;
  const facts = { invoice_id, client_id, connection_id, provider, external_id, link_version, outcome, ...told };
  const event: NewEvent = invoiceFeedbackRequested(facts, at, invoice_id);
  return { feedback, link_version, event };
}
