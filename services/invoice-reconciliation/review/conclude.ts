// An outcome beside a link rests in `done` with its conclusion, since the states are fixed (docs/invoices.md).
import { requestRefusal, requestReversal } from '../feedback/feedback.ts';
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

/** `takesRefusals`: the provider is told of a refusal. */
type Concluding = { at: Date; by: Actor; takesRefusals: boolean };

/**
 * A person decides that the invoice goes on no ticket. The same decision again changes nothing.
 * @throws AppError conflict `invoice_state_forbidden` unless it waits for a person without a ticket
 */
export function conclude(invoice: Invoice, concluded: Concluded, { at, by, takesRefusals }: Concluding): Decision {
  if (isSame(invoice.conclusion, concluded)) return unchanged(invoice);
  const { suggestions, reasons, flags, claims } = invoice;
  const state = invoice.state as Conclusion['before']['state'];
  const set = {
    conclusion: { ...concluded, before: { state, suggestions, reasons } },
    ...{ suggestions: [], reasons: [], rematch_at: null },
    flags: flags.filter((flag) => flag !== 'refusal_failed'),
    // What it duplicates holds them.
    claims: concluded.outcome === 'duplicate_of' ? [] : claims,
  };
  const reason = `${concluded.outcome}: ${concluded.reason}`;
  const done = move(invoice, { trigger: 'conclude', at, by, reason, set });
  if (concluded.outcome !== 'refused' || !takesRefusals) return done;
  const { code, reason: words } = concluded;
  return chainDecisions(done, (one) => requestRefusal(one, { code, reason: words }, at));
}

/**
 * A person takes the decision back: the invoice waits again where it waited, after an error it is read again. One that is not
 * concluded and waits does not change.
 * @throws AppError conflict `invoice_state_forbidden`
 */
export function reopen(invoice: Invoice, rematchAt: Date, { at, by }: Pick<Concluding, 'at' | 'by'>): Decision {
  const isReopened = invoice.ticket_id === null && invoice.history.at(-1)?.reason === reopened;
  if (!invoice.conclusion && isReopened) return unchanged(invoice);
  const { state, suggestions = [], reasons = [] } = invoice.conclusion?.before ?? {};
  const set = {
    ...{ conclusion: null, suggestions, reasons },
    flags: invoice.flags.filter((flag) => flag !== 'refusal_failed'),
    rematch_at: state === 'ticket_unmatched' ? rematchAt : null,
    ...(state === 'error' ? { due_at: at } : {}),
  };
  const moved = move(invoice, { trigger: 'reopen', at, by, reason: reopened, set });
  return chainDecisions(moved, (one) => requestReversal(one, at));
}

const reopened = 'reopened by an operator';

function isSame(before: Conclusion | null | undefined, { ...wanted }: Concluded): boolean {
  if (!before) return false;
  const { before: _replaced, ...known } = before;
  return JSON.stringify(Object.entries(known).sort()) === JSON.stringify(Object.entries(wanted).sort());
}
