/** What decides whether an endpoint is disabled: how many of its deliveries were exhausted in a row, in the order in which they ended. */
export type Rows = {
  /** Something has arrived: ends the row; resolves once that is stored. */
  arrived(endpointId: string): Promise<void>;
  /**
   * A delivery was exhausted. `count` is called in its turn, one at a time, each after whatever arrived before it; where
   * something arrives while it waits, that ends the row which it would have been counted in, and `leave` is called instead.
   */
  exhausted<T>(endpointId: string, count: () => Promise<T>, leave: () => Promise<T>): Promise<T>;
};

type Row = {
  /** When all that was asked for has been done. */
  end: Promise<void>;
  /** Exhausted ones that wait for their turn: what happens to them where something arrives. */
  waiting: Set<() => void>;
  /** The end of the row, as long as it has not begun. */
  reset: Promise<void> | null;
};

/** Results are stored some time after their attempts ended, in another order; this has them counted in theirs. */
export function createRows(reset: (endpointId: string) => Promise<void>): Rows {
  const rows = new Map<string, Row>();

  function rowOf(endpointId: string): Row {
    const row = rows.get(endpointId) ?? { end: Promise.resolve(), waiting: new Set(), reset: null };
    rows.set(endpointId, row);
    return row;
  }

  function inTurn(endpointId: string, work: () => Promise<void>): Promise<void> {
    const row = rowOf(endpointId);
    const done = row.end.then(work);
    const end = done
      .catch(() => undefined)
      .then(() => {
        if (row.end === end) rows.delete(endpointId);
      });
    row.end = end;
    return done;
  }

  return {
    arrived(endpointId) {
      const row = rowOf(endpointId);
      for (const leave of row.waiting) leave();
      row.waiting.clear();
      row.reset ??= inTurn(endpointId, () => {
        row.reset = null;
        return reset(endpointId);
      });
      return row.reset;
    },
    exhausted: (endpointId, count, leave) =>
      new Promise((resolve, reject) => {
        const row = rowOf(endpointId);
        const left = () => resolve(leave());
        row.waiting.add(left);
        inTurn(endpointId, async () => {
          if (row.waiting.delete(left)) resolve(await count());
        }).catch(reject);
      }),
  };
}
