import type { Delivery } from './delivery.ts';

/** A delivery as it is to be written, and until when whom it is reserved for. */
export type Written<Lease> = { delivery: Delivery; lease: Lease | null };

/**
 * A new delivery's one way into the database. Its attempt need not wait for that, so what is written is the delivery as it
 * stands by then: with the result of its attempt as a rule, without it where the attempt takes long.
 */
export type Storing<Lease> = {
  begun(): boolean;
  /** The first call writes, any later one waits with it. False: it was there before, from an event that came twice. */
  write(written: Written<Lease>): Promise<boolean>;
  /** Settles once it has been written, by whichever call. */
  ended: Promise<boolean>;
};

export function createStoring<Lease>(add: (written: Written<Lease>) => Promise<boolean>): Storing<Lease> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<boolean>();
  let begun = false;
  return {
    begun: () => begun,
    write(written) {
      if (!begun) add(written).then(resolve, reject);
      begun = true;
      return ended;
    },
    ended,
  };
}

/** Of a delivery that was read from the database. */
export const storedBefore: Storing<never> = {
  begun: () => true,
  write: async () => true,
  ended: Promise.resolve(true),
};
