import type { SubscribableEvent } from './webhook-catalogue.ts';

/** The webhook events that an operation sends. `sometimes`: further events, each with the case in which it is sent. */
type EventsOfOperation = {
  operation: string;
  events: SubscribableEvent[];
  sometimes?: Partial<Record<SubscribableEvent, string>>;
};

const moves = [
  'submit',
  'qualify',
  'propose',
  'accept',
  'decline',
  'assign',
  'take-charge',
  'unassign',
  'ask-to-plan',
  'ask-for-date',
  'reschedule',
  'open',
  'remove',
];
const ticket = '/api/v3.0/tickets/{ticket_id}';
const status = 'ticket.status_changed' as const;

/**
 * The table in docs/webhooks.md. A test runs each operation and compares
 * (`tests/e2e/every-operation/events.test.ts`). A request that changes nothing sends no event;
 * operations that are not listed never send one.
 */
export const eventsOfOperations: readonly EventsOfOperation[] = [
  ...moves.map((verb) => ({ operation: `POST ${ticket}/${verb}`, events: [status] })),
  { operation: `PUT ${ticket}/finish`, events: [status] },
  { operation: `PUT ${ticket}/close`, events: [status] },
  {
    operation: `PUT ${ticket}/cancel`,
    events: [status],
    sometimes: { 'ticket.message_added': 'with a `reason_cancel`' },
  },
  {
    operation: `POST ${ticket}/dates`,
    events: [],
    sometimes: {
      'ticket.visit_date_added': 'a planned visit',
      'ticket.intervention_date_added': 'a planned intervention',
      [status]: 'if the ticket moves',
    },
  },
  { operation: `PUT ${ticket}/dates/{date_id}/not-done`, events: [status] },
  {
    operation: `POST ${ticket}/quotes`,
    events: ['ticket.quote_added'],
    sometimes: { [status]: 'unless the quote is additional' },
  },
  { operation: `PUT ${ticket}/quotes/{quote_id}/validate`, events: [], sometimes: { [status]: 'if the ticket moves' } },
  { operation: `PUT ${ticket}/quotes/{quote_id}/decline`, events: [], sometimes: { [status]: 'if the ticket moves' } },
  { operation: `POST ${ticket}/notes`, events: ['ticket.message_added'] },
  { operation: `POST ${ticket}/reports`, events: ['ticket.report_added'] },
  { operation: `POST ${ticket}/documents`, events: ['ticket.document_added'] },
  { operation: `POST ${ticket}/purchases`, events: ['ticket.purchase_added'] },
  { operation: `POST ${ticket}/purchases/{purchase_id}/document`, events: ['ticket.document_added'] },
  { operation: 'POST /invoices/{id}/link', events: ['ticket.invoice_added'] },
];
