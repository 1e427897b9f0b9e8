import type { ServerResponse } from 'node:http';
import type { Caller } from '@app/contracts';
import { AppError } from '@app/kernel';
import { gaugeOnScrape, type Logger } from '@app/runtime';
import { findOwner, type OwnerDeps } from '../credentials/authenticate.ts';
import { callerOf, endOf, type Session } from '../sessions/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { Changes, WatchChanges } from './notification-changes-store.ts';
import type { NotificationStore, Owner } from './notification-store.ts';

type Deps = OwnerDeps & {
  watch: WatchChanges;
  notifications: Pick<NotificationStore, 'countUnread'>;
  sessions: Pick<SessionStore, 'lasting'>;
  logger: Logger;
  now: () => Date;
  /** Streams of one user, and of this process. */
  limits?: { user: number; total: number };
  heartbeatMs?: number;
  /** Aborted once the process is to stop. */
  draining?: AbortSignal | undefined;
};

/** `endsAt`: of the session, as far as is known. `isBehind`: the client did not take the last count in time. */
type Stream = { res: ServerResponse; sessionId: string; endsAt: Date; unread: number; isBehind: boolean };
type User = { owner: Owner; streams: Set<Stream>; isCounting: boolean; isChanged: boolean };

/** Shorter than half the time after which the gateway takes a silent stream for dead. */
const everyHeartbeatMs = 25_000;
/** Clients come back at different times after a process has stopped. */
const retryMs = () => Math.round(2_000 + Math.random() * 8_000);
const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/**
 * Streams of server-sent events, one for each open tab: how many notifications of its user are unread, whenever that may have changed.
 * One change stream of the database feeds all of them; it is opened with the first.
 */
export class NotificationStreams {
  readonly #deps: Deps;
  readonly #limits: { user: number; total: number };
  readonly #users = new Map<string, User>();
  readonly #streams = new Map<Stream, User>();
  #changes: Promise<Changes> | null = null;
  #heartbeat: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? { user: 20, total: 5_000 };
    // They never end by themselves: whoever waits for requests to end would wait for them.
    deps.draining?.addEventListener('abort', () => void this.stop());
    gaugeOnScrape({
      name: 'notification_streams',
      help: 'Open streams of notifications',
      read: async () => [{ value: this.#streams.size }],
    });
  }

  /**
   * Begins a stream. It ends with the session, and with this process.
   * @throws AppError too_many `too_many_streams`, overloaded `overloaded`
   */
  async open({ companyId, userId }: Caller, session: Session, res: ServerResponse): Promise<void> {
    if (!this.#isStopped) this.#changes ??= this.#watch();
    await this.#changes?.catch((error) => {
      this.#changes = null;
      throw error;
    });
    if (res.destroyed) return;
    const { user: most, total } = this.#limits;
    if (this.#isStopped || this.#streams.size >= total)
      throw new AppError('overloaded', 'overloaded', 'too many streams');
    if ((this.#users.get(userId)?.streams.size ?? 0) >= most)
      throw new AppError('too_many', 'too_many_streams', `a user has at most ${most} streams: close a tab`);
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    res.write(`retry: ${retryMs()}\n\n`);
    const stream = { res, sessionId: session.id, endsAt: endOf(session), unread: 0, isBehind: false };
    this.#add({ company_id: companyId, user_id: userId }, stream);
    await this.#tell(userId);
  }

  /** Ends all streams; there are no new ones after that. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#heartbeat);
    const opened = this.#changes;
    this.#endAll();
    await opened?.then((changes) => changes.close()).catch(() => undefined);
  }

  #watch(): Promise<Changes> {
    return this.#deps.watch({
      changed: (userId) => void this.#tell(userId),
      sessionEnded: (ended) => {
        for (const { res, sessionId } of this.#streams.keys()) if (sessionId === ended) res.end();
      },
      lost: (error) => {
        this.#deps.logger.warn('notifications are watched no longer: streams end, to be opened again', { error });
        this.#endAll();
      },
    });
  }

  #endAll(): void {
    void this.#changes?.then((changes) => changes.close()).catch(() => undefined);
    this.#changes = null;
    for (const { res } of this.#streams.keys()) res.end();
  }

  #add(owner: Owner, stream: Stream): void {
    const { user_id } = owner;
    const user = this.#users.get(user_id) ?? { owner, streams: new Set(), isCounting: false, isChanged: false };
    this.#users.set(user_id, user);
    user.streams.add(stream);
    this.#streams.set(stream, user);
    const { heartbeatMs = everyHeartbeatMs, logger } = this.#deps;
    this.#heartbeat ??= setInterval(() => {
      this.#beat().catch((error) => logger.warn('sessions of streams could not be read', { error }));
    }, heartbeatMs);
    stream.res.on('close', () => {
      user.streams.delete(stream);
      if (user.streams.size === 0) this.#users.delete(user_id);
      this.#streams.delete(stream);
    });
  }

  /** Counts once more if something happens meanwhile, however often. */
  async #tell(userId: string): Promise<void> {
    const user = this.#users.get(userId);
    if (!user) return;
    user.isChanged = true;
    if (user.isCounting) return;
    user.isCounting = true;
    try {
      while (user.isChanged) {
        user.isChanged = false;
        const owner = await findOwner(this.#deps, user.owner);
        const reader = owner && callerOf(owner.user, owner.company, 'session');
        const unread = reader ? await this.#deps.notifications.countUnread(reader) : 0;
        for (const stream of user.streams) send(stream, unread);
      }
    } catch (error) {
      this.#deps.logger.warn('unread notifications could not be counted: streams of the user end', { userId, error });
      for (const { res } of user.streams) res.end();
    } finally {
      user.isCounting = false;
    }
  }

  /** Also finds out which sessions are over: nothing tells when one was not used for too long. */
  async #beat(): Promise<void> {
    const at = this.#deps.now();
    const over: Stream[] = [];
    for (const stream of this.#streams.keys()) {
      if (stream.endsAt <= at) over.push(stream);
      // It took nothing since the last heartbeat.
      else if (stream.res.writableNeedDrain) stream.res.destroy();
      else if (stream.isBehind) send(stream, stream.unread);
      else stream.res.write(':\n\n');
    }
    if (over.length === 0) return;
    const ids = over.map(({ sessionId }) => sessionId);
    const lasting = await this.#deps.sessions.lasting(ids, at);
    for (const stream of over) {
      const endsAt = lasting.get(stream.sessionId);
      if (endsAt) stream.endsAt = endsAt;
      else stream.res.end();
    }
  }
}

function send(stream: Stream, unread: number): void {
  stream.unread = unread;
  stream.isBehind = stream.res.writableNeedDrain;
  if (!stream.isBehind) stream.res.write(`event: notification\ndata: ${JSON.stringify({ unread })}\n\n`);
}
