// An outcome beside a link rests in `done` with its conclusion, since the states are fixed (docs/invoices.md).
import { type HeardStatuses, noDetails } from '@app/contracts';
import { AppError } from '@app/kernel';
import { requestReversal, requestStatus } from '../feedback/feedback.ts';
import { currentOf, maySend, withoutRefusal } from '../feedback/statuses.ts';
import {
  type Actor,
  type Concluded,
  type Conclusion,
  chainDecisions,
  type Decision,
  type Invoice,
  unchanged,
} from '../invoices/invoice.ts';
import { move } from '../invoices/state-machine.ts';

/** `heard`: what the provider takes. `mustTell`: a refusal that the supplier cannot be told of is none. */
type Concluding = { at: Date; by: Actor; heard: HeardStatuses; mustTell?: boolean };

/**
 * A person decides that the invoice goes on no ticket. The same decision again changes nothing. The supplier is told of a refusal, if
 * the rules allow it.
 * @throws AppError conflict `invoice_state_forbidden` unless it waits for a person without a ticket; conflict
 * `invoice_status_forbidden` if the supplier must be told and cannot be; ValidationError for a reason that the provider has no word for
 */
export function conclude(invoice: Invoice, concluded: Concluded, concluding: Concluding): Decision {
  const { at, by } = concluding;
  if (isSame(invoice.conclusion, concluded)) return unchanged(invoice);
  const { state, suggestions, reasons, claims } = invoice;
  const set = {
    conclusion: { ...concluded, before: { state: state as Conclusion['before']['state'], suggestions, reasons } },
    suggestions: [],
    reasons: [],
    rematch_at: null,
    flags: invoice.flags.filter((flag) => flag !== 'refusal_failed' && flag !== 'status_failed'),
    // What it duplicates holds them.
    claims: concluded.outcome === 'duplicate_of' ? [] : claims,
  };
  const reason = `${concluded.outcome}: ${concluded.reason}`;
  return chainDecisions(told(invoice, concluded, concluding), (one) =>
    move(one, { trigger: 'conclude', at, by, reason, set }),
  );
}

function told(invoice: Invoice, concluded: Concluded, { at, by, heard, mustTell = false }: Concluding): Decision {
  if (concluded.outcome !== 'refused') return unchanged(invoice);
  if (!mustTell && !maySend(invoice, 'refused', heard)) return unchanged(invoice);
  const details = { ...noDetails, reason: concluded.code, note: concluded.reason };
  return requestStatus(invoice, { status: 'refused', details }, { heard, by: by.id, at });
}

/** `isReversible`: the provider takes that a refusal holds no more. */
type Reopening = Pick<Concluding, 'at' | 'by'> & { isReversible: boolean };

/**
 * A person takes the decision back: the invoice waits again where it waited, after an error it is read again. One that is not
 * concluded and waits does not change.
 * @throws AppError conflict `invoice_state_forbidden`, conflict `invoice_status_forbidden` for a refusal that holds for good
 */
export function reopen(invoice: Invoice, rematchAt: Date, { at, by, isReversible }: Reopening): Decision {
  const isRefused = currentOf(invoice)?.status === 'refused';
  if (invoice.conclusion?.outcome === 'refused' && isRefused && !isReversible) throw refusedForGood();
  const isReopened = invoice.ticket_id === null && invoice.history.at(-1)?.reason === reopened;
  if (!invoice.conclusion && isReopened) return unchanged(invoice);
  const { state, suggestions = [], reasons = [] } = invoice.conclusion?.before ?? {};
  const set = {
    conclusion: null,
    suggestions,
    reasons,
    flags: invoice.flags.filter((flag) => flag !== 'refusal_failed'),
    ...(isRefused && { provider_statuses: withoutRefusal(invoice.provider_statuses ?? []) }),
    rematch_at: state === 'ticket_unmatched' ? rematchAt : null,
    ...(state === 'error' ? { due_at: at } : {}),
  };
  const moved = move(invoice, { trigger: 'reopen', at, by, reason: reopened, set });
  return chainDecisions(moved, (one) => requestReversal(one, at));
}

const reopened = 'reopened by an operator';

function refusedForGood(): AppError {
  const message = 'the supplier was told that the invoice is refused, which is final: ask for a new invoice';
  return new AppError('conflict', 'invoice_status_forbidden', message, { details: { rule: 'final' } });
}

function isSame(before: Conclusion | null | undefined, { ...wanted }: Concluded): boolean {
  if (!before) return false;
  const { before: _replaced, ...known } = before;
  return JSON.stringify(Object.entries(known).sort()) === JSON.stringify(Object.entries(wanted).sort());
}
