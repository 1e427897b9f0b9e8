import { AppError } from '@app/kernel';

/** What an attempt returns if another write came between its read and its write. */
export const conflict: unique symbol = Symbol('conflict');

type Options = {
  /** The code of the error after the last attempt: `ticket_busy` and the like. */
  code: string;
  /** What is being changed, in the words of the caller: "this ticket". */
  what: string;
  maxAttempts?: number;
};

/**
 * Repeats a compare-and-set until it succeeds. `attempt` reads, decides and writes; it gets its number, from 0, and returns
 * `conflict` if nothing was written because the stored version had changed.
 * @returns what the successful attempt returned
 * @throws AppError overloaded with `code` after `maxAttempts` conflicts, and whatever `attempt` throws
 */
export async function retryOnConflict<T>(
  attempt: (number: number) => Promise<T | typeof conflict>,
  { code, what, maxAttempts = 20 }: Options,
): Promise<T> {
  for (let number = 0; number < maxAttempts; number++) {
    const result = await attempt(number);
    if (result !== conflict) return result;
  }
  throw new AppError('overloaded', code, `${what} is being changed by many requests; try again`);
}
