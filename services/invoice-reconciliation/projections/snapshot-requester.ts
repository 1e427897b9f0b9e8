type Deps = {
  /** Publishes a request for the snapshots of all tickets. */
  request: () => Promise<unknown>;
  onError: (error: unknown) => void;
};

/** One request republishes everything, so it serves all tickets that are found unreadable within this time. */
const validForMs = 10 * 60_000;

/**
 * Requests snapshots if a projection cannot be read, at most once in 10 minutes. If another call comes within that time, a
 * further request follows at its end, because the first one may have passed that ticket already.
 */
export function createSnapshotRequester({ request, onError }: Deps): () => Promise<void> {
  let current: Promise<void> | null = null;
  let calledAgain = false;

  async function run(): Promise<void> {
    await request();
    setTimeout(() => {
      current = null;
      if (!calledAgain) return;
      calledAgain = false;
      runOnce().catch(onError);
    }, validForMs).unref();
  }

  function runOnce(): Promise<void> {
    current ??= run().catch((error: unknown) => {
      current = null;
      throw error;
    });
    return current;
  }

  return () => {
    calledAgain = current !== null;
    return runOnce();
  };
}
