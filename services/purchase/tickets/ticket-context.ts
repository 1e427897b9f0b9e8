import { AppError } from '@app/kernel';

/** A ticket as the caller sees it, from the ticket service. */
export type TicketContext = {
  ticket: { id: string; number: string; title: string };
  /** The version of the ticket, incremented by each change. */
  version: number;
  /** When the ticket last changed. */
  updated_at: string;
  client_id: string;
  /** The caller's own view. */
  own: { view_id: string; role: 'client' | 'contractor'; state: string; status: string };
  /** The contractor of the ticket; `company_id` is null for one without account. */
  contractor: { contractor_id: string; company_id: string | null } | null;
  /** Quotes that the caller sees: of the ticket's contractor or, while none is chosen, of those that are asked. */
  quote_ids: string[];
};

/** A removed ticket is gone for purchases, although its client can still read it. */
export function isRemoved({ own }: TicketContext): boolean {
  return own.status === 'removed';
}

export function ticketNotFound(): AppError {
  return new AppError('not_found', 'purchase_ticket_not_found', 'there is no such ticket');
}

const closedToPurchases = ['draft', 'canceled', 'declined'];

/** Whether the caller may write purchase documents on the ticket: by its own view, whatever others see. */
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
  throw new AppError(
    'unprocessable',
    'purchase_quote_not_found',
    'this ticket has no such quote of its present contractor',
  );
}

/** The time of a document created now, after the last change of its ticket even if that service's clock is ahead. */
export function timeOn({ updated_at }: TicketContext, now: Date): Date {
  return new Date(Math.max(now.getTime(), Date.parse(updated_at) + 1));
}
