import { join } from 'node:path';
import type { Processes } from '../infra/index.ts';
import type { Output } from '../output.ts';

type Options = { root: string; processes: Processes; output: Pick<Output, 'error'> };

/**
 * Builds the guide in the background if one of its pages is newer. Nobody waits for it, and nothing fails without it.
 */
export async function buildGuideIfOutdated({ root, processes, output }: Options): Promise<void> {
  const said: string[] = [];
  const running = processes.start({
    program: process.execPath,
    args: [join(root, 'tools/guide/main.ts'), '--if-outdated'],
    env: { ...process.env },
    cwd: root,
    rank: 3,
    graceMs: 1_000,
    output: { line: (text: string) => said.push(text) },
  });
  const { code } = await running.exited;
  if (code !== 0 && code !== null)
    output.error(`/guide is not built, or as it was before: ${said.slice(0, 5).join(' ')}`);
}
