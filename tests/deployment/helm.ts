import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@app/start/infra';

const version = 'v3.18.6';
const folder = join(homedir(), '.cache/facility-platform', `helm-${version}`);

/** Helm of this machine, or built from its Go module, once, for minutes. @throws Error if there is none, and no Go to build it */
export function findHelm(): string {
  const here = findProgram(['helm', join(folder, 'helm')]);
  if (here) return here;
  if (!findProgram(['go'])) throw new Error('install Helm 3, or Go, which builds it: the chart is not tested without');
  mkdirSync(folder, { recursive: true });
  // Test files run side by side, and one of them builds it for all.
  const lock = findProgram(['flock']) ? ['flock', join(folder, 'lock')] : [];
  const [program = '', ...args] = [...lock, 'go', 'install', `helm.sh/helm/v3/cmd/helm@${version}`];
  const { stderr } = spawnSync(program, args, { env: { ...process.env, GOBIN: folder }, encoding: 'utf8' });
  if (!existsSync(join(folder, 'helm'))) throw new Error(`Helm cannot be built: ${stderr}`);
  return join(folder, 'helm');
}
