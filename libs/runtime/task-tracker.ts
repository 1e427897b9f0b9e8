/** Work that nobody waits for until the process stops. */
export type TaskTracker = {
  /** Resolves with the work's end, whatever came of it: a failure goes to `failed` alone. */
  track(work: Promise<void>): Promise<void>;
  /** Once nothing is under way, what began meanwhile included. */
  drain(): Promise<void>;
};

export function createTaskTracker(failed: (error: unknown) => void): TaskTracker {
  const running = new Set<Promise<void>>();
  return {
    track(work) {
      const tracked = work.catch(failed).finally(() => running.delete(tracked));
      running.add(tracked);
      return tracked;
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
