/**
 * Waits until `check` no longer throws; calls it every 20 ms. The limit only ends a test that has failed: it is far beyond what a
 * busy machine takes.
 * @returns what `check` returned
 * @throws its last error, if it still throws after `withinMs`
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 120_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
