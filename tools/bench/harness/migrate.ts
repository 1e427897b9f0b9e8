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
 * Migrates a service's database and builds its indexes, as `npm run migrate` does: at its start a service builds the indexes of large
 * collections in the background, and until then it is not what is to be measured. @throws Error with what it said
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
