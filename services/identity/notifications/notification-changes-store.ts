import { once } from 'node:events';
import type { Connection } from 'mongoose';
import { notificationCollections } from './notification-store.ts';

/** `changed`: what is unread of this user may be another number. `lost`: nothing is heard any more. */
type Listener = { changed(userId: string): void; sessionEnded(sessionId: string): void; lost(error: unknown): void };
export type Changes = { close(): Promise<void> };
export type WatchChanges = (listener: Listener) => Promise<Changes>;

type Change = { ns: { coll: string }; documentKey: { _id: string }; fullDocument?: { user_id: string } };

/** By the driver: one change stream over four collections, with the places and permissions of users. */
export function notificationChanges({ connection }: { connection: Connection }): WatchChanges {
  const { notifications: added, users: changed } = notificationCollections;
  const $or = [
    { operationType: 'insert', 'ns.coll': added, 'fullDocument.console': true },
    { operationType: { $in: ['insert', 'update'] }, 'ns.coll': changed },
    { operationType: 'update', 'ns.coll': 'users' },
    { operationType: 'delete', 'ns.coll': 'sessions' },
  ];
  const $project = { operationType: 1, 'ns.coll': 1, documentKey: 1, 'fullDocument.user_id': 1 };
  return async (listener) => {
    const opened = connection
      .getClient()
      .db(connection.name)
      .watch([{ $match: { $or } }, { $project }]);
    opened.on('change', (change) => {
      const { ns, documentKey, fullDocument } = change as unknown as Change;
      if (ns.coll === 'sessions') listener.sessionEnded(documentKey._id);
      else listener.changed(fullDocument?.user_id ?? documentKey._id);
    });
    opened.on('error', (error) => listener.lost(error));
    // Its position is known: from here on nothing is missed.
    await once(opened, 'resumeTokenChanged');
    return { close: () => opened.close() };
  };
}
