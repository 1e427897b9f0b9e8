import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

type Options = {
  root: string;
  /** The service's program, from the root of the repository. */
  program: string;
  env: NodeJS.ProcessEnv;
};

/**
 * Migrates a service's database and builds its indexes, as `npm run migrate` does: otherwise the service would build
 * indexes of large collections in the background while it is measured. @throws Error with its output
 */
export async function migrate({ root, program, env }: Options): Promise<void> {
  try {
    const options = { cwd: root, env: { ...process.env, ...env } };
    await promisify(execFile)(process.execPath, [join(root, program), 'migrate'], options);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} migrate failed:\n${stdout}${stderr}`);
  }
}
