/** A limit that no test is to reach, on the busiest machine. */
export const ampleMs = 60_000;

/**
 * Waits until `check` no longer throws; calls it after 20 ms, then less and less often, since most checks are requests to a platform that
 * is at work on what they wait for. The limit only ends a test that has failed: it is far beyond what a busy machine takes.
 * @returns what `check` returned
 * @throws its last error, if it still throws after `withinMs`
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 120_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(1.5 * pauseMs, 250)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
