import type { State } from '../invoices/invoice.ts';
import type { SharedAccount } from '../matching/supplier-rules.ts';
import type { TicketDetails } from './ticket-details.ts';

/** The relations of another invoice to this one. */
export const relations = ['duplicate', 'same_number', 'replaces', 'replaced_by', 'credits'] as const;
export type Relation = (typeof relations)[number];
export type Related = { id: string; number: string | null; state: State; relation: Relation; ticketId: string | null };

/** Details that a person sees with an invoice; those of tickets by their ids. */
export type InvoiceDetails = {
  ticketDetails: ReadonlyMap<string, TicketDetails>;
  related: Related[];
  ticketNumbers: ReadonlyMap<string, string>;
  knownAccounts: string[];
  sharedAccounts: SharedAccount[];
  /** What speaks for telling the supplier `approved`: the finished ticket, its order and its goods receipt agree with the invoice. */
  isApprovable: boolean;
};
