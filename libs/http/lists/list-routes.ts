import type { Caller } from '@app/contracts';
import type { Condition, Given, List, ListQuery, Sort } from '@app/kernel';
import type { CompanyList } from '@app/runtime';
import Joi from 'joi';
import { answer } from '../openapi/answer.ts';
import { type ErrorLine, type Route, responseSent, route, type SheetContext } from '../routing/route.ts';
import { filterParameters, sortParameters } from './list-parameters.ts';
import {
  assertSheetHolds,
  maxSheetRows,
  rowsOfParts,
  type SheetQuery,
  sendSheet,
  sheetParameters,
  sheetPart,
  sheetTypes,
} from './send-sheet.ts';

type Base<Resource, Params> = Pick<Route, 'host' | 'tag' | 'access' | 'path'> & {
  params?: Joi.ObjectSchema<Params>;
  load?: (context: { params: Params; caller: Caller }) => Promise<Resource>;
  errors?: readonly ErrorLine[];
};

type Stored = { _id: string };
type Asked<Resource> = Pick<SheetContext<object, object, Resource>, 'caller' | 'resource' | 'req' | 'places'>;

/** A list of a company (`T`: a stored document), and what its routes say of it. */
type Listed<T extends Stored, Resource, Params> = {
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

/** The routes of a list: its pages, and all of it as a file. */
export function listRoutes<T extends Stored, Resource = undefined, Params = object>(
  listed: Listed<T, Resource, Params>,
): Route[] {
  const { base, list, read, byDefault, names, item, show, rows = show, maxLimit = 200 } = listed;
  const parameters = { ...listed.filters, ...filterParameters(list), ...sortParameters(list, byDefault) };
  const paging = {
    limit: Joi.number().integer().min(1).max(maxLimit).default(50).description('items of a page'),
    cursor: Joi.string().max(500).description(`the \`${names.cursor}\` of the page before, with the same order`),
  };
  const tenantOf = (asked: Asked<Resource>) => listed.tenantOf?.(asked) ?? asked.caller.companyId;
  const queryOf = async ({ sort, order, ...given }: Query, asked: Asked<Resource>): Promise<ListQuery> => {
    const conditions = (await listed.conditionsOf?.(given, asked)) ?? [];
    return { given, sort: { by: sort, descending: order === 'desc' }, conditions };
  };
  const partOf = async (wanted: ListQuery, asked: Asked<Resource>, after: string | null) => {
    const found = await read.rows(tenantOf(asked), wanted, { after, limit: sheetPart });
    const documents = found.map(({ document }) => document);
    const next = found.length < sheetPart ? null : (found.at(-1)?.position ?? null);
    return { rows: await rows(documents, asked), next };
  };
  const errors = [...(base.errors ?? []), '422 list_too_broad'] as const;
  return [
    route<Params, Query & Paging, object, Resource>({
      ...base,
      method: 'get',
      summary: listed.summary[0],
      ...(listed.description !== undefined && { description: listed.description }),
      errors: [...errors, '422 invalid_cursor'],
      query: Joi.object<Query & Paging>({ ...parameters, ...paging }),
      reply: {
        status: 200,
        schema: answer({ [names.items]: Joi.array().items(item), [names.cursor]: Joi.string().allow(null) }),
      },
      async handle({ query: { cursor, limit, ...query }, ...asked }) {
        const wanted = await queryOf(query, asked);
        listed.permitSort?.(wanted.sort, asked);
        const { items, nextCursor } = await read.page(tenantOf(asked), wanted, { cursor, limit });
        return { [names.items]: await show(items, asked), [names.cursor]: nextCursor };
      },
    }),
    route<Params, Query & SheetQuery, object, Resource>({
      ...base,
      path: listed.sheetPath ?? `${base.path}/export`,
      method: 'get',
      summary: listed.summary[1],
      description: `At most ${maxSheetRows} rows, with the filters and the order of the list. A text that could be taken for a formula begins with an apostrophe in a CSV.`,
      errors: [...errors, '422 sheet_too_large'],
      query: Joi.object<Query & SheetQuery>({ ...parameters, ...sheetParameters }),
      reply: { status: 200, file: sheetTypes },
      sheet: {
        list,
        read: async ({ query: { format: _, language: __, ...query }, ...asked }, after) =>
          partOf(await queryOf(query, asked), asked, after),
      },
      async handle({ query: { format, language, ...query }, res, ...asked }) {
        const wanted = await queryOf(query, asked);
        // Documents, of which the caller may see fewer: a file reads no more of them than it may have rows.
        assertSheetHolds(await read.count(tenantOf(asked), wanted, maxSheetRows + 1));
        const all = rowsOfParts((after) => partOf(wanted, asked, after));
        await sendSheet(res, { list, name: names.file, format, language, rows: all });
        return responseSent;
      },
    }),
  ];
}
