import { join } from 'node:path';
import type { Processes } from '../infra/index.ts';
import type { Output } from '../output.ts';
import type { ServiceEntry } from '../service-table.ts';
import { describeExit } from './supervise.ts';

type Build = { root: string; services: ServiceEntry[]; processes: Processes; output: Output };

/** Builds what services serve, if their sources have changed since the last build. @throws Error if a build fails */
export async function buildServices({ root, services, processes, output }: Build): Promise<void> {
  for (const { name, build, program } of services) {
    // A program that tests have replaced needs no build.
    if (build === undefined || program !== undefined) continue;
    const running = processes.start({
      program: process.execPath,
      args: [join(root, 'services', name, build)],
      env: { PATH: process.env['PATH'] },
      cwd: root,
      rank: 3,
      graceMs: 1_000,
      output: { line: (text) => output.line(name, text) },
    });
    const exit = await running.exited;
    if (exit.code !== 0) throw new Error(`${name} could not be built (${describeExit(exit)}); its last lines say why`);
  }
}
