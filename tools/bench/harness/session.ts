import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcesses, type Processes } from '@app/infra';

/** What a measurement starts and leaves: all of it is taken down at its end, whatever ends it. */
export type Session = {
  processes: Processes;
  /** A folder that is removed at the end of the session. */
  temporary: string;
  /** Registers a cleanup; cleanups run in reverse order. */
  onEnd(undo: () => Promise<void>): void;
  /** Runs the cleanups now. */
  end(): Promise<void>;
};

/** Runs a measurement; its cleanups run after it, also if it fails or a signal arrives. */
export async function withSession(run: (session: Session) => Promise<void>): Promise<void> {
  const processes = createProcesses();
  const temporary = mkdtempSync(join(tmpdir(), 'bench-'));
  const undo: (() => Promise<void>)[] = [
    async () => rmSync(temporary, { recursive: true, force: true }),
    () => processes.close(),
  ];
  const end = () => takeDown(undo);
  const stop = () => void end().then(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  try {
    await run({ processes, temporary, onEnd: (one) => void undo.push(one), end });
  } finally {
    await end();
  }
}

/** Last in, first out; each once, also if two signals arrive. */
async function takeDown(undo: (() => Promise<void>)[]): Promise<void> {
  for (let one = undo.pop(); one; one = undo.pop()) {
    await one().catch((error: unknown) => console.error(error instanceof Error ? error.message : error));
  }
}
