import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Processes } from '@app/infra';
import type { ServiceEntry } from './service-table.ts';

/**
 * How services run, for memory's sake (docs/decisions.md): V8 would keep tens of megabytes of young objects before it
 * looks at them, and glibc one heap of freed memory for each thread. With `--expose-gc` a service gives back at rest what
 * a load took (libs/runtime/idle-gc.ts).
 */
export const serviceNodeArguments = ['--max-semi-space-size=16', '--heap-growing-percent=60', '--expose-gc'];

/** Compiled code is kept between starts: they are quicker, and no process holds the TypeScript parser in memory. */
export function nodeEnvironment(stackDir: string): Record<string, string> {
  return {
    NODE_COMPILE_CACHE: join(stackDir, 'compile-cache'),
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '262144',
  };
}

export function programOf(root: string, { program, name }: ServiceEntry): string {
  return resolve(root, program ?? join('services', name, 'main.ts'));
}

type Compile = { root: string; stackDir: string; services: ServiceEntry[]; processes: Processes };

/**
 * Fills the cache before a first start, while the parts start: each service run without any settings loads all of its
 * code, says that settings are missing, and ends.
 */
export async function compileServices({ root, stackDir, services, processes }: Compile): Promise<void> {
  if (existsSync(join(stackDir, 'compile-cache'))) return;
  // A program given in its place is not known to end without settings.
  for (const entry of services.filter(({ program }) => program === undefined)) {
    const running = processes.start({
      program: process.execPath,
      args: [...serviceNodeArguments, programOf(root, entry)],
      env: { PATH: process.env['PATH'], ...nodeEnvironment(stackDir) },
      cwd: root,
      rank: 3,
      graceMs: 1_000,
      output: { line: () => undefined },
    });
    await running.exited;
  }
}
