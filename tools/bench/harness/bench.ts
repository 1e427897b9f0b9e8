import type { Processes } from '@app/start/infra';
import type { MongoClient } from 'mongodb';
import type { Platform } from './servers.ts';

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
