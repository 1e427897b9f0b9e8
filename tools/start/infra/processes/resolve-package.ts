import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Where a package, or a program of this one, stands. Resolved from the running program, which is in the same workspace,
 * because the files of this package run both as ES modules and, under Jest, as CommonJS: neither `import.meta` nor `__dirname`.
 */
export function resolvePackage(
  name: '../orphan-reaper-process.ts' | '../fetch-mongod.ts' | '@sparticuz/chromium',
): string {
  const bases = [process.argv[1], join(process.cwd(), 'package.json')];
  for (const base of bases) {
    try {
      return createRequire(realpathSync(base as string)).resolve(name);
    } catch {
      // Started from elsewhere: the next base.
    }
  }
  throw new Error(`cannot find ${name}: run npm ci in the repository`);
}
