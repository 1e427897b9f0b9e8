import { createHash, randomUUID } from 'node:crypto';
import { HttpError, parseJsonBody, type Reply, type Request } from '../../fake-server/http-server.ts';
import { ackStatuses, directions, type Flow, flowTypes, processingRules, type StoredFlow, toldOf } from '../flow.ts';
import type { Settings } from '../settings.ts';

type Where = Record<string, unknown>;
type Snapshot = { ids: string[]; from: number; where: string };

const maxLimit = 100;
const defaultLimit = 25;
const maxSnapshots = 1_000;

/** What each criterion must be, and whether a flow meets it. */
const criteria: Record<string, { isValid: (value: unknown) => boolean; meets: (flow: Flow, value: never) => boolean }> =
  {
    updatedAfter: {
      isValid: isMoment,
      meets: ({ updatedAt }, value: string) => Date.parse(updatedAt) > Date.parse(value),
    },
    updatedBefore: {
      isValid: isMoment,
      meets: ({ updatedAt }, value: string) => Date.parse(updatedAt) < Date.parse(value),
    },
    processingRule: listOf(processingRules, ({ processingRule }) => processingRule),
    flowType: listOf(flowTypes, ({ flowType }) => flowType),
    flowDirection: listOf(directions, ({ flowDirection }) => flowDirection),
    trackingId: {
      isValid: (value) => typeof value === 'string' && value.length <= 64,
      meets: ({ trackingId }, value: string) => trackingId === value,
    },
    ackStatus: {
      isValid: (value) => ackStatuses.includes(value as string),
      meets: ({ acknowledgement }, value: string) => acknowledgement.status === value,
    },
  };

/**
 * `POST flows/search`. The first page decides which flows the others have, in which order: a cursor is the bookmark of such a
 * list, and of its criteria.
 */
export class Searches {
  readonly #snapshots = new Map<string, Snapshot>();

  /** @throws HttpError 400 */
  answer(request: Request, flows: readonly StoredFlow[], settings: Settings): Reply {
    const { where, cursor, limit: asked = defaultLimit } = parseJsonBody(request);
    const limit = limitOf(asked, settings);
    const filters = whereOf(where);
    const found = flows.map(toldOf).filter((flow) => meets(flow, filters));
    const byId = new Map(flows.map((stored) => [stored.flow.flowId, toldOf(stored)]));
    const key = JSON.stringify(filters);
    const { ids, from } =
      cursor === undefined
        ? { ids: inOrder(found, settings).map(({ flowId }) => flowId), from: 0 }
        : this.#at(cursor, key);
    const end = from + limit;
    // A flow may have gone since the first page.
    const results = ids.slice(from, end).flatMap((id) => byId.get(id) ?? []);
    const next = settings.cursors && end < ids.length ? { nextCursor: this.#keep({ ids, from: end, where: key }) } : {};
    const told = settings.tellsLimit ? { limit } : {};
    return { status: 200, json: { ...told, ...next, filters, results } };
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

function whereOf(where: unknown): Where {
  if (typeof where !== 'object' || where === null) throw invalid('where is required');
  const names = Object.keys(where);
  if (names.length === 0) throw invalid('where has at least one criterion');
  for (const [name, value] of Object.entries(where)) {
    if (!Object.hasOwn(criteria, name)) throw invalid(`there is no criterion ${name}`);
    if (!criteria[name]?.isValid(value)) throw invalid(`${name} has no such value`);
  }
  return where as Where;
}

function meets(flow: Flow, where: Where): boolean {
  return Object.entries(where).every(([name, value]) => criteria[name]?.meets(flow, value as never));
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

function listOf(allowed: readonly string[], of: (flow: Flow) => string) {
  return {
    isValid: (value: unknown) => Array.isArray(value) && value.every((one) => allowed.includes(one)),
    meets: (flow: Flow, value: string[]) => value.length === 0 || value.includes(of(flow)),
  };
}

/** A date and time of RFC 3339. */
function isMoment(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'INVALID_REQUEST', message);
}
