import type { Route } from '@app/http';
import { AppError } from '@app/kernel';
import { isTransientMongoError } from '@app/runtime';

/** The same routes, which reply `purchase_unavailable` (502) while the database does not answer. */
export function mapOutages(routes: Route[]): Route[] {
  return routes.map((route) => ({
    ...route,
    ...(route.load ? { load: withOutageError(route.load) } : {}),
    handle: withOutageError(route.handle),
  }));
}

function withOutageError<Input, Output>(work: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  return async (input) => {
    try {
      return await work(input);
    } catch (cause) {
      if (!isTransientMongoError(cause)) throw cause;
      const message = 'the database of purchase documents did not answer; try again';
      throw new AppError('unavailable', 'purchase_unavailable', message, { cause });
    }
  };
}
