import type { Exit, RunningProcess } from '@app/infra';

export type Supervised = {
  name: string;
  pid(): number;
  stop(): Promise<void>;
};

export type SuperviseOptions = {
  name: string;
  running: RunningProcess;
  again: () => RunningProcess | Promise<RunningProcess>;
  alarm: (text: string) => void;
  /** It has another pid now. */
  changed: () => void;
  /** It cannot be kept running. */
  giveUp: (reason: string) => void;
};

const windowMs = 60_000;
const exitsGivenUpAt = 5;

/** Keeps a process running: each unexpected end is said and it is started again; the fifth within a minute gives up. */
export function supervise(options: SuperviseOptions): Supervised {
  const { name, alarm, changed, giveUp } = options;
  let current = options.running;
  let stopping = false;
  const exits: number[] = [];

  async function watch(): Promise<void> {
    const exit = await current.exited;
    if (stopping) return;
    exits.push(Date.now());
    const recent = exits.filter((at) => at > Date.now() - windowMs).length;
    const what = `${name} ended unexpectedly (${describeExit(exit)})`;
    if (recent >= exitsGivenUpAt) return giveUp(`${what}, ${recent} times within a minute`);
    alarm(`${what}: starting it again`);
    current = await options.again();
    if (stopping) return current.stop();
    changed();
    return watch();
  }

  watch().catch((error: unknown) => {
    if (!stopping) giveUp(`${name} cannot be started again: ${error instanceof Error ? error.message : error}`);
  });
  return {
    name,
    pid: () => current.pid,
    stop() {
      stopping = true;
      return current.stop();
    },
  };
}

export function describeExit({ code, signal }: Exit): string {
  return signal ? `killed by ${signal}` : `exit code ${code}`;
}
