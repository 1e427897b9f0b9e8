import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Say } from './infra-server.ts';
import { lastLines } from './run.ts';

/**
 * A package with a daemon would start it for the whole machine, on its usual ports, which nobody asked for. Debian's
 * policy file forbids that while we install; one that is there already is the administrator's, and stays as it is.
 * Another start of ours may be at work: one installs after the other. Any other apt-get is waited for by apt itself.
 */
const installer = `
set -eu
trap '' INT HUP TERM
exec 9>/run/lock/facility-platform-apt.lock
flock 9
policy=/usr/sbin/policy-rc.d
if (set -C; printf '#!/bin/sh\\nexit 101\\n' > "$policy") 2>/dev/null; then
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 -qq update || true
apt-get -o DPkg::Lock::Timeout=300 -qq -y --no-install-recommends install "$1" 9>&-
`;

/** Installs a package of Debian or Ubuntu, where we are root on one. @returns why it failed, if it did */
export async function aptInstall(name: string, say: Say): Promise<string | undefined> {
  if (!isDebianLike()) return 'only Debian and Ubuntu are known here';
  if (process.getuid?.() !== 0) return 'that needs root';
  say(`installing ${name} with apt-get …`);
  const started = Date.now();
  const ticker = setInterval(() => say(`  … ${Math.round((Date.now() - started) / 1000)} s`), 5_000);
  try {
    return await runInstaller(name);
  } finally {
    clearInterval(ticker);
  }
}

/**
 * A process of its own group that writes to a file and so ends by itself, also without us: dpkg cut off in the middle
 * would leave the machine to repair.
 */
async function runInstaller(name: string): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'apt-'));
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn('/bin/sh', ['-c', installer, 'installer', name], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const code = await new Promise((done) => {
    child.once('error', () => done(127));
    child.once('exit', done);
  });
  const output = readFileSync(join(folder, 'log'), 'utf8');
  rmSync(folder, { recursive: true });
  return code === 0 ? undefined : `apt-get says ${lastLines(output, 3)}`;
}

function isDebianLike(): boolean {
  try {
    return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}
