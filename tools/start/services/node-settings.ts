import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Processes } from '../infra/index.ts';
import type { ServiceEntry } from '../service-table.ts';

/**
 * Node's arguments that save memory (docs/decisions/memory-at-rest.md): V8 would let
 * tens of megabytes of young objects pile up before it collects them, and glibc keeps a heap of
 * freed memory for each thread. With `--expose-gc` a service at rest gives the memory of a load
 * back (libs/runtime/garbage-collection.ts).
 */
export const serviceNodeArguments = ['--max-semi-space-size=16', '--heap-growing-percent=60', '--expose-gc'];

/** The cache of a stack, or one that the environment names: test runs start many stacks, which share it. */
export function compileCache(stackDir: string): string {
  return process.env['NODE_COMPILE_CACHE'] || join(stackDir, 'compile-cache');
}

/** Compiled code is cached between starts: they are faster, and no process holds the TypeScript parser in memory. */
export function nodeEnvironment(stackDir: string): Record<string, string> {
  return {
    NODE_COMPILE_CACHE: compileCache(stackDir),
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '262144',
  };
}

export function programOf(root: string, { program, name }: ServiceEntry): string {
  return resolve(root, program ?? join('services', name, 'main.ts'));
}

type Compile = { root: string; stackDir: string; services: ServiceEntry[]; processes: Processes };

/**
 * Fills the compile cache before the first start, while MongoDB and RabbitMQ start: a service without settings loads all
 * of its code, reports that settings are missing, and exits.
 */
export async function compileServices({ root, stackDir, services, processes }: Compile): Promise<void> {
  if (existsSync(compileCache(stackDir))) return;
  // A replaced program (tests) may not exit without settings.
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
