import { type InvoiceStateChanged, invoiceStateChanged, type NewEvent, notification } from '@app/contracts';
import { AppError } from '@app/kernel';
import { type Decision, type HistoryEntry, type Invoice, type State, statesOfPeople } from './invoice.ts';

type Condition = 'normalized' | 'with ticket' | 'without ticket' | 'normalized, without ticket' | 'concluded';

/**
 * `before the error`: the state in which the failure occurred. `before the conclusion`: where the invoice waited; after an error it
 * begins again.
 */
type Transition = { trigger: string; from: readonly From[]; to: State | 'before the error' | 'before the conclusion' };
type From = State | 'nothing' | readonly [State, Condition];

const supplierChecked = ['supplier_matched', 'supplier_unmatched'] as const;
const linked = ['ticket_matched', 'linked', 'feedback_pending', 'feedback_sent', ['done', 'with ticket']] as const;
const linkedButHeld = [
  ['manual_review', 'with ticket'],
  ['error', 'with ticket'],
] as const;
const notLinked = [
  ['received', 'without ticket'],
  ['normalized', 'without ticket'],
  ['supplier_matched', 'without ticket'],
  ['supplier_unmatched', 'without ticket'],
  ['ticket_unmatched', 'without ticket'],
  ['manual_review', 'without ticket'],
  ['error', 'without ticket'],
] as const;

/** All transitions of an invoice. Any other is refused with 409 `invoice_state_forbidden`. */
export const table = [
  { trigger: 'ingest', from: ['nothing'], to: 'received' },
  {
    trigger: 'fail',
    from: ['received', 'normalized', ...supplierChecked, 'ticket_matched', 'linked'],
    to: 'error',
  },
  { trigger: 'normalize', from: ['received'], to: 'normalized' },
  { trigger: 'unmappable', from: ['received'], to: 'error' },
  { trigger: 'block', from: ['normalized'], to: 'manual_review' },
  { trigger: 'supplier_found', from: ['normalized'], to: 'supplier_matched' },
  { trigger: 'supplier_missing', from: ['normalized'], to: 'supplier_unmatched' },
  { trigger: 'iban_change', from: ['supplier_matched'], to: 'manual_review' },
  { trigger: 'ticket_found', from: supplierChecked, to: 'ticket_matched' },
  { trigger: 'ticket_missing', from: supplierChecked, to: 'ticket_unmatched' },
  {
    trigger: 'link',
    from: [...supplierChecked, ...linked, 'ticket_unmatched', ['manual_review', 'normalized'], ['error', 'normalized']],
    to: 'linked',
  },
  { trigger: 'unlink', from: [...linked, ...linkedButHeld], to: 'ticket_unmatched' },
  { trigger: 'undo_to_review', from: linked, to: 'manual_review' },
  { trigger: 'ask_feedback', from: ['ticket_matched', 'linked'], to: 'feedback_pending' },
  { trigger: 'no_feedback', from: ['ticket_matched', 'feedback_pending'], to: 'done' },
  { trigger: 'feedback_accepted', from: ['feedback_pending'], to: 'feedback_sent' },
  { trigger: 'feedback_refused', from: ['feedback_pending'], to: 'error' },
  { trigger: 'confirm', from: ['feedback_sent'], to: 'done' },
  { trigger: 'rematch', from: ['ticket_unmatched'], to: 'ticket_matched' },
  { trigger: 'rematch_block', from: ['ticket_unmatched'], to: 'manual_review' },
  { trigger: 'restart', from: notLinked, to: 'received' },
  { trigger: 'ask_again', from: [['error', 'with ticket']], to: 'before the error' },
  { trigger: 'change_after_link', from: [...linked, ...linkedButHeld], to: 'manual_review' },
  { trigger: 'provider_status', from: notLinked, to: 'manual_review' },
  { trigger: 'ended_after_link', from: [...linked, ['error', 'with ticket']], to: 'manual_review' },
  { trigger: 'ticket_gone', from: [...linked, ['error', 'with ticket']], to: 'manual_review' },
  { trigger: 'retry', from: ['error'], to: 'before the error' },
  {
    trigger: 'conclude',
    from: ['ticket_unmatched', ['manual_review', 'without ticket'], ['error', 'without ticket']],
    to: 'done',
  },
  { trigger: 'reopen', from: [['done', 'concluded']], to: 'before the conclusion' },
  { trigger: 'change_after_conclusion', from: [['done', 'concluded']], to: 'manual_review' },
  { trigger: 'clear', from: [['manual_review', 'normalized, without ticket']], to: 'ticket_unmatched' },
] as const satisfies readonly Transition[];

export type Trigger = (typeof table)[number]['trigger'];

/** States in which the pipeline has not finished; after a crash the background worker continues. */
const transientStates: readonly State[] = [
  'received',
  'normalized',
  'supplier_matched',
  'supplier_unmatched',
  'ticket_matched',
];
export function isTransient(state: State): boolean {
  return transientStates.includes(state);
}

/** How long one worker has an invoice before another one may continue it. */
export const leaseMs = 60_000;
const maxHistory = 100;

