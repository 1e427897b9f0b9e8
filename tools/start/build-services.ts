import { join } from 'node:path';
import type { Processes } from '@app/infra';
import type { Output } from './output.ts';
import type { ServiceEntry } from './service-table.ts';
import { describeExit } from './supervise.ts';

type Build = { root: string; services: ServiceEntry[]; processes: Processes; output: Output };

/** Makes what services serve, where their sources have changed since: a second after a change, else nothing. @throws Error if one cannot be made */
export async function buildServices({ root, services, processes, output }: Build): Promise<void> {
  for (const { name, build, program } of services) {
    // A replaced program (tests) serves something else.
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
