import { findChromium } from './chromium.ts';
import platformUp from './platform-up.ts';

/** Jest's global setup of the browser tests: the platform, once there is a browser. */
export default async function browserUp(): Promise<void> {
  process.env['CHROMIUM'] = await findChromium();
  await platformUp();
}
