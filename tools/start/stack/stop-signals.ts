import { readFileSync } from 'node:fs';
import { identify, isAlive, type ProcessIdentity } from '../infra/index.ts';

/** One Ctrl-C arrives twice: from the terminal and from npm. */
const samePressMs = 750;
const parentLookMs = 500;

/** Listens for everything that stops the launcher: signals, a closed terminal, the end of its npm. */
export function listenForStopSignals(env: NodeJS.ProcessEnv = process.env) {
  let first = 0;
  const stop = Promise.withResolvers<string>();
  const force = Promise.withResolvers<void>();
  const onSignal = (signal: NodeJS.Signals) => {
    stop.resolve(signal === 'SIGHUP' ? 'its terminal is gone' : signal === 'SIGINT' ? 'Ctrl-C' : signal);
    if (first === 0) first = Date.now();
    else if (signal === 'SIGINT' && Date.now() - first > samePressMs) force.resolve();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  const parents = env['npm_lifecycle_event'] ? npmAncestors() : [];
  const timer = setInterval(() => {
    if (!parents.every(isAlive)) stop.resolve('the npm that started it is gone');
  }, parentLookMs).unref();
  const dispose = () => {
    clearInterval(timer);
    for (const signal of signals) process.off(signal, onSignal);
  };
  return {
    /** Resolves with the reason at the first request to stop. */
    requested: stop.promise,
    /** Resolves if Ctrl-C is pressed again while stopping. */
    forced: force.promise,
    dispose,
  };
}

/** Our parent, and its parent if that is a shell: npm may be killed without passing a signal on. */
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
