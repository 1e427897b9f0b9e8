import { once } from 'node:events';
import type { Caller } from '@app/contracts';
import { AppError } from '@app/kernel';
import { type Logger, metrics } from '@app/runtime';
import type { Response } from 'express';
import type { Connection, mongo } from 'mongoose';
import { Gauge } from 'prom-client';
import { endOf, type Session } from '../sessions/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { type NotificationStore, notificationCollections, type Owner } from './notification-store.ts';

type Deps = {
  connection: Connection;
  notifications: Pick<NotificationStore, 'countUnread'>;
  sessions: Pick<SessionStore, 'lasting'>;
  logger: Logger;
  now: () => Date;
  /** Streams of one user, and of this process. */
  limits?: { user: number; total: number };
  heartbeatMs?: number;
};

/** `endsAt`: of the session, as far as is known. `isBehind`: the client did not take the last count in time. */
type Stream = { res: Response; sessionId: string; endsAt: Date; unread: number; isBehind: boolean };
type User = { owner: Owner; streams: Set<Stream>; isCounting: boolean; isChanged: boolean };

export type NotificationStreams = ReturnType<typeof createNotificationStreams>;

/** Shorter than half the time after which the gateway takes a silent stream for dead. */
const everyHeartbeatMs = 25_000;
/** Clients come back at different times after a process has stopped. */
const retryMs = () => Math.round(2_000 + Math.random() * 8_000);

const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

const open = new Gauge({
  name: 'notification_streams',
  help: 'Open streams of notifications',
  registers: [metrics],
});

/**
 * Streams of server-sent events, one for each open tab: how many notifications of its user are unread, whenever that may have changed.
 * One change stream of the database feeds all of them; it is opened with the first.
 */
export function createNotificationStreams({ connection, notifications, sessions, logger, now, ...options }: Deps) {
  const { limits = { user: 20, total: 10_000 }, heartbeatMs = everyHeartbeatMs } = options;
  const users = new Map<string, User>();
  const all = new Map<Stream, User>();
  let changes: Promise<mongo.ChangeStream> | null = null;
  let heartbeat: NodeJS.Timeout | undefined;
  let isStopped = false;

  function watch(): Promise<mongo.ChangeStream> {
    const { notifications: added, users: changed } = notificationCollections;
    const $or = [
      { operationType: 'insert', 'ns.coll': added, 'fullDocument.console': true },
      { operationType: { $in: ['insert', 'update'] }, 'ns.coll': changed },
      { operationType: 'delete', 'ns.coll': 'sessions' },
    ];
    const $project = { operationType: 1, 'ns.coll': 1, documentKey: 1, 'fullDocument.user_id': 1 };
    const opened = connection
      .getClient()
      .db(connection.name)
      .watch([{ $match: { $or } }, { $project }]);
    opened.on('change', (change) => heard(change as unknown as Change));
    opened.on('error', (error) => {
      logger.warn('notifications can no longer be watched: streams end, and are opened again', { error });
      endAll();
    });
    // Its position is known: from here on nothing is missed.
    return once(opened, 'resumeTokenChanged').then(() => opened);
  }

  function heard({ ns: { coll }, documentKey: { _id }, fullDocument }: Change): void {
    if (coll === 'sessions') {
      for (const { res, sessionId } of all.keys()) if (sessionId === _id) res.end();
    } else void tell(fullDocument?.user_id ?? _id);
  }

  /** Counts once more if something happens meanwhile, however often. */
  async function tell(userId: string): Promise<void> {
    const user = users.get(userId);
    if (!user) return;
    user.isChanged = true;
    if (user.isCounting) return;
    user.isCounting = true;
    try {
      while (user.isChanged) {
        user.isChanged = false;
        const unread = await notifications.countUnread(user.owner);
        for (const stream of user.streams) send(stream, unread);
      }
    } catch (error) {
      logger.warn('unread notifications could not be counted: streams of the user end', { userId, error });
      for (const { res } of user.streams) res.end();
    } finally {
      user.isCounting = false;
    }
  }

  function send(stream: Stream, unread: number): void {
    stream.unread = unread;
    stream.isBehind = stream.res.writableNeedDrain;
    if (!stream.isBehind) stream.res.write(`event: notification\ndata: ${JSON.stringify({ unread })}\n\n`);
  }

  /** Also finds out which sessions are over: nothing tells when one was not used for too long. */
  async function beat(): Promise<void> {
    const at = now();
    const over: Stream[] = [];
    for (const stream of all.keys()) {
      if (stream.endsAt <= at) over.push(stream);
      // It took nothing since the last heartbeat.
      else if (stream.res.writableNeedDrain) stream.res.destroy();
      else if (stream.isBehind) send(stream, stream.unread);
      else stream.res.write(':\n\n');
    }
    const lasting =
      over.length === 0
        ? new Map()
        : await sessions.lasting(
            over.map(({ sessionId }) => sessionId),
            at,
          );
    for (const stream of over) {
      const endsAt: Date | undefined = lasting.get(stream.sessionId);
      if (endsAt) stream.endsAt = endsAt;
      else stream.res.end();
    }
  }

  function endAll(): void {
    void changes?.then((opened) => opened.close()).catch(() => undefined);
    changes = null;
    for (const { res } of all.keys()) res.end();
  }

  function add(owner: Owner, stream: Stream): void {
    const user = users.get(owner.user_id) ?? { owner, streams: new Set(), isCounting: false, isChanged: false };
    users.set(owner.user_id, user);
    user.streams.add(stream);
    all.set(stream, user);
    open.set(all.size);
    heartbeat ??= setInterval(() => {
      beat().catch((error) => logger.warn('sessions of streams could not be read', { error }));
    }, heartbeatMs);
    stream.res.on('close', () => {
      user.streams.delete(stream);
      if (user.streams.size === 0) users.delete(owner.user_id);
      all.delete(stream);
      open.set(all.size);
    });
  }

  return {
    /**
     * Begins a stream. It ends with the session, and with this process.
     * @throws AppError too_many `too_many_streams`, overloaded `overloaded`
     */
    async open({ companyId, userId }: Caller, session: Session, res: Response): Promise<void> {
      if (!isStopped) changes ??= watch();
      await changes?.catch((error) => {
        changes = null;
        throw error;
      });
      if (res.destroyed) return;
      if (isStopped || all.size >= limits.total) throw new AppError('overloaded', 'overloaded', 'too many streams');
      if ((users.get(userId)?.streams.size ?? 0) >= limits.user) {
        throw new AppError('too_many', 'too_many_streams', `a user has at most ${limits.user} streams: close a tab`);
      }
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      res.write(`retry: ${retryMs()}\n\n`);
      const owner = { company_id: companyId, user_id: userId };
      add(owner, { res, sessionId: session.id, endsAt: endOf(session), unread: 0, isBehind: false });
      await tell(userId);
    },
    /** Ends all streams; there are no new ones after that. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(heartbeat);
      const opened = changes;
      endAll();
      await opened?.then((one) => one.close()).catch(() => undefined);
    },
  };
}

type Change = {
  ns: { coll: string };
  documentKey: { _id: string };
  fullDocument?: { user_id: string };
};
