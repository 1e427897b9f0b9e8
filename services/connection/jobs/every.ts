/** Runs again and again, but never while the last run is still under way. Ended by `clearInterval`. */
export function every(intervalMs: number, run: () => Promise<void>): NodeJS.Timeout {
  let isRunning = false;
  return setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    await run().finally(() => {
      isRunning = false;
    });
  }, intervalMs);
}
