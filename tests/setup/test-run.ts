import type { TestInfra } from './find-infra.ts';
import type { TestPlatform } from './platform.ts';

type TestRun = { infra?: TestInfra; platform?: TestPlatform };

/** What this run of Jest has started. All projects share one process for setup and teardown. */
const shared = globalThis as { testRun?: TestRun };
shared.testRun ??= {};
export const testRun: TestRun = shared.testRun;

/** Stops everything, the platform first. A second call does nothing. */
export async function stopEverything(): Promise<void> {
  const { platform, infra } = testRun;
  delete testRun.platform;
  delete testRun.infra;
  await platform?.stop();
  await infra?.stop();
}
