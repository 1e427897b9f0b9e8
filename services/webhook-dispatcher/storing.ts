import type { Delivery } from './delivery.ts';

/** A delivery as it is to be written, until when whom it is reserved for, and what has to be done before. */
export type Written<Lease> = { delivery: Delivery; lease: Lease | null; after?: Promise<void> };

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

/** An attempt that takes longer has its delivery stored, and so its event acknowledged, before it has ended. */
const unstoredMs = 250;
/**
 * With so many attempts ended meanwhile it is this machine that is busy, and no receiver that is slow: it waits so often again,
 * because a second write for each delivery would only make the machine busier.
 */
const busyAttempts = 64;
const busyWaits = 3;

/** Stores new deliveries while they are attempted, where that takes long. */
export function createLateStoring() {
  /** Attempts so far. */
  let ended = 0;

  function storeUnlessSoon<Lease>(job: Written<Lease> & { storing: Storing<Lease> }, waits = busyWaits): void {
    const before = ended;
    const timer = setTimeout(() => {
      if (waits > 0 && ended - before >= busyAttempts) storeUnlessSoon(job, waits - 1);
      else job.storing.write(job).catch(() => undefined);
    }, unstoredMs);
    const clear = () => clearTimeout(timer);
    job.storing.ended.then(clear, clear);
  }

  return {
    /** An attempt has ended. */
    ended(): void {
      ended += 1;
    },
    storeUnlessSoon,
  };
}
