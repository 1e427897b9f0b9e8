import { createRelay, type Relay } from '@app/messaging';
import { ensureIndexes, testDatabase, testLogger } from '@app/testing';
import type { Connection } from 'mongoose';
import { createNoteStore } from '../../../notes/note-store.ts';
import { createTicketStore } from '../../../tickets/stores/ticket-store.ts';

/** Events stay in the outboxes: nothing publishes them. */
function silentRelay(): Relay {
  return createRelay({ broker: { publish: () => new Promise(() => undefined) }, logger: testLogger() });
}

/** The stores of tickets and notes as a process has them, without a service around. */
export function ticketStores(connection: Connection, now = () => new Date(), relay = silentRelay()) {
  const notes = createNoteStore({ connection, relay, now, placesAbove: async () => [] });
  return { relay, notes, tickets: createTicketStore({ connection, relay, notes, now }) };
}

/** The same on a database of its own, for all tests of a file. */
export function useTicketStores(now?: () => Date) {
  type Stores = ReturnType<typeof ticketStores> & { connection: Connection };
  const stores = {} as Stores;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await testDatabase();
    drop = database.drop;
    const { connection } = database;
    Object.assign(stores, { connection, ...ticketStores(connection, now) } satisfies Stores);
    await ensureIndexes(connection);
  });
  afterAll(() => drop());
  return stores;
}
