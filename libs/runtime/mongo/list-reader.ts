import {
  AppError,
  columnOf,
  decodePosition,
  encodePosition,
  isId,
  type List,
  type ListQuery,
  listPlan,
  type Plan,
  positionOf,
  readPage,
  type Sort,
} from '@app/kernel';
import type { mongo } from 'mongoose';

export type ListReader<T> = {
  page(plan: Plan, limit: number): Promise<T[]>;
  /** How many there are, counted up to `limit`. */
  count(plan: Plan, limit: number): Promise<number>;
  /** The results of a stage `$group` over all documents, at most `limit`. */
  group<Result extends object>(plan: Plan, stage: object, limit?: number): Promise<Result[]>;
};

/**
 * A condition that finds at most so many documents is read by its own index, and they are sorted. Of 9,000 among 100,000 a page is there
 * after 75 ms so, and after 15 ms along the order. Documents that are named are always read so: 10,000 take 0.2 s, and along the order
 * each 100,000 before them 0.7 s.
 */
const few = 2_000;

/**
 * Reads the documents of plans (`listPlan`). What an index cannot find is looked for along the order of the list, for 20 s at most.
 * Every method rejects with AppError unprocessable `list_too_broad` after that.
 */
export function createListReader<Stored extends object, T extends object>(
  collection: mongo.Collection<Stored>,
  projection: object,
  { maxTimeMS = 20_000 }: { maxTimeMS?: number } = {},
): ListReader<T> {
  async function hintFor({ hint, others }: Plan): Promise<string> {
    const counted = others.map(async ({ hint: own, filter }) => {
      if (own === '_id_') return { hint: own, count: few };
      const options = { hint: own, limit: few + 1, maxTimeMS };
      return { hint: own, count: await collection.countDocuments(filter as never, options) };
    });
    const found = (await Promise.all(counted)).filter(({ count }) => count <= few);
    return found.sort((one, other) => one.count - other.count)[0]?.hint ?? hint;
  }

  return {
    page: (plan, limit) =>
      inTime(async () => {
        const options = { projection, hint: await hintFor(plan), maxTimeMS, limit };
        return collection
          .find<T>(plan.filter as never, options)
          .sort(plan.sort as never)
          .toArray();
      }),
    count: (plan, limit) =>
      inTime(async () =>
        collection.countDocuments(plan.filter as never, { hint: await hintFor(plan), limit, maxTimeMS }),
      ),
    group: <Result extends object>(plan: Plan, stage: object, limit?: number) =>
      inTime(async () => {
        const limited = limit === undefined ? [] : [{ $limit: limit }];
        const stages = [{ $match: plan.filter }, { $group: stage }, ...limited];
        return collection.aggregate<Result>(stages, { hint: await hintFor(plan), maxTimeMS }).toArray();
      }),
  };
}

/** What a list declares, of one company: page by page, or as a whole. */
export type CompanyList<T extends { _id: string }> = ReturnType<typeof createCompanyList<T>>;

type Asked = { cursor?: string | undefined; limit: number };

export function createCompanyList<T extends { _id: string }>(list: List, { page, count }: ListReader<T>) {
  // In order of ids a cursor is the id itself.
  const isById = ({ by }: Sort) => columnOf(list, by).path === '_id';
  const positionIn = (sort: Sort, cursor: string) => {
    if (!isById(sort)) return decodePosition(list, sort, cursor);
    const id = cursor.toLowerCase();
    return isId(id) ? { value: id, id } : null;
  };
  const cursorOf = ({ sort }: ListQuery, last: T) =>
    isById(sort) ? last._id : encodePosition(sort, positionOf(list, sort, last));
  /** After `cursor`, the `nextCursor` of the page before. @throws AppError unprocessable `invalid_cursor`, `list_too_broad` */
  const readAfter = (company: string, query: ListQuery, { cursor, limit }: Asked) => {
    const after = cursor === undefined ? null : positionIn(query.sort, cursor);
    if (cursor !== undefined && after === null) throw invalidCursor();
    const read = (wanted: { limit: number }) => page(listPlan(list, company, { ...query, after }), wanted.limit);
    return readPage({ limit }, read, (last) => cursorOf(query, last));
  };
  return {
    page: readAfter,
    /** A page of documents with the cursor after each. */
    async rows(company: string, query: ListQuery, { after, limit }: { after: string | null; limit: number }) {
      const { items } = await readAfter(company, query, { cursor: after ?? undefined, limit });
      return items.map((document) => ({ position: cursorOf(query, document), document }));
    },
    /** Counted up to `limit`. */
    count: (company: string, query: ListQuery, limit: number): Promise<number> =>
      count(listPlan(list, company, query), limit),
  };
}

function invalidCursor(): AppError {
  return new AppError('unprocessable', 'invalid_cursor', 'this cursor is none that was given for this order');
}

/** MongoDB's code of an operation that took longer than `maxTimeMS`. */
const timeExpired = 50;

/** @throws AppError unprocessable `list_too_broad` if MongoDB has ended an operation of `work` after its `maxTimeMS` */
export async function inTime<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== timeExpired) throw cause;
    throw new AppError('unprocessable', 'list_too_broad', 'these filters leave too much to look through in time', {
      cause,
    });
  }
}
