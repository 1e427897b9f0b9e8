import partsUp from './parts-up.ts';
import { startPlatform } from './platform.ts';
import { running } from './running.ts';

/** Jest's global setup of the end-to-end tests: one platform for all of them, that none of them harms. */
export default async function platformUp(): Promise<void> {
  await partsUp();
  running.platform = await startPlatform('e2e');
  process.env['STACK_DIR'] = running.platform.dir;
  process.env['FLOWS_URL'] = running.platform.flows;
}
