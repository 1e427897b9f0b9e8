import { detached } from '@app/runtime/tracing';

/** Runs a task again and again: never two at once, and the next one `everyMs` after the previous one ended. */
export type Poller = ReturnType<typeof createPoller>;

type Options = {
  /** If it resolves to true there is more to do: it runs again at once, unless the poller was stopped. */
  run(): Promise<unknown>;
  everyMs: number;
  /** Pauses differ by up to a fifth, so that replicas that started together do not run together. */
  jittered?: boolean;
  /** The first run starts with `start()`; by default `everyMs` later. */
  immediate?: boolean;
  /** Receives what a run failed with; polling goes on. */
  onError(error: unknown): void;
};

export function createPoller({ run, everyMs, jittered = false, immediate = false, onError }: Options) {
  let state: 'new' | 'started' | 'stopped' = 'new';
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let notified = false;
  const pauseMs = () => everyMs * (jittered ? 0.8 + 0.4 * Math.random() : 1);

  function schedule(delayMs: number): void {
    timer = setTimeout(runNow, delayMs);
  }

  function runNow(): void {
    clearTimeout(timer);
    notified = false;
    // The runs are not part of the trace of whoever notifies.
    running = detached(runOnce).finally(() => {
      running = undefined;
      if (state === 'started') schedule(notified ? 0 : pauseMs());
    });
  }

  async function runOnce(): Promise<void> {
    try {
      while ((await run()) === true && state === 'started');
    } catch (error) {
      onError(error);
    }
  }

  return {
    start(): void {
      if (state !== 'new') return;
      state = 'started';
      detached(() => schedule(immediate ? 0 : pauseMs()));
    },
    /** Runs now, or once more at once if a run is under way. Does nothing before `start` and after `stop`. */
    notify(): void {
      if (state !== 'started') return;
      if (running) notified = true;
      else runNow();
    },
    /** Starts no further run; resolves once the run under way has ended. */
    async stop(): Promise<void> {
      state = 'stopped';
      clearTimeout(timer);
      await running;
    },
  };
}
