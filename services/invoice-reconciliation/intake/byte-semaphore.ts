/** Limits the bytes in use. A request for more than the limit is granted when nothing else is in use. */
export function createByteSemaphore(limit: number) {
  const waiting: { bytes: number; grant: () => void }[] = [];
  let used = 0;

  function grantWaiting(): void {
    for (let next = waiting[0]; next && (used === 0 || used + next.bytes <= limit); next = waiting[0]) {
      waiting.shift();
      used += next.bytes;
      next.grant();
    }
  }

  return {
    /** Waits in order of the calls until the bytes are available. @returns a function that releases them */
    async acquire(bytes: number): Promise<() => void> {
      await new Promise<void>((grant) => {
        waiting.push({ bytes, grant });
        grantWaiting();
      });
      return () => {
        used -= bytes;
        grantWaiting();
      };
    },
  };
}
