import { createHash, randomUUID } from 'node:crypto';
import { HttpError, parseJsonBody, type Reply, type Request } from '../../fake-server/http-server.ts';
import { type Flow, type StoredFlow, toldOf } from '../flow.ts';
import type { Settings } from '../settings.ts';
import { checkWhere, invalid, meets } from './criteria.ts';

type Snapshot = { ids: string[]; from: number; where: string };

const maxLimit = 100;
const defaultLimit = 25;
const maxSnapshots = 1_000;

/**
 * `POST flows/search`. The first page decides which flows the others have, in which order: a cursor is the bookmark of such a
 * list, and of its criteria; if cursors count, each page is of the list as it is then.
 */
export class Searches {
  readonly #snapshots = new Map<string, Snapshot>();

  /** @throws HttpError 400 */
  answer(request: Request, flows: readonly StoredFlow[], settings: Settings): Reply {
    const { where: filters, cursor, limit: asked = defaultLimit } = parseJsonBody(request);
    const limit = limitOf(asked, settings);
    checkWhere(filters);
    if (Object.keys(filters).length === 0) throw invalid('where has at least one criterion');
    const told = new Map(flows.map((stored) => [stored.flow.flowId, toldOf(stored)]));
    const where = JSON.stringify(filters);
    const first = () => inOrder([...told.values()], settings).filter((flow) => meets(flow, filters));
    const isCounted = settings.cursors === 'count';
    const { ids, from } =
      cursor === undefined || isCounted
        ? { ids: first().map(({ flowId }) => flowId), from: Number(cursor ?? 0) }
        : this.#at(cursor, where);
    const end = from + limit;
    // A flow may have gone since the first page.
    const results = ids.slice(from, end).flatMap((id) => told.get(id) ?? []);
    const nextCursor = () => (isCounted ? String(end) : this.#keep({ ids, from: end, where }));
    const next = settings.cursors !== 'none' && end < ids.length ? { nextCursor: nextCursor() } : {};
    return { status: 200, json: { limit, ...next, filters, results } };
  }

  #at(cursor: unknown, where: string): Snapshot {
    const snapshot = this.#snapshots.get(String(cursor));
    if (!snapshot) throw new HttpError(400, 'INVALID_CURSOR', 'this cursor is none of ours');
    if (snapshot.where !== where) throw new HttpError(400, 'INVALID_CURSOR', 'this cursor is of another search');
    return snapshot;
  }

  #keep(snapshot: Snapshot): string {
    const cursor = Buffer.from(randomUUID()).toString('base64url');
    this.#snapshots.set(cursor, snapshot);
    if (this.#snapshots.size > maxSnapshots) this.#snapshots.delete(this.#snapshots.keys().next().value as string);
    return cursor;
  }
}

function limitOf(asked: unknown, { limitAbove, mostPerPage }: Settings): number {
  if (!Number.isInteger(asked) || (asked as number) < 1) throw invalid('limit is a whole number from 1');
  if ((asked as number) > maxLimit && limitAbove === 'refuse') throw invalid(`limit is at most ${maxLimit}`);
  return Math.min(asked as number, maxLimit, mostPerPage);
}

/** By the last change; shuffled is any order, but always the same. */
function inOrder(flows: Flow[], { order }: Settings): Flow[] {
  if (order === 'shuffled') {
    const mark = ({ flowId }: Flow) => createHash('sha256').update(flowId).digest('hex');
    return flows.toSorted((one, other) => (mark(one) < mark(other) ? -1 : 1));
  }
  const ascending = flows.toSorted((one, other) => Date.parse(one.updatedAt) - Date.parse(other.updatedAt));
  return order === 'ascending' ? ascending : ascending.reverse();
}
