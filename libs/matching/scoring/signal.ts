import type { KnownReferenceKind } from '../references/known-references.ts';

/** How an invoice's amount compares with what was ordered, from best to worst. */
export const amountLevels = ['equal', 'close', 'near', 'part', 'above'] as const;
export type AmountLevel = (typeof amountLevels)[number];

/** The codes of what speaks for or against a ticket. docs/matching.md explains each one with its values. */
export const signalCodes = [
  'reference',
  'reference_shared',
  'reference_near',
  'reference_learned',
  'second_reference',
  'supplier',
  'likely_supplier',
  'amount',
  'only_amount',
  'already_invoiced',
  'issued_after_intervention',
  'issued_before_ticket',
  'ticket_status',
  'place',
  'other_place',
  'goods_receipt',
  'preceding_invoice',
] as const;
type SignalCode = (typeof signalCodes)[number];

/** The values of a signal, from which a client can word it in any language. Each code has some of them. */
type SignalValues = {
  kind?: KnownReferenceKind;
  /** The reference as the ticket has it; `written` is how the invoice writes it. */
  held?: string;
  written?: string;
  name?: string | null;
  level?: AmountLevel;
  invoiced?: number;
  compared?: number;
  /** Whether `compared` and `invoiced` are with VAT. */
  withVat?: boolean;
  /** The total with VAT fits an amount that is said to be without VAT: perhaps that one is not. */
  fitsWithVat?: boolean;
  /** True if `compared` is the part of the order that other invoices on the ticket leave. */
  remaining?: boolean;
  references?: string[];
  currency?: string;
  count?: number;
  days?: number;
  date?: string;
  status?: string;
  relation?: 'credits' | 'replaces';
};

export type Signal = { code: SignalCode; points: number; values: SignalValues };
