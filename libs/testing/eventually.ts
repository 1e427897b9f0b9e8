/**
 * Waits until `check` stops throwing, asking every 20 ms; its last error where it still throws after `withinMs`.
 * What is waited for is a condition, so a test neither sleeps for luck nor hides a race. The limit is there to end a test that
 * failed, far beyond what a busy machine takes.
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
