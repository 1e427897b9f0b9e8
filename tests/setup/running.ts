import type { TestParts } from './parts.ts';
import type { TestPlatform } from './platform.ts';

type Running = { parts?: TestParts; platform?: TestPlatform };

/** What this run of Jest has started. Its projects share one process for setup and teardown. */
const shared = globalThis as { testsRunning?: Running };
shared.testsRunning ??= {};
export const running: Running = shared.testsRunning;

/** Stops everything, the platform before what it stands on; whoever comes second finds nothing left. */
export async function stopEverything(): Promise<void> {
  const { platform, parts } = running;
  delete running.platform;
  delete running.parts;
  await platform?.stop();
  await parts?.stop();
}
