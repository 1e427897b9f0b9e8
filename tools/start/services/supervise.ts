import type { Exit, RunningProcess } from '../infra/index.ts';

export type Supervised = ReturnType<typeof supervise>;

type SuperviseOptions = {
  name: string;
  running: RunningProcess;
  restart: () => RunningProcess | Promise<RunningProcess>;
  logError: (text: string) => void;
  /** Called once it runs again, with another pid. */
  onRestart: () => void;
  /** Called if it cannot be kept running. */
  fail: (reason: string) => void;
};

const windowMs = 60_000;
const maxExits = 5;

/** Keeps a process running: logs each unexpected exit and restarts it. The fifth within a minute fails the stack. */
export function supervise(options: SuperviseOptions) {
  const { name, logError, onRestart, fail } = options;
  let current = options.running;
  let stopping = false;
  const exits: number[] = [];

  async function watch(): Promise<void> {
    const exit = await current.exited;
    if (stopping) return;
    exits.push(Date.now());
    const recent = exits.filter((at) => at > Date.now() - windowMs).length;
    const what = `${name} ended unexpectedly (${describeExit(exit)})`;
    if (recent >= maxExits) return fail(`${what}, ${recent} times within a minute`);
    logError(`${what}: starting it again`);
    current = await options.restart();
    if (stopping) return current.stop();
    onRestart();
    return watch();
  }

  watch().catch((error: unknown) => {
    if (!stopping) fail(`${name} cannot be started again: ${error instanceof Error ? error.message : error}`);
  });
  return {
    name,
    pid: (): number => current.pid,
    stop(): Promise<void> {
      stopping = true;
      return current.stop();
    },
  };
}

export function describeExit({ code, signal }: Exit): string {
  return signal ? `killed by ${signal}` : `exit code ${code}`;
}
