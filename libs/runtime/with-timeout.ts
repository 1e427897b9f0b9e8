/**
 * Settles as `work` does, or rejects after `ms` with an error that names `what`. The work itself goes on: for what cannot be
 * cancelled, such as a command to MongoDB, whose `timeoutMS` has no effect.
 */
export async function withTimeout<T>(work: Promise<T>, { ms, what }: { ms: number; what: string }): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
