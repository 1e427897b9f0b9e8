import { readFileSync } from 'node:fs';
import { identify, isAlive, type ProcessIdentity } from '@app/infra';

export type StopRequests = {
  /** Settles with why, at the first request to stop. */
  requested: Promise<string>;
  /** Settles when someone presses Ctrl-C again because stopping takes too long. */
  insisted: Promise<void>;
  dispose(): void;
};

/** One Ctrl-C arrives twice, from the terminal and from npm, which passes it on. */
const samePressMs = 750;
const parentLookMs = 500;

/** Listens for everything that asks the launcher to stop: signals, its terminal, the npm that started it. */
export function listenForStop(env: NodeJS.ProcessEnv = process.env): StopRequests {
  let first = 0;
  let ask: (reason: string) => void = () => {};
  let insist: () => void = () => {};
  const requested = new Promise<string>((settle) => {
    ask = settle;
  });
  const insisted = new Promise<void>((settle) => {
    insist = settle;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    ask(signal === 'SIGHUP' ? 'its terminal is gone' : signal === 'SIGINT' ? 'Ctrl-C' : signal);
    if (first === 0) first = Date.now();
    else if (signal === 'SIGINT' && Date.now() - first > samePressMs) insist();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  const parents = env['npm_lifecycle_event'] ? npmAncestors() : [];
  const timer = setInterval(() => {
    if (!parents.every(isAlive)) ask('the npm that started it is gone');
  }, parentLookMs).unref();
  const dispose = () => {
    clearInterval(timer);
    for (const signal of signals) process.off(signal, onSignal);
  };
  return { requested, insisted, dispose };
}

/** Our parent, and its parent where a shell stands between npm and us: npm may be killed without a word to us. */
function npmAncestors(): ProcessIdentity[] {
  try {
    const parent = identify(process.ppid);
    const stat = process.platform === 'linux' ? readFileSync(`/proc/${process.ppid}/stat`, 'utf8') : '';
    const [, name, grandparent] = /\((.*)\) \S (\d+)/.exec(stat) ?? [];
    const isShell = name !== undefined && /^(sh|dash|bash|zsh|ash|ksh)$/.test(name);
    return isShell && Number(grandparent) > 1 ? [parent, identify(Number(grandparent))] : [parent];
  } catch {
    return [];
  }
}
