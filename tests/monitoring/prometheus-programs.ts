import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const folder = join(homedir(), '.cache/facility-platform/prometheus');

/** A program of Prometheus on this machine, or of Debian's package, unpacked and not installed; null if there is none. */
export function findPrometheusProgram(name: 'prometheus' | 'promtool'): string | null {
  if (spawnSync(name, ['--version']).status === 0) return name;
  const unpacked = join(folder, 'unpacked/usr/bin', name);
  if (!existsSync(unpacked)) unpack();
  return existsSync(unpacked) ? unpacked : null;
}

function unpack(): void {
  mkdirSync(folder, { recursive: true });
  const options = { cwd: folder, timeout: 60_000 };
  const download = () => spawnSync('apt-get', ['-q', 'download', 'prometheus'], options).status === 0;
  // The lists of packages may be old, or missing. Only root can renew them.
  if (!download() && (spawnSync('apt-get', ['-q', 'update'], options).status !== 0 || !download())) return;
  const file = readdirSync(folder).find((entry) => entry.endsWith('.deb'));
  if (file) execFileSync('dpkg-deb', ['-x', join(folder, file), join(folder, 'unpacked')]);
}
