// Servers are unpacked for the user, not installed on the machine: `apt-get` needs root, and a registry may lack other platforms.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Say } from './infra-server.ts';
import type { Processes } from './processes/processes.ts';

type WatchedFetch = {
  program: string;
  args: string[];
  /** Added to the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** Grows while the program fetches: it gets this folder for its temporary files too. */
  folder: string;
  cwd?: string;
  /** Silence before the first byte, and after it, that ends the attempt. */
  firstByteMs: number;
  stallMs: number;
};

/** `processes` runs the program; `say` reports its progress. */
export type FetchTools = { processes: Processes; say: Say; isOffline?: boolean };

/** Why nothing may be fetched; undefined if it may. */
export function offline({ isOffline }: Pick<FetchTools, 'isOffline'>): string | undefined {
  return isOffline ? '--no-install was given' : undefined;
}

const lookMs = 500;
const sayEveryMs = 3_000;

/**
 * Runs a program that downloads, reports its progress, and ends it if no more bytes arrive.
 * Progress is the size of its folder, because each program shows it differently, and none does
 * without a terminal.
 * @returns why it failed, if it did
 */
export async function fetchWatched(fetch: WatchedFetch, { processes, say }: FetchTools): Promise<string | undefined> {
  let output: string[] = [];
  const child = processes.start({
    program: fetch.program,
    args: fetch.args,
    env: { ...process.env, ...fetch.env, TMPDIR: fetch.folder },
    ...(fetch.cwd ? { cwd: fetch.cwd } : {}),
    rank: 3,
    graceMs: 0,
    output: { line: (text) => (output = [...output, text].slice(-20)) },
  });
  let stalled = false;
  const watch = watchGrowth(fetch, say, () => {
    stalled = true;
    void child.stop();
  });
  const { code } = await child.exited;
  clearInterval(watch);
  if (code === 0) return undefined;
  return stalled ? 'nothing comes' : output.at(-1) || `it ended with code ${code}`;
}

function watchGrowth(fetch: WatchedFetch, say: Say, stall: () => void): NodeJS.Timeout {
  const started = Date.now();
  let bytes = 0;
  let grewAt = started;
  let saidAt = started;
  return setInterval(async () => {
    const size = await sizeOf(fetch.folder);
    const now = Date.now();
    if (size > bytes) grewAt = now;
    bytes = Math.max(bytes, size);
    if (now - grewAt > (bytes === 0 ? fetch.firstByteMs : fetch.stallMs)) stall();
    else if (now - saidAt >= sayEveryMs) {
      saidAt = now;
      const elapsed = Math.round((now - started) / 1000);
      say(
        bytes > 0
          ? `  … ${Math.round(bytes / 1e6)} MB in ${elapsed} s`
          : `  … waiting for the first byte, ${elapsed} s`,
      );
    }
  }, lookMs);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(file.parentPath, file.name)).then(
        (found) => found.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
