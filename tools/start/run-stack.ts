import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createProcesses, type Processes } from '@app/infra';
import type { Arguments } from './arguments.ts';
import { bringUp } from './bring-up.ts';
import { takeLock } from './lock.ts';
import type { Output } from './output.ts';
import type { ServiceEntry } from './service-table.ts';
import { listenForStop } from './stop-requests.ts';
import type { Supervised } from './supervise.ts';

export type StackOptions = {
  root: string;
  arguments: Arguments;
  env: NodeJS.ProcessEnv;
  services: ServiceEntry[];
  output: Output;
};

/** A stack on its way up, up, or on its way down. */
export type Stack = StackOptions & {
  stackDir: string;
  stackFile: string;
  processes: Processes;
  /** The launcher before us did not stop in order: what it started may still be going down. */
  tookOver: boolean;
  parts: Supervised[];
  running: Supervised[];
  giveUp: (reason: string) => void;
  /** Writes the pids anew, once the stack's file stands. */
  pidsChanged?: () => void;
};

type End = { exitCode: number; why: string };

/**
 * Brings the platform up, keeps it up until it is told to stop, and takes everything down that it started.
 * @returns the exit code: 0 where it was asked to stop, 1 where it could not start or stay up
 * @throws AlreadyRunning, UsageError before anything is started
 */
export async function runStack(options: StackOptions): Promise<number> {
  const stackDir = options.env['STACK_DIR'] || join(options.root, '.stack');
  const lock = takeLock(stackDir);
  const stop = listenForStop(options.env);
  const processes = createProcesses();
  let giveUp: (reason: string) => void = () => {};
  const givenUp = new Promise<End>((settle) => {
    giveUp = (why) => settle({ exitCode: 1, why });
  });
  const stackFile = join(stackDir, 'stack.json');
  const { tookOver } = lock;
  const stack: Stack = { ...options, stackDir, stackFile, processes, tookOver, parts: [], running: [], giveUp };
  void stop.insisted.then(() => {
    rmSync(stackFile, { force: true });
    lock.release();
    processes.killNow();
    process.exit(130);
  });
  bringUp(stack).catch((error: unknown) => giveUp(error instanceof Error ? error.message : String(error)));
  const asked = stop.requested.then((reason): End => ({ exitCode: 0, why: reason }));
  const end = await Promise.race([asked, givenUp]);
  if (end.exitCode === 0) options.output.say(`stopping (${end.why}); once more Ctrl-C kills at once …`);
  else options.output.alarm(`${end.why}\nstopping everything …`);
  await takeDown(stack);
  lock.release();
  stop.dispose();
  options.output.say('stopped');
  return end.exitCode;
}

/** The gateway first, so that nothing new comes in; then the services; then what they stand on. */
async function takeDown({ stackFile, running, parts, processes }: Stack): Promise<void> {
  rmSync(stackFile, { force: true });
  const [gateway] = running.filter(({ name }) => name === 'gateway');
  await gateway?.stop();
  await Promise.all(running.map((service) => service.stop()));
  await Promise.all(parts.map((part) => part.stop()));
  // Also what was about to start.
  await processes.close();
}
