import { subscribableEvents, testEvent } from '@app/contracts';
import type { Given, List, ListQuery } from '@app/kernel';
import { deliveryStatuses as words } from '@app/kernel/words';
import { deliveryStatuses as statuses } from './delivery.ts';

const events = [...subscribableEvents, testEvent];

/** What the deliveries of an endpoint can be filtered by, and what files of them hold. */
export const deliveryList = {
  tenant: 'endpointId',
  columns: {
    createdAt: {
      path: 'createdAt',
      type: 'moment',
      from: 'since',
      to: 'until',
      about: 'created, as an ISO date or milliseconds',
      title: { fr: 'Créée le (UTC)', en: 'Created (UTC)' },
    },
    event: { path: 'event', type: 'enum', values: events, equals: 'event', title: { fr: 'Événement', en: 'Event' } },
    status: {
      path: 'status',
      type: 'enum',
      values: statuses,
      words,
      equals: 'status',
      title: { fr: 'Statut', en: 'Status' },
    },
    ticket: { path: 'ticket.id', type: 'id', equals: 'ticket', about: 'the id of a ticket' },
    ticketNumber: { path: 'ticket.number', type: 'text', title: { fr: 'Ticket', en: 'Ticket' } },
    statusCode: { path: 'statusCode', type: 'text', title: { fr: 'Code HTTP', en: 'HTTP code' } },
    error: { path: 'error', type: 'text', title: { fr: 'Erreur', en: 'Error' } },
    attempts: { path: 'attempted', type: 'text', title: { fr: 'Essais', en: 'Attempts' } },
    nextAttemptAt: {
      path: 'nextAttemptAt',
      type: 'moment',
      title: { fr: 'Prochain essai (UTC)', en: 'Next attempt (UTC)' },
    },
    eventId: { path: 'eventId', type: 'text', title: { fr: 'Id de l’événement', en: 'Event id' } },
    id: { path: 'id', type: 'id', title: { fr: 'Identifiant', en: 'Id' } },
  },
  // Without a filter every value is given, and the ranges of one index are merged.
  indexes: [
    { name: 'log', equal: ['status', 'event'], order: 'createdAt' },
    { name: 'logOfTicket', equal: ['ticket', 'status', 'event'], order: 'createdAt' },
  ],
} as const satisfies List;

export const newestFirst = { by: 'createdAt', descending: true } as const;

/** The deliveries that a filter finds, the newest first. */
export function loggedBy(given: Given): ListQuery {
  return { given, sort: newestFirst };
}
