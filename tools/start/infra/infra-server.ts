import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Processes, RunningProcess } from './processes/processes.ts';

/** Tells the person who waits what happens, one line at a time. */
export type Say = (line: string) => void;

export type InfraOptions = {
  /** Where the server keeps its data; created if it is missing. */
  dataDir: string;
  port: number;
  say: Say;
  processes: Processes;
  /** Uses only what is on the machine and fetches nothing (`npm start -- --no-install`). */
  isOffline?: boolean;
};

/** A server that responds: its URL, how it was found or fetched (one line), and its process if we started one. */
export type InfraServer = { url: string; how: string; process?: RunningProcess };

/** A server is not available on this machine, or does not start; the message says what to do. */
export class InfraError extends Error {
  override readonly name = 'InfraError';
}

/** The user's cache of fetched programs: a fresh clone does not fetch again. */
export function cacheDirectory(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'facility-platform');
}

/** A short name for a folder, the same at every start: names containers, volumes and links. */
export function folderId(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

/** Waits until `ready` does not throw, or the process ends, or the time is over. @returns the failure, if any */
export async function waitUntilReady(options: {
  ready: () => Promise<unknown>;
  process?: RunningProcess;
  timeoutMs: number;
}): Promise<string | undefined> {
  const deadline = Date.now() + options.timeoutMs;
  let ended: string | undefined;
  void options.process?.exited.then(({ code, signal }) => {
    ended = `it ended with ${signal ?? `code ${code}`}`;
  });
  for (;;) {
    try {
      await options.ready();
      return undefined;
    } catch (error) {
      if (ended) return ended;
      if (Date.now() > deadline) return `it did not answer within ${options.timeoutMs / 1000} s (${error})`;
    }
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
