import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const folder = join(homedir(), '.cache/facility-platform/prometheus');
const unpacked = join(folder, 'unpacked/usr/bin/promtool');

/** The `promtool` of this machine, or the one of Debian's package, unpacked and not installed; null if there is none. */
export function findPromtool(): string | null {
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool';
  if (!existsSync(unpacked)) unpack();
  return existsSync(unpacked) ? unpacked : null;
}

function unpack(): void {
  mkdirSync(folder, { recursive: true });
  const options = { cwd: folder, timeout: 60_000 };
  const download = () => spawnSync('apt-get', ['-q', 'download', 'prometheus'], options).status === 0;
  // The lists of packages may be old, or missing. Only root can renew them.
  if (!download() && (spawnSync('apt-get', ['-q', 'update'], options).status !== 0 || !download())) return;
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (file) execFileSync('dpkg-deb', ['-x', join(folder, file), join(folder, 'unpacked')]);
}
