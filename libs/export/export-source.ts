import type { ExportedCompany, ExportedFile } from '@app/contracts';

/** One line of an export, with the files that it names. Without `value` it only says how far the reading came. */
export type ExportedRow = { position: string; value?: object; files?: ExportedFile[] };

/**
 * All things of one kind that a service keeps of a company, as rows after the position `after`, in an order that stays. Only the
 * rows of one page are read. There is no secret of the company in them, and nothing of another one that the company does not see.
 */
export type ExportSource = (company: ExportedCompany, after: string | null) => AsyncIterable<ExportedRow>;

/** Of one service, by the name of their file. */
export type ExportSources = Record<string, ExportSource>;

const defaultLimit = 100;

type Pages<T> = {
  after: string | null;
  /** The things after a position, at most `limit`. */
  read: (after: string | null, limit: number) => Promise<T[]>;
  rowOf: (thing: T) => ExportedRow;
  /** Fewer if each is large. */
  limit?: number;
};

/** The rows of a list that is read in pages: memory is bounded by one page of it. */
export async function* rowsOf<T>({ after, read, rowOf, limit = defaultLimit }: Pages<T>): AsyncGenerator<ExportedRow> {
  for (let position = after; ; ) {
    const rows = (await read(position, limit)).map(rowOf);
    yield* rows;
    if (rows.length < limit) return;
    position = rows.at(-1)?.position ?? null;
  }
}

/** The row of something that there is once, or not at all. */
export async function* singleRow(
  after: string | null,
  read: () => Promise<object | null>,
): AsyncGenerator<ExportedRow> {
  const value = after === null ? await read() : null;
  if (value !== null) yield { position: 'read', value };
}

type Nested<T> = {
  after: string | null;
  /** Things from this id on, it included; null: from the first. */
  things: (from: string | null) => AsyncIterable<T> | Iterable<T>;
  idOf: (thing: T) => string;
  rows: (thing: T, after: string | null) => AsyncIterable<ExportedRow>;
};

/** Sorts after the position of every row of a thing. */
const end = '~';

/** The rows of one thing after the other; a position is that of the thing and of the row in it. */
export async function* nestedRows<T>({ after, things, idOf, rows }: Nested<T>): AsyncGenerator<ExportedRow> {
  const dot = after?.indexOf('.') ?? -1;
  const from = after === null ? null : after.slice(0, dot);
  const within = after === null ? null : after.slice(dot + 1);
  for await (const thing of things(from)) {
    const id = idOf(thing);
    if (id === from && within === end) continue;
    for await (const row of rows(thing, id === from ? within : null)) {
      yield { ...row, position: `${id}.${row.position}` };
    }
    // Among thousands of things without a row a page must end, too.
    yield { position: `${id}.${end}` };
  }
}
