import type { Caller } from '@app/contracts';
import type { Condition, Given, List, ListQuery, Sort } from '@app/kernel';
import type { CompanyList } from '@app/runtime';
import type { Request } from 'express';
import Joi from 'joi';
import { answer } from '../openapi/answer.ts';
import { type ErrorLine, type Route, responseSent, route } from '../routing/route.ts';
import { filterParameters, sortParameters } from './list-parameters.ts';
import {
  assertSheetHolds,
  maxSheetRows,
  type SheetQuery,
  sendSheet,
  sheetParameters,
  sheetTypes,
} from './send-sheet.ts';

type Base<Resource, Params> = Pick<Route, 'host' | 'tag' | 'access' | 'path'> & {
  params?: Joi.ObjectSchema<Params>;
  load?: (context: { params: Params; caller: Caller }) => Promise<Resource>;
  errors?: readonly ErrorLine[];
};

type Asked<Resource> = { caller: Caller; resource: Resource; req: Request };

/** A list of a company (`T`: a stored document), and what its routes say of it. */
export type Listed<T, Resource = undefined, Params = object> = {
  base: Base<Resource, Params>;
  /** By default `/export` below that of the list. */
  sheetPath?: string;
  /** Of the page, and of the file. */
  summary: readonly [string, string];
  description?: string;
  list: List;
  read: CompanyList<T>;
  byDefault: { by: string; order: 'asc' | 'desc' };
  /** Items of a page; 200 by default. */
  maxLimit?: number;
  /** The value of the list's `tenant`; by default the caller's company. */
  tenantOf?: (asked: Asked<Resource>) => string;
  /** Documents as the caller sees them. */
  show: (found: T[], asked: Asked<Resource>) => object[] | Promise<object[]>;
  /** The same as rows of a file; by default what is shown. */
  rows?: (found: T[], asked: Asked<Resource>) => object[] | Promise<object[]>;
  /** Filters that no column declares, and what they mean. */
  filters?: Record<string, Joi.Schema>;
  conditionsOf?: (given: Given, asked: Asked<Resource>) => Promise<Condition[]>;
  /** Throws an AppError for a page in an order that the caller may not have. */
  permitSort?: (sort: Sort, asked: Asked<Resource>) => void;
  item: Joi.Schema;
  /** The names of items and cursor in an answer, and of files. */
  names: { items: string; cursor: string; file: string };
};

type Query = Given & { sort: string; order: 'asc' | 'desc' };
type Paging = { limit: number; cursor?: string };

/** The routes of a list: pages, and below them `/export` with all of it as a file. */
export function listRoutes<T, Resource = undefined, Params = object>(listed: Listed<T, Resource, Params>): Route[] {
  return [pageRoute(listed), sheetRoute(listed)];
}

function pageRoute<T, Resource, Params>({ base, read, names, ...listed }: Listed<T, Resource, Params>): Route {
  const { description, maxLimit = 200 } = listed;
  const paging = {
    limit: Joi.number().integer().min(1).max(maxLimit).default(50).description('items of a page'),
    cursor: Joi.string().max(500).description(`the \`${names.cursor}\` of the page before, with the same order`),
  };
  return route<Params, Query & Paging, object, Resource>({
    ...base,
    method: 'get',
    summary: listed.summary[0],
    ...(description !== undefined && { description }),
    errors: [...(base.errors ?? []), '422 invalid_cursor', '422 list_too_broad'],
    query: Joi.object<Query & Paging>({ ...parametersOf(listed), ...paging }),
    reply: {
      status: 200,
      schema: answer({ [names.items]: Joi.array().items(listed.item), [names.cursor]: Joi.string().allow(null) }),
    },
    async handle({ query: { cursor, limit, ...query }, ...asked }) {
      const wanted = await queryOf(query, listed, asked);
      listed.permitSort?.(wanted.sort, asked);
      const { items, nextCursor } = await read.page(tenantOf(listed, asked), wanted, { cursor, limit });
      return { [names.items]: await listed.show(items, asked), [names.cursor]: nextCursor };
    },
  });
}

function sheetRoute<T, Resource, Params>({ base, read, names, ...listed }: Listed<T, Resource, Params>): Route {
  return route<Params, Query & SheetQuery, object, Resource>({
    ...base,
    path: listed.sheetPath ?? `${base.path}/export`,
    method: 'get',
    summary: listed.summary[1],
    description: `At most ${maxSheetRows} rows, with the filters and the order of the list. A text that could be taken for a formula begins with an apostrophe in a CSV.`,
    errors: [...(base.errors ?? []), '422 list_too_broad', '422 sheet_too_large'],
    query: Joi.object<Query & SheetQuery>({ ...parametersOf(listed), ...sheetParameters }),
    reply: { status: 200, file: sheetTypes },
    async handle({ query: { format, language, ...query }, res, ...asked }) {
      const [tenant, wanted] = [tenantOf(listed, asked), await queryOf(query, listed, asked)];
      assertSheetHolds(await read.count(tenant, wanted, maxSheetRows + 1));
      const rows = rowsOf(read.all(tenant, wanted), listed, asked);
      await sendSheet(res, { list: listed.list, name: names.file, format, language, rows });
      return responseSent;
    },
  });
}

function tenantOf<T, Resource>(listed: Declared<T, Resource>, asked: Asked<Resource>): string {
  return listed.tenantOf?.(asked) ?? asked.caller.companyId;
}

type Declared<T, Resource> = Omit<Listed<T, Resource>, 'base' | 'read' | 'names'>;

function parametersOf({ list, filters, byDefault }: Pick<Declared<never, never>, 'list' | 'filters' | 'byDefault'>) {
  return { ...filters, ...filterParameters(list), ...sortParameters(list, byDefault) };
}

async function queryOf<T, Resource>(
  { sort, order, ...given }: Query,
  { conditionsOf }: Declared<T, Resource>,
  asked: Asked<Resource>,
): Promise<ListQuery> {
  const conditions = (await conditionsOf?.(given, asked)) ?? [];
  return { given, sort: { by: sort, descending: order === 'desc' }, conditions };
}

const batchSize = 200;

async function* rowsOf<T, Resource>(
  all: AsyncIterable<T>,
  { show, rows = show }: Declared<T, Resource>,
  asked: Asked<Resource>,
) {
  for await (const batch of inBatches(all)) yield* await rows(batch, asked);
}

/** Documents that are made ready for a file together. */
async function* inBatches<T>(all: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const one of all) {
    batch.push(one);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
