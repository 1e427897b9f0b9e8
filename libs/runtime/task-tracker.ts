/** Tracks background work, so that a stop can wait for it. */
export type TaskTracker = {
  /** Resolves once the work has settled. A failure goes to `onError` alone. */
  track(work: Promise<void>): Promise<void>;
  /** Resolves once no work is running, including work that starts meanwhile. */
  drain(): Promise<void>;
};

export function createTaskTracker(onError: (error: unknown) => void): TaskTracker {
  const running = new Set<Promise<void>>();
  return {
    track(work) {
      const tracked = work.catch(onError).finally(() => running.delete(tracked));
      running.add(tracked);
      return tracked;
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
