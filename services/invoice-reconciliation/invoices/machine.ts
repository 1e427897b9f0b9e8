import { type InvoiceStateChanged, invoiceStateChanged } from '@app/contracts';
import { AppError } from '@app/kernel';
import type { Decision, Invoice, State } from './invoice.ts';

export type Trigger =
  | 'ingest'
  | 'fail'
  | 'normalize'
  | 'unmappable'
  | 'block'
  | 'supplier_found'
  | 'supplier_missing'
  | 'iban_change'
  | 'ticket_found'
  | 'ticket_missing'
  | 'link'
  | 'unlink'
  | 'ask_feedback'
  | 'no_feedback'
  | 'feedback_accepted'
  | 'feedback_refused'
  | 'confirm'
  | 'rematch'
  | 'rematch_block'
  | 'restart'
  | 'ask_again'
  | 'change_after_link'
  | 'provider_status'
  | 'ticket_gone'
  | 'retry'
  | 'clear';

type Condition = 'normalized' | 'with ticket' | 'without ticket' | 'normalized, without ticket';

/** `row` is that of the table in domain.md section 5. `last good`: where the invoice stood before its error. */
type Row = { row: string; trigger: Trigger; from: readonly From[]; to: State | 'last good' };
type From = State | 'nothing' | readonly [State, Condition];

const supplierKnownOrNot = ['supplier_matched', 'supplier_unmatched'] as const;
const standing = ['ticket_matched', 'linked', 'feedback_pending', 'feedback_sent', 'done'] as const;
const heldBack = [
  ['manual_review', 'with ticket'],
  ['error', 'with ticket'],
] as const;
const free = [
  ['received', 'without ticket'],
  ['normalized', 'without ticket'],
  ['supplier_matched', 'without ticket'],
  ['supplier_unmatched', 'without ticket'],
  ['ticket_unmatched', 'without ticket'],
  ['manual_review', 'without ticket'],
  ['error', 'without ticket'],
] as const;

/** How invoices move: the whole of it. What is not in it is 409 `invoice_state_forbidden`. */
export const table: readonly Row[] = [
  { row: '1', trigger: 'ingest', from: ['nothing'], to: 'received' },
  {
    row: '2b',
    trigger: 'fail',
    from: ['received', 'normalized', ...supplierKnownOrNot, 'ticket_matched', 'linked'],
    to: 'error',
  },
  { row: '4', trigger: 'normalize', from: ['received'], to: 'normalized' },
  { row: '5', trigger: 'unmappable', from: ['received'], to: 'error' },
  { row: '6', trigger: 'block', from: ['normalized'], to: 'manual_review' },
  { row: '7', trigger: 'supplier_found', from: ['normalized'], to: 'supplier_matched' },
  { row: '8', trigger: 'supplier_missing', from: ['normalized'], to: 'supplier_unmatched' },
  { row: '9', trigger: 'iban_change', from: ['supplier_matched'], to: 'manual_review' },
  { row: '10', trigger: 'ticket_found', from: supplierKnownOrNot, to: 'ticket_matched' },
  { row: '11', trigger: 'ticket_missing', from: supplierKnownOrNot, to: 'ticket_unmatched' },
  {
    row: '12',
    trigger: 'link',
    from: [
      ...supplierKnownOrNot,
      ...standing,
      'ticket_unmatched',
      ['manual_review', 'normalized'],
      ['error', 'normalized'],
    ],
    to: 'linked',
  },
  { row: '13', trigger: 'unlink', from: [...standing, ...heldBack], to: 'ticket_unmatched' },
  { row: '14', trigger: 'ask_feedback', from: ['ticket_matched', 'linked'], to: 'feedback_pending' },
  { row: '15', trigger: 'no_feedback', from: ['ticket_matched'], to: 'done' },
  { row: '16', trigger: 'feedback_accepted', from: ['feedback_pending'], to: 'feedback_sent' },
  { row: '17', trigger: 'feedback_refused', from: ['feedback_pending'], to: 'error' },
  { row: '18', trigger: 'confirm', from: ['feedback_sent'], to: 'done' },
  { row: '19', trigger: 'rematch', from: ['ticket_unmatched'], to: 'ticket_matched' },
  { row: '19', trigger: 'rematch_block', from: ['ticket_unmatched'], to: 'manual_review' },
  { row: '20', trigger: 'restart', from: free, to: 'received' },
  { row: '20', trigger: 'ask_again', from: [['error', 'with ticket']], to: 'last good' },
  { row: '21', trigger: 'change_after_link', from: [...standing, ...heldBack], to: 'manual_review' },
  { row: '22', trigger: 'provider_status', from: free, to: 'manual_review' },
  { row: '6', trigger: 'ticket_gone', from: [...standing, ['error', 'with ticket']], to: 'manual_review' },
  { row: '23', trigger: 'retry', from: ['error'], to: 'last good' },
  { row: '24', trigger: 'clear', from: [['manual_review', 'normalized, without ticket']], to: 'ticket_unmatched' },
];

