import type { Processes } from '@app/start/infra';
import type { MongoClient } from 'mongodb';

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
  /** Where it keeps its data, its keys and its compiled code. */
  stackDir: string;
};

/** The context of every suite. */
export type Bench = {
  root: string;
  /** Removed at the end. */
  folder: string;
  platform: Platform;
  /** Of the platform's MongoDB. */
  client: MongoClient;
  processes: Processes;
  /** How many tickets count as a million (`--million`). */
  million: number;
  rounds: number;
  roundMs: number;
  /** Writes a line of progress to stderr; stdout has the tables alone. */
  progress(line: string): void;
  print(table: string): void;
  /** Registers a cleanup; cleanups run in reverse order. */
  onEnd(undo: () => Promise<void>): void;
};
