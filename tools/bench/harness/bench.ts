import type { Authority, Processes } from '@app/start/infra';
import type { MongoClient } from 'mongodb';

/** The name by which the bench itself connects to MongoDB. */
export const appName = 'bench';

/** A running platform, as described by its `stack.json`. */
export type Platform = {
  ticketApi: string;
  tsApi: string;
  providerSandbox: string;
  mongodb: string;
  amqp: string;
  adminToken: string;
  pids: Record<string, number>;
  /** The keys of `keys.json` by setting; with them requests can bypass the gateway. */
  keys: Record<string, string>;
};

/** The context of every suite. What a suite starts may stay until the end. */
export type Bench = {
  root: string;
  platform: Platform;
  /** Issues the certificates that the platform trusts in receivers of webhooks. */
  authority: Authority;
  /** Of the platform's MongoDB. */
  client: MongoClient;
  processes: Processes;
  /** How many tickets count as a million (`--million`). */
  million: number;
  rounds: number;
  roundMs: number;
  /** Writes a line of progress to stderr; stdout has the tables alone. */
  progress(line: string): void;
};