/** States in which something is still to be done; a crash there is taken up by the sweep. */
const passages: readonly State[] = [
  'received',
  'normalized',
  'supplier_matched',
  'supplier_unmatched',
  'ticket_matched',
];
/** A worker that has not come to the end by then is taken for dead. */
export const takenUpAfterMs = 60_000;
const keptHistory = 100;

export type Move = { trigger: Trigger; at: Date; reason?: string | null; set?: Partial<Invoice> };

/** Whether the table lets this invoice move so. */
export function mayMove(invoice: Invoice | null, trigger: Trigger): boolean {
  return rowFor(invoice, trigger) !== undefined;
}

/**
 * Moves an invoice as the table says, with what changes besides, and tells of the move.
 * @throws AppError conflict `invoice_state_forbidden` for a move that the table does not have
 */
export function move(invoice: Invoice, { trigger, at, reason = null, set = {} }: Move): Decision {
  const row = rowFor(invoice, trigger);
  if (!row) throw forbidden(invoice.state, trigger);
  const to = row.to === 'last good' ? (invoice.failure?.from ?? 'received') : row.to;
  return moved(invoice, { from: invoice.state, to, at, reason, set });
}

/** The first move of an invoice (row 1). */
export function begin(invoice: Invoice): Decision {
  const set = { due_at: invoice.due_at };
  return moved({ ...invoice, version: 0 }, { from: null, to: 'received', at: invoice.created_at, reason: null, set });
}

type Moved = { from: State | null; to: State; at: Date; reason: string | null; set: Partial<Invoice> };

function moved(invoice: Invoice, { from, to, at, reason, set }: Moved): Decision {
  const version = invoice.version + 1;
  const after: Invoice = {
    ...invoice,
    failure: null,
    due_at: passages.includes(to) ? new Date(at.getTime() + takenUpAfterMs) : null,
    ...set,
    state: to,
    version,
    updated_at: at,
    history: [...invoice.history, { at, from, to, reason }].slice(-keptHistory),
  };
  const told: InvoiceStateChanged = {
    invoice_id: invoice._id,
    client_id: invoice.client_id,
    version,
    from,
    to,
    reason,
    at: at.toISOString(),
  };
  return { invoice: after, events: [invoiceStateChanged(told, at, invoice._id)] };
}

function rowFor(invoice: Invoice | null, trigger: Trigger): Row | undefined {
  return table.find((row) => row.trigger === trigger && row.from.some((from) => fits(invoice, from)));
}

function fits(invoice: Invoice | null, from: From): boolean {
  if (invoice === null || from === 'nothing') return invoice === null && from === 'nothing';
  const [state, condition] = typeof from === 'string' ? [from, null] : from;
  return invoice.state === state && (condition === null || conditions[condition](invoice));
}

const conditions: Record<Condition, (invoice: Invoice) => boolean> = {
  normalized: ({ canonical }) => canonical !== null,
  'with ticket': ({ ticket_id }) => ticket_id !== null,
  'without ticket': ({ ticket_id }) => ticket_id === null,
  // One that the provider took back before it could be read has nothing that a line could say.
  'normalized, without ticket': ({ canonical, ticket_id }) => canonical !== null && ticket_id === null,
};

function forbidden(from: State, operation: Trigger): AppError {
  const message = `an invoice in state ${from} can't be moved by ${operation}`;
  return new AppError('conflict', 'invoice_state_forbidden', message, { details: { from, operation } });
}

const minute = 60_000;
/** Row 2b: after each of these an error of ours is tried again. */
export const retryDelaysMs: readonly number[] = [minute, 5 * minute, 30 * minute, 120 * minute, 720 * minute];
