import { existsSync } from 'node:fs';

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * How Playwright starts the Chromium of the variable CHROMIUM, or that of the machine. @throws Error that says how to get
 * one
 */
export function chromiumLaunch(): { executablePath: string; args: string[] } {
  const { CHROMIUM: given } = process.env;
  const found = given ?? programs.find((path) => existsSync(path));
  if (!found) throw new Error('this needs a browser: apt-get install chromium, or set CHROMIUM to its path');
  // CI runs as root, and there Chromium starts only without its sandbox.
  return { executablePath: found, args: ['--no-sandbox', '--disable-dev-shm-usage'] };
}
