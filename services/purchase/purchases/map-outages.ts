import type { Route } from '@app/http';
import { AppError } from '@app/kernel';
import { isTransientMongoError } from '@app/runtime';

/** The same routes, by which a database that is away is what spec section 7 says of a service that does not answer: later. */
export function mapOutages(routes: Route[]): Route[] {
  return routes.map((route) => ({
    ...route,
    ...(route.load ? { load: telling(route.load) } : {}),
    handle: telling(route.handle),
  }));
}

function telling<Input, Output>(work: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
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
