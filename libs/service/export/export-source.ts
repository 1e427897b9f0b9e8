import { createHash } from 'node:crypto';
import type { ExportedCompany, ExportedFile } from '@app/contracts';

/**
 * One line of an export, with the files that it names. Without `value` it only says how far the
 * source has been read.
 */
export type ExportedRow = { position: string; value?: object; files?: ExportedFile[] };

/**
 * All things of one kind that a service keeps of a company, as rows after the position `after`, in
 * a stable order. Only the rows of one page are read. They hold no secret of the company, and
 * nothing of another company that this one cannot see.
 */
export type ExportSource = (company: ExportedCompany, after: string | null) => AsyncIterable<ExportedRow>;

/** The sources of one service, each by the name of its file in the archive. */
export type ExportSources = Record<string, ExportSource>;

const defaultLimit = 100;

type Pages<T> = {
  after: string | null;
  /** The things after a position, at most `limit`. */
  read: (after: string | null, limit: number) => Promise<T[]>;
  rowOf: (thing: T) => ExportedRow;
  /** Lower it if the things are large. */
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

/** The row of a thing of which there is at most one. */
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

/** The position after all rows of a thing. */
const afterAllRows = '~';

/** The rows of all things, thing by thing; a position is that of the thing and of the row in it. */
export async function* nestedRows<T>({ after, things, idOf, rows }: Nested<T>): AsyncGenerator<ExportedRow> {
  const dot = after?.indexOf('.') ?? -1;
  const from = after === null ? null : after.slice(0, dot);
  const within = after === null ? null : after.slice(dot + 1);
  for await (const thing of things(from)) {
    const id = idOf(thing);
    if (id === from && within === afterAllRows) continue;
    for await (const row of rows(thing, id === from ? within : null)) {
      yield { ...row, position: `${id}.${row.position}` };
    }
    // So that a page also ends among thousands of things without rows.
    yield { position: `${id}.${afterAllRows}` };
  }
}

const maxNameLength = 120;

/** The place of a stored file in the archive, the same for each mention of it: from a hash of its key, since the key is secret. */
export function exportedFile({ key, name }: { key: string; name: string }): ExportedFile {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{N}._ ()-]/gu, '_').replace(/^[. ]+/, '_');
  return { key, path: `files/${digest}/${[...plain].slice(-maxNameLength).join('') || 'file'}` };
}
