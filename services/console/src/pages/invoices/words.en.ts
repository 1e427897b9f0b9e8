import { inLanguage, reviewReasonWords } from '@app/kernel/words';
import { fieldWords, flagWords } from './flag-words.ts';
import type { SignalValues, Wording } from './rules/wording.ts';

type ReasonValues = {
  count?: number;
  score?: number;
  ticket?: string;
  step?: string;
  failure?: string;
  attempt?: number;
  outcome?: 'no_ticket' | 'duplicate_of' | 'refused';
  text?: string;
};

const kinds: Record<string, string> = {
  order: 'Order',
  quote: 'Quote',
  number: 'Ticket number',
  id: 'Ticket id',
  request: 'Purchase request',
  receipt: 'Goods receipt',
  contract: 'Contract',
};
const kindOf = ({ kind }: SignalValues) => kinds[kind ?? ''] ?? 'Reference';
const as = ({ held, written }: SignalValues) =>
  written === undefined || written === held ? '' : `, written “${written}”`;
const steps: Record<string, string> = {
  normalize: 'Reading',
  supplier: 'Finding the supplier',
  ticket: 'Finding the ticket',
  feedback: 'Telling the provider',
};

/** What signals, reasons, flags and fields are called. */
export const words = {
  signals: {
    reference: (values: SignalValues) => `${kindOf(values)} ${values.held ?? ''} agrees${as(values)}`,
    reference_shared: (values: SignalValues) =>
      `${kindOf(values)} ${values.held ?? ''} agrees, but several tickets have it`,
    reference_near: (values: SignalValues) =>
      `${kindOf(values)} ${values.held ?? ''} nearly agrees with “${values.written ?? ''}”`,
    reference_learned: (values: SignalValues) =>
      `${kindOf(values)} ${values.held ?? ''}, as this supplier writes it: “${values.written ?? ''}”`,
    second_reference: (values: SignalValues) => `${kindOf(values)} ${values.held ?? ''} agrees too`,
    supplier: ({ name }: SignalValues) => `${name ?? 'The supplier'} is the contractor of the ticket`,
    likely_supplier: () => 'The contractor has the name or VAT number of the supplier',
    amount: ({ level, fitsWithVat }: SignalValues, { invoiced, compared }: Wording) => {
      const sentence = {
        equal: `The amount is the same: ${compared}`,
        close: `The amount ${invoiced} is within the tolerance of ${compared}`,
        near: `The amount ${invoiced} is within 10% of ${compared}`,
        part: `The amount ${invoiced} may be a part of ${compared}`,
        above: `The amount ${invoiced} is more than 10% above ${compared}`,
      }[level ?? 'equal'];
      return fitsWithVat ? `${sentence}; it fits if that one includes VAT` : sentence;
    },
    only_amount: () => 'No other ticket of the supplier has this amount',
    already_invoiced: ({ count = 0 }: SignalValues, { invoiced, basis }: Wording) =>
      `Already invoiced: ${invoiced} ${basis} on ${count === 1 ? '1 invoice' : `${count} invoices`}`,
    issued_after_intervention: ({ days = 0 }: SignalValues, { date }: Wording) =>
      days === 0
        ? `Issued on the day of the work, ${date}`
        : `Issued ${days === 1 ? '1 day' : `${days} days`} after the work of ${date}`,
    issued_before_ticket: () => 'Issued before the ticket was made',
    ticket_status: (_: SignalValues, { status }: Wording) => `The ticket is in “${status}”`,
    place: ({ name }: SignalValues) => `The invoice names the place: ${name ?? ''}`,
    other_place: ({ name, held }: SignalValues) =>
      `The invoice names another place: ${name ?? ''}. The ticket is at ${held ?? ''}`,
    goods_receipt: ({ held }: SignalValues) => `Goods receipt ${held ?? ''} is there`,
    preceding_invoice: ({ relation }: SignalValues): string =>
      relation === 'credits' ? 'It credits an invoice on this ticket' : 'It replaces an invoice on this ticket',
  },
  mark: { for: 'For', doubt: 'Uncertain', against: 'Against' },
  reasons: {
    duplicate_suspected: () => 'Possible duplicate',
    amounts_inconsistent: () => 'Amounts do not add up',
    iban_changed: () => 'An IBAN that is not among the known ones, or none that can be read',
    provider_status: () => 'Refused, canceled or deleted at the provider. Link it only if you must pay it anyway.',
    changed_after_link: () => 'Changed after it was linked',
    document_hash_mismatch: () => 'The document is not the one that was announced. Resync it, or ask your provider.',
    supplier_is_client: () => 'It names your own company as its supplier. Ask who sent it.',
    credits_refused: () => 'It credits an invoice that was refused: the books have nothing to credit.',
    several_parties: () =>
      'It covers several suppliers, or bills both ways. Ask the supplier for a separate one, or link it if you pay all of it here.',
    ticket_gone: () => 'Its ticket was canceled or removed. Unlink it, or link it to another one.',
    no_ticket: () => 'No ticket matches well enough',
    tickets_suggested: ({ count = 0, score = 0 }: ReasonValues) =>
      count === 1 ? `1 ticket suggested, ${score} points` : `${count} tickets suggested, the best with ${score} points`,
    ticket_found: ({ score = 0 }: ReasonValues) => `Ticket found, ${score} points`,
    supplier_unknown: () => 'No contractor has this SIREN',
    several_suppliers: () => 'Several contractors have this SIREN',
    linked: ({ ticket = '', text }: ReasonValues) => `Linked to ${ticket}${text === undefined ? '' : `: “${text}”`}`,
    unlinked: () => 'Unlinked',
    link_undone: () => 'Link undone',
    review_cleared: () => 'Review cleared',
    concluded: ({ outcome, text = '' }: ReasonValues) =>
      `${{ no_ticket: 'No ticket', duplicate_of: 'Duplicate', refused: 'Refused' }[outcome ?? 'no_ticket']}: ${text}`,
    reopened: () => 'Reopened',
    resynced: () => 'Resync requested',
    content_replaced: () => 'The provider has other content',
    content_unreadable: () => 'The new content cannot be read',
    unreadable: ({ text = '' }: ReasonValues) => `Cannot be read: ${text}`,
    step_failed: ({ step = '' }: ReasonValues) => `${steps[step] ?? step} failed`,
    retried: ({ attempt = 0 }: ReasonValues) => `Attempt ${attempt}`,
    deleted_at_provider: () => 'The provider does not have it any more',
    feedback_refused: ({ text = '' }: ReasonValues) => `The feedback was not taken. ${text}`,
    feedback_confirmed: () => 'Confirmed by the provider',
    other: ({ text = '' }: ReasonValues) => text,
  },
  /** The short texts for a row of the list. */
  short: inLanguage(reviewReasonWords, 'en'),
  flags: inLanguage<string>(flagWords, 'en'),
  flagHints: {
    supplier_is_client: 'Ask who sent it before you link it.',
    currency_differs: 'Its amounts are not compared with those of tickets.',
    already_invoiced: 'Other invoices on the ticket cover what was ordered, or may cover it.',
    over_tolerance: 'It is above what was ordered or quoted.',
    mixed_vat: 'Some amounts of the ticket include VAT and some do not: they are not added up.',
    other_place: 'The best suggestion is at another place than the one on the invoice.',
    several_tickets: 'Choose the ticket that it belongs to.',
    other_reference: 'Its reference is of another order than the ticket’s.',
    supplier_ambiguous: 'The ticket you choose decides which contractor it is from.',
    credit_note: 'Link it to the ticket of the invoice that it credits.',
    replaced: 'A corrective invoice replaces it.',
    iban_invalid: 'It has an account that cannot be read as an IBAN, or its check digits are wrong.',
  } as Record<string, string>,
  fields: inLanguage<string>(fieldWords, 'en'),
  relations: {
    duplicate: 'Resembles',
    same_number: 'Has the same number',
    replaces: 'It replaces',
    replaced_by: 'Replaced by',
    credits: 'It credits',
  },
  steps,
};
