import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import infraUp from './infra-up.ts';
import { startPlatform } from './platform.ts';
import { testRun } from './test-run.ts';

/** Jest's global setup of the end-to-end tests: one platform for all of them, shared by all files. */
export default async function platformUp(): Promise<void> {
  await infraUp();
  testRun.platform ??= await startPlatform('e2e', { NODE_OPTIONS: withPreload('cheap-scrypt.ts') });
  process.env['STACK_DIR'] = testRun.platform.dir;
  process.env['PLATFORM_NAMESPACE'] = testRun.platform.namespace;
  // Not set if the same calls are made to another release.
  process.env['CHECK_ANSWERS'] = '1';
  process.env['TRACES_URL'] = testRun.platform.traces;
}

function withPreload(name: string): string {
  return `${process.env['NODE_OPTIONS'] ?? ''} --import=${pathToFileURL(join(__dirname, name)).href}`;
}
