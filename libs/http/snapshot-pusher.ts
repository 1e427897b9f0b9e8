import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@app/kernel';

/** A thing as it is at one of its versions. */
type State = { id: string; version: number };

export type SnapshotPusher = {
  /**
   * Tells until it is taken over, again and again for some seconds. Nothing is told where this process has already handed over
   * this version or a newer one, so whoever answers with a state calls this, whether it wrote that state or not.
   * @throws what the last try failed with
   */
  push(state: State, tell: () => Promise<void>): Promise<void>;
};

/** A service that is started anew takes a second or two; a request waits for no more than that. */
const triedForMs = 3_000;
const [firstPauseMs, longestPauseMs] = [50, 500];
/** Of these a repetition costs no request. */
const remembered = 10_000;
/** What an answer says that is no outage: the same request gets the same answer. */
const lasting = ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unprocessable'];

/**
 * What a service that writes tells the one that is read, before it answers: so the next read shows what was written. Where it
 * cannot be told the caller hears that, and its repetition tells it again; the event that is saved with the write tells it too.
 */
export function createSnapshotPusher({ forMs = triedForMs }: { forMs?: number | undefined } = {}): SnapshotPusher {
  const made = new Map<string, number>();

  function remember({ id, version }: State): void {
    if ((made.get(id) ?? 0) >= version) return;
    // Oldest first out: a Map keeps the order of insertion.
    made.delete(id);
    if (made.size >= remembered) made.delete(made.keys().next().value as string);
    made.set(id, version);
  }

  async function tryAll(tell: () => Promise<void>): Promise<void> {
    const until = performance.now() + forMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await tell();
      } catch (error) {
        const isLasting = error instanceof AppError && lasting.includes(error.kind);
        if (isLasting || performance.now() + pauseMs >= until) throw error;
      }
      await pause(pauseMs);
    }
  }

  return {
    async push(state, tell) {
      if ((made.get(state.id) ?? -1) >= state.version) return;
      await tryAll(tell);
      remember(state);
    },
  };
}
