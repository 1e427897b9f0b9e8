import { createRelay, type Relay } from '@app/messaging';
import { testLogger } from '@app/testing';
import type { Connection } from 'mongoose';
import { createNoteStore } from '../../../notes/note-store.ts';
import { createTicketStore } from '../../../tickets/stores/ticket-store.ts';

/** Events stay in the outboxes: nothing publishes them. */
export function silentRelay(): Relay {
  return createRelay({ broker: { publish: () => new Promise(() => undefined) }, logger: testLogger() });
}

/** The stores of tickets and notes as a process has them, without a service around. */
export function ticketStores(connection: Connection, now = () => new Date()) {
  const relay = silentRelay();
  const notes = createNoteStore({ connection, relay, now });
  return { relay, notes, tickets: createTicketStore({ connection, relay, notes, now }) };
}
