import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '@app/start/infra';

/**
 * Completes package-lock.json (`npm run docs -- lock`, after a change of dependencies). If a registry lacks the optional packages of
 * some platforms, `npm install` leaves them out of the lock, and `npm ci` then rejects it as out of sync. An entry without a
 * resolved address is enough: npm skips packages of other platforms.
 */
type Entry = {
  version?: string;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optional?: boolean;
};
type Lock = { packages: Record<string, Entry> };

const systems = ['darwin', 'linux', 'win32', 'freebsd', 'android', 'openharmony', 'netbsd', 'openbsd', 'sunos', 'aix'];
const processors = ['arm64', 'x64', 'ia32', 'arm', 'armv7', 'ppc64', 's390x', 'riscv64', 'loong64'];

export async function run(_args: string[], { root }: Place): Promise<void> {
  const file = join(root, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !lock.packages[`node_modules/${name}`] && !lock.packages[`${path}/node_modules/${name}`])
      .map(([name, version]) => ({ name, version, dev })),
  );
  for (const { name, version, dev } of missing) {
    lock.packages[`node_modules/${name}`] = { version, ...platformOf(name), ...(dev ? { dev } : {}), optional: true };
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${missing.length} optional packages of other platforms added to ${file}`);
}

/** Derived from the name, as in `core-linux-arm64-musl`. */
function platformOf(name: string): Entry {
  const words = (name.split('/').pop() ?? '').split('-');
  const os = words.find((word) => systems.includes(word));
  const cpu = words.find((word) => processors.includes(word));
  if (!os || !cpu) throw new Error(`${name} is an optional package, but not of a platform: see why npm left it out`);
  const musl = words.some((word) => word.startsWith('musl'));
  const libc =
    os === 'linux' && (musl || words.some((word) => word.startsWith('gnu'))) ? { libc: [musl ? 'musl' : 'glibc'] } : {};
  return { cpu: [cpu], os: [os], ...libc };
}
