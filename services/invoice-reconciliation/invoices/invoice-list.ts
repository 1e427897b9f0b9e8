import { type InvoiceKind, invoiceKinds } from '@app/contracts';
import type { List } from '@app/kernel';
import { invoiceKindWords, invoiceStates, reasonWords, type Worded } from '@app/kernel/words';
import { invoiceFlags, type ReviewReason, reviewReasons, type State, states } from './invoice.ts';
import { reasonCodes } from './reason-code.ts';

/** What invoices can be filtered and sorted by, and what files of them hold. */
export const invoiceList = {
  tenant: 'client_id',
  columns: {
    supplierTitle: { path: 'canonical.supplier.name', type: 'text', title: { fr: 'Fournisseur', en: 'Supplier' } },
    siren: { path: 'canonical.supplier.siren', type: 'text', title: { fr: 'SIREN', en: 'SIREN' } },
    number: {
      path: 'canonical.number',
      type: 'text',
      optional: true,
      title: { fr: 'Numéro', en: 'Number' },
    },
    issueDate: {
      path: 'canonical.issueDate',
      type: 'date',
      from: 'issuedFrom',
      to: 'issuedTo',
      optional: true,
      title: { fr: 'Date d’émission', en: 'Issue date' },
    },
    dueDate: {
      path: 'canonical.dueDate',
      type: 'date',
      from: 'dueFrom',
      to: 'dueTo',
      optional: true,
      title: { fr: 'Échéance', en: 'Due date' },
    },
    currency: {
      path: 'canonical.currency',
      type: 'text',
      equals: 'currency',
      about: 'ISO 4217',
      title: { fr: 'Devise', en: 'Currency' },
    },
    kind: {
      path: 'canonical.kind',
      type: 'enum',
      values: invoiceKinds,
      words: invoiceKindWords satisfies Record<InvoiceKind, Worded>,
      title: { fr: 'Nature', en: 'Kind' },
    },
    net: { path: 'canonical.amounts.ht', type: 'money', title: { fr: 'Montant HT', en: 'Amount without VAT' } },
    vat: { path: 'canonical.amounts.tva', type: 'money', title: { fr: 'TVA', en: 'VAT' } },
    amount: {
      path: 'canonical.amounts.ttc',
      type: 'money',
      from: 'amountFrom',
      to: 'amountTo',
      about: 'the total with VAT, as the document has it: that of a credit note has either sign',
      optional: true,
      title: { fr: 'Montant TTC', en: 'Amount with VAT' },
    },
    state: {
      path: 'state',
      type: 'enum',
      values: states,
      words: invoiceStates satisfies Record<State, Worded>,
      equals: 'state',
      about: 'a state, or several separated by commas',
      title: { fr: 'État', en: 'State' },
    },
    reason: {
      path: 'reasons',
      type: 'enum',
      values: reviewReasons,
      words: reasonWords satisfies Record<ReviewReason, Worded>,
      equals: 'reason',
      about: 'why it waits for review: a reason, or several separated by commas',
      title: { fr: 'Motifs', en: 'Reasons' },
    },
    flag: {
      path: 'flags',
      type: 'enum',
      values: invoiceFlags,
      equals: 'flag',
      about: 'what there is to know: a flag, or several separated by commas',
    },
    ticketNumber: { path: 'ticket_number', type: 'text', title: { fr: 'Ticket', en: 'Ticket' } },
    order: { path: 'canonical.matchHints.poRef', type: 'text', title: { fr: 'Commande', en: 'Order' } },
    createdAt: {
      path: 'created_at',
      type: 'moment',
      from: 'from',
      to: 'to',
      about: 'taken in, as an ISO date or milliseconds',
      title: { fr: 'Reçue le (UTC)', en: 'Taken in (UTC)' },
    },
    provider: {
      path: 'provider',
      type: 'text',
      equals: 'provider',
      title: { fr: 'Plateforme', en: 'Provider' },
    },
    id: { path: '_id', type: 'id', title: { fr: 'Identifiant', en: 'Id' } },
    supplier: { path: 'supplier_id', type: 'id', equals: 'supplier', about: 'contractor id' },
    ticket: { path: 'ticket_id', type: 'id', equals: 'ticket', about: 'the ticket that it is on', index: 'linked' },
    /** The supplier's name without case and accents. */
    supplierName: { path: 'supplier_order', type: 'text', optional: true },
  },
  indexes: [
    // The states are few, so MongoDB merges their ranges, and each list is in order.
    { name: 'states', equal: ['state'], order: 'createdAt' },
    { name: 'ofSupplier', equal: ['supplier', 'state'], order: 'createdAt', covers: ['provider'] },
    { name: 'ofProvider', equal: ['provider', 'state'], order: 'createdAt' },
    { name: 'issued', order: 'issueDate' },
    { name: 'fallingDue', order: 'dueDate' },
    { name: 'amount', order: 'amount' },
    { name: 'number', order: 'number' },
    { name: 'supplierName', order: 'supplierName' },
    { name: 'state', order: 'state' },
  ],
} as const satisfies List;

/** The figures of invoices. */
export const figures = { toTreat: 'to_treat', payable: 'payable', matched: 'matched', checks: 'checks' } as const;

/** `placed`: it is on a ticket, or belongs to none; `waiting`: for a person to place it; `held`: for review. */
export const standings = ['placed', 'waiting', 'held'] as const;
export const matchers = ['machine', 'person'] as const;
/** `corrected`: a person took the invoice off the ticket again. */
export const matchOutcomes = ['kept', 'corrected'] as const;
export const checks = ['above_order', 'duplicate', 'account'] as const;

/** What the entries of each figure are split by first, besides the currency. */
export const parts: Record<(typeof figures)[keyof typeof figures], readonly string[]> = {
  to_treat: reasonCodes,
  payable: standings,
  matched: matchers.flatMap((by) => [by, ...matchOutcomes.map((outcome) => `${by}.${outcome}`)]),
  checks,
};
