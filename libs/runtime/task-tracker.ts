/** Tracks background work, so that a stop can wait for it. */
export type TaskTracker = ReturnType<typeof createTaskTracker>;

export function createTaskTracker(onError: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  return {
    /** Resolves once the work has settled. A failure goes to `onError` alone. */
    track(work: Promise<void>): Promise<void> {
      const tracked = work.catch(onError).finally(() => running.delete(tracked));
      running.add(tracked);
      return tracked;
    },
    /** Resolves once no work is running, including work that starts meanwhile. */
    async drain(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
