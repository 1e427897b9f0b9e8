/**
 * Settles as `work` does, or rejects after `ms` with an error that names `what`. The work itself goes on: for what cannot be
 * cancelled, such as a command to MongoDB, whose `timeoutMS` has no effect.
 */
export function withTimeout<T>(work: Promise<T>, { ms, what }: { ms: number; what: string }): Promise<T> {
  return unlessLate(work, ms, () => {
    throw new Error(`${what} did not answer within ${ms} ms`);
  });
}

/** Settles as `work` does, or resolves after `ms`: for work that may be left to itself. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  await unlessLate(work, ms, () => undefined);
}

function unlessLate<T, L>(work: Promise<T>, ms: number, onLate: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, late.then(onLate)]).finally(() => clearTimeout(timer));
}
