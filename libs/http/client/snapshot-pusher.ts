import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@app/kernel';
import { LRUCache } from 'lru-cache';

/** A version of something that another service keeps a projection of. */
type State = { id: string; version: number };

type SnapshotPusher = {
  /**
   * Calls `send`, which pushes the state to the other service, and retries it for some seconds. Does nothing if this process has
   * already pushed this version or a newer one, so a handler may call it whether it wrote the state or only returns it.
   * @returns what `send` returned; null if it was not called
   * @throws what the last attempt failed with
   */
  push<Reply>(state: State, send: () => Promise<Reply>): Promise<Reply | null>;
};

/** A service that is restarted needs a second or two; a request waits no longer than this. */
const defaultRetryMs = 3_000;
const [firstDelayMs, maxDelayMs] = [50, 500];
const maxCachedVersions = 10_000;
/** Errors that are no outage: retrying would fail again. */
const permanent = ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unprocessable'];

/**
 * Pushes what was written to the service that shows it, before the writer responds, so that the next read shows the write. If that
 * fails, so does the request, and repeating it pushes again; the event that is saved with the write arrives in any case.
 */
export function createSnapshotPusher({ forMs = defaultRetryMs }: { forMs?: number | undefined } = {}): SnapshotPusher {
  const pushed = new LRUCache<string, number>({ max: maxCachedVersions });

  async function sendWithRetries<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    const until = performance.now() + forMs;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      try {
        return await send();
      } catch (error) {
        const isPermanent = error instanceof AppError && permanent.includes(error.kind);
        if (isPermanent || performance.now() + delayMs >= until) throw error;
      }
      await delay(delayMs);
    }
  }

  return {
    async push({ id, version }, send) {
      if ((pushed.get(id) ?? -1) >= version) return null;
      const reply = await sendWithRetries(send);
      if ((pushed.get(id) ?? -1) < version) pushed.set(id, version);
      return reply;
    },
  };
}
