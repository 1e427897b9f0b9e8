// Why it is so: docs/decisions/attempt-before-the-insert.md
/**
 * The insert of a new delivery. The first attempt does not wait for it: as a rule the delivery is inserted together with
 * the result, by one write; if the attempt takes long, before the result.
 */
export type PendingInsert<Entry> = {
  isStarted(): boolean;
  /**
   * The first call inserts, `after` the given promise; later calls wait for it. Resolves to false if the delivery was
   * stored before, from a message that was delivered twice.
   */
  write(entry: Entry, after?: Promise<void>): Promise<boolean>;
  /** Resolves as `write` does, whoever calls it. */
  done: Promise<boolean>;
};

export function createPendingInsert<Entry>(insert: (entry: Entry) => Promise<boolean>): PendingInsert<Entry> {
  const { promise: done, resolve, reject } = Promise.withResolvers<boolean>();
  let isStarted = false;
  return {
    isStarted: () => isStarted,
    write(entry, after) {
      if (!isStarted) (after ? after.then(() => insert(entry)) : insert(entry)).then(resolve, reject);
      isStarted = true;
      return done;
    },
    done,
  };
}

/** For a delivery that was read from the database. */
export const alreadyStored: PendingInsert<never> = {
  isStarted: () => true,
  write: async () => true,
  done: Promise.resolve(true),
};

/** If an attempt takes longer, its delivery is stored, and so its event acknowledged, before it has ended. */
const slowMs = 250;
/**
 * If this many attempts end within `slowMs`, the process is busy rather than the receiver slow: the insert is postponed, since a
 * second write for each delivery would only make the process busier.
 */
const busyAttempts = 64;
const maxBusyWaits = 3;

/** Inserts new deliveries while they are attempted, if that takes long. */
export class SlowInsertTimer {
  #attempts = 0;

  attemptEnded(): void {
    this.#attempts += 1;
  }

  insertIfSlow<Entry>(entry: Entry & { insert: PendingInsert<Entry> }, busyWaits = maxBusyWaits): void {
    const { insert } = entry;
    const before = this.#attempts;
    const timer = setTimeout(() => {
      const isBusy = this.#attempts - before >= busyAttempts;
      if (isBusy && busyWaits > 0) this.insertIfSlow(entry, busyWaits - 1);
      else insert.write(entry).catch(() => undefined);
    }, slowMs);
    const clear = () => clearTimeout(timer);
    insert.done.then(clear, clear);
  }
}
