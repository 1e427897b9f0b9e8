import { AppError } from '@app/kernel';

/** A ticket as the caller sees it, as the ticket service says when asked. */
export type TicketContext = {
  ticket: { id: string; number: string; title: string };
  /** Of the ticket, one more with each change. */
  version: number;
  /** When the ticket last changed; a ticket service of the previous version does not say. */
  updated_at?: string;
  client_id: string;
  /** The caller's own view. */
  own: { view_id: string; role: 'client' | 'contractor'; state: string; status: string };
  /** The contractor of the ticket; `company_id` is null for one without account. */
  contractor: { contractor_id: string; company_id: string | null } | null;
  /** Quotes that the caller sees. */
  quote_ids: string[];
};

/** Its client still reads a removed ticket; for purchases it is gone (domain.md section 4). */
export function isRemoved({ own }: TicketContext): boolean {
  return own.status === 'removed';
}

export function ticketNotFound(): AppError {
  return new AppError('not_found', 'purchase_ticket_not_found', 'there is no such ticket');
}

const closedToPurchases = ['draft', 'canceled', 'declined'];

/** Whether the ticket takes purchase writes of the caller (spec section 3.1): by its own view, whatever others see. */
export function takesWrites({ own }: TicketContext): boolean {
  return !closedToPurchases.includes(own.status) && !closedToPurchases.includes(own.state);
}

/** @throws AppError conflict `purchase_ticket_state_forbidden` */
export function permitWrite(context: TicketContext): void {
  if (takesWrites(context)) return;
  const { status } = context.own;
  const message = `the ticket is ${status} for your company: its purchase documents can't be written`;
  throw new AppError('conflict', 'purchase_ticket_state_forbidden', message);
}

/** @throws AppError unprocessable `purchase_quote_not_found` */
export function permitQuote(context: TicketContext, quoteId: string | null): void {
  if (quoteId === null || context.quote_ids.includes(quoteId)) return;
  throw new AppError('unprocessable', 'purchase_quote_not_found', 'this ticket has no such quote');
}

/** The time of a document made now: events of one ticket are ordered by it, whichever service's clock is ahead. */
export function timeOn({ updated_at }: TicketContext, now: Date): Date {
  return updated_at === undefined ? now : new Date(Math.max(now.getTime(), Date.parse(updated_at) + 1));
}
