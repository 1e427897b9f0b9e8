/** `message` is without the name of the column. */
export type CellFault = { column: string; message: string };
export type CellChange = { column: string; before: string | null; after: string | null };

/** What a row of a file does to a thing: `before` null: it is new; `after` null: the row has faults. */
export type RowPlan<Thing> = {
  line: number;
  name: string;
  before: Thing | null;
  after: Thing | null;
  changes: CellChange[];
  faults: CellFault[];
};

export const verdicts = ['created', 'changed', 'unchanged', 'faulty'] as const;
export type Verdict = (typeof verdicts)[number];

export function verdictOf({ before, after, changes, faults }: RowPlan<unknown>): Verdict {
  if (faults.length > 0 || after === null) return 'faulty';
  if (before === null) return 'created';
  return changes.length > 0 ? 'changed' : 'unchanged';
}

export type Counts = Record<Verdict, number>;

export function countsOf(rows: RowPlan<unknown>[]): Counts {
  const counts: Counts = { created: 0, changed: 0, unchanged: 0, faulty: 0 };
  for (const row of rows) counts[verdictOf(row)] += 1;
  return counts;
}