const minute = 60_000;
/** Delays after which a failed step is retried; after the last one the invoice waits for a resync. */
export const stepRetryDelaysMs: readonly number[] = [minute, 5 * minute, 30 * minute, 120 * minute, 720 * minute];

/** `by` and `signals` are kept in the history. */
export type Move = {
  trigger: Trigger;
  at: Date;
  reason?: string | null;
  set?: Partial<Invoice>;
} & Pick<HistoryEntry, 'by' | 'signals'>;

/** Whether the table allows the transition; `invoice` null: it does not exist yet. */
export function mayMove(invoice: Invoice | null, trigger: Trigger): boolean {
  return transitionOf(invoice, trigger) !== undefined;
}

/**
 * Moves an invoice to its next state, with other changes in `set`.
 * @throws AppError conflict `invoice_state_forbidden` if the table has no such transition
 */
export function move(invoice: Invoice, { trigger, at, reason = null, set = {}, by, signals }: Move): Decision {
  const transition = transitionOf(invoice, trigger);
  if (!transition) throw forbidden(invoice.state, trigger);
  const to = stateAfter(invoice, transition);
  const entry = { from: invoice.state, to, at, reason, ...(by && { by }), ...(signals && { signals }) };
  return enter(invoice, { ...entry, set });
}

function stateAfter({ failure, conclusion }: Invoice, { to }: Transition): State {
  if (to === 'before the error') return failure?.from ?? 'received';
  if (to !== 'before the conclusion') return to;
  const before = conclusion?.before.state ?? 'error';
  return before === 'error' ? 'received' : before;
}

/** The first transition of a new invoice. */
export function begin(invoice: Invoice): Decision {
  const set = { due_at: invoice.due_at };
  return enter({ ...invoice, version: 0 }, { from: null, to: 'received', at: invoice.created_at, reason: null, set });
}

type Entry = HistoryEntry & { set: Partial<Invoice> };

function enter(invoice: Invoice, { set, ...entry }: Entry): Decision {
  const { from, to, at, reason } = entry;
  const version = invoice.version + 1;
  const after: Invoice = {
    ...invoice,
    failure: null,
    due_at: transientStates.includes(to) ? new Date(at.getTime() + leaseMs) : null,
    ...set,
    state: to,
    version,
    updated_at: at,
    history: [...invoice.history, entry].slice(-maxHistory),
  };
  const { _id: invoice_id, client_id } = invoice;
  const change: InvoiceStateChanged = { invoice_id, client_id, version, from, to, reason, at: at.toISOString() };
  return { invoice: after, events: [invoiceStateChanged(change, at, invoice_id), ...waitingEvents(invoice, after)] };
}

/** Tells who works on invoices that one begins to wait for them: not of each time in which it is matched in vain, or fails for a while. */
function waitingEvents({ history }: Invoice, after: Invoice): NewEvent[] {
  const { _id: id, client_id, state, due_at, ticket_id, canonical, updated_at: at } = after;
  const rested = history.findLast(({ to }) => !isTransient(to))?.to;
  if (!waitsForPeople(state) || due_at !== null || (rested && waitsForPeople(rested))) return [];
  // Those on no ticket are seen by users who are limited to places, too. The places of a ticket are added when this is stored.
  const to = { permission: 'accounting' as const, manager_ids: [], place_ids: ticket_id === null ? null : [] };
  const invoice = { id, number: canonical?.number ?? '' };
  const key = `invoice:${id}:waits:${at.toISOString()}`;
  const supplier = canonical?.supplier.name;
  const text = supplier ? { text: supplier } : {};
  return [notification({ company_id: client_id, kind: 'invoice_waits', key, to, invoice, ...text }, at)];
}

function waitsForPeople(state: State): boolean {
  return (statesOfPeople as readonly State[]).includes(state);
}

function transitionOf(invoice: Invoice | null, trigger: Trigger): Transition | undefined {
  const transitions: readonly Transition[] = table;
  return transitions.find((one) => one.trigger === trigger && one.from.some((from) => matches(invoice, from)));
}

function matches(invoice: Invoice | null, from: From): boolean {
  if (invoice === null || from === 'nothing') return invoice === null && from === 'nothing';
  const [state, condition] = typeof from === 'string' ? [from, null] : from;
  return invoice.state === state && (condition === null || conditions[condition](invoice));
}

const conditions: Record<Condition, (invoice: Invoice) => boolean> = {
  normalized: ({ canonical }) => canonical !== null,
  'with ticket': ({ ticket_id }) => ticket_id !== null,
  'without ticket': ({ ticket_id }) => ticket_id === null,
  concluded: ({ conclusion }) => (conclusion ?? null) !== null,
  // An invoice that the provider deleted before it was read has no content to match.
  'normalized, without ticket': ({ canonical, ticket_id }) => canonical !== null && ticket_id === null,
};

function forbidden(from: State, operation: Trigger): AppError {
  const message = `an invoice in state ${from} can't be moved by ${operation}`;
  return new AppError('conflict', 'invoice_state_forbidden', message, { details: { from, operation } });
}
