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

/**
 * An attempt that has not ended after this time has its delivery stored, and so its event acknowledged, before it ends. Longer than
 * a busy process needs for as many as may be unstored, so that those are still stored by one write each.
 */
const slowMs = 500;

export function insertIfSlow<Entry>(entry: Entry & { insert: PendingInsert<Entry> }): void {
  const { insert } = entry;
  const timer = setTimeout(() => insert.write(entry).catch(() => undefined), slowMs);
  const clear = () => clearTimeout(timer);
  insert.done.then(clear, clear);
}
