import type { RequestListener } from 'node:http';
import type { ReadyCheck, VerifyToken } from '@app/http';
import type { Broker } from '@app/messaging';
import type { Process } from '@app/runtime';
import type { Connection } from 'mongoose';
import type { Migration } from './migrations/index.ts';
import type { RestoredDatabase } from './restore/index.ts';

/** What a service builds its app from. */
type Service<Settings> = Process<Settings> & {
  connection: Connection;
  broker: Broker;
  /** The time by the clock of the database. */
  now: () => Date;
  verifyToken: VerifyToken;
  /** Adds a check to `/readyz`; it rejects while what the service needs does not answer. */
  onReadyCheck(name: string, check: ReadyCheck): void;
};

/** Work beside requests and events: a relay, a poller, a dispatcher. */
type Worker = { start(): void | Promise<void>; stop(): Promise<void> };

type ServiceApp = {
  handler: RequestListener;
  /** Starts to consume events. */
  subscribe(): Promise<void>;
  /** Started in this order, stopped in reverse. */
  workers: Record<string, Worker>;
};

export type ServiceOptions<Settings> = {
  /** Also the name of its database and the prefix of its queues. */
  name: string;
  /** @throws ConfigError */
  loadSettings: () => Settings;
  /** In order; those that have not run yet run before anything is started. */
  migrations: readonly Migration[];
  /** What becomes of its database once that was restored to an older state. */
  restored: RestoredDatabase;
  /** Declares every model, and does no I/O. */
  createApp: (service: Service<Settings>) => ServiceApp;
};
