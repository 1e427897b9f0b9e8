/**
 * What `work` resolves to, or a rejection after `ms` that names `what`. For work that can't be told to give up: the driver's
 * `timeoutMS` has no effect on a command any more, and a server that is mute would hold it for 40 s.
 */
export async function withTimeout<T>(work: Promise<T>, { ms, what }: { ms: number; what: string }): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
