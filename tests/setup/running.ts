import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { TestParts } from './parts.ts';

type Running = { parts?: TestParts; platform?: { process: ChildProcess; dir: string } };

/** What this run of Jest has started. Its projects share one process for setup and teardown. */
const shared = globalThis as { testsRunning?: Running };
shared.testsRunning ??= {};
export const running: Running = shared.testsRunning;

/** Stops everything, the platform before what it stands on; whoever comes second finds nothing left. */
export async function stopEverything(): Promise<void> {
  const { platform, parts } = running;
  delete running.platform;
  delete running.parts;
  if (platform) {
    const gone = new Promise((resolve) => platform.process.once('exit', resolve));
    if (platform.process.exitCode === null && platform.process.kill('SIGTERM')) await gone;
    await rm(platform.dir, { recursive: true, force: true });
  }
  await parts?.stop();
}
