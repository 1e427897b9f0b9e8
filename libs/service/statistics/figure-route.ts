import { type Caller, oneOf } from '@app/contracts';
import { type Access, answer, type Route, route } from '@app/http';
import { ValidationError } from '@app/kernel';
import Joi from 'joi';
import { anywhere, dayOf, hasNoDay, isByMonth } from './entry.ts';
import {
  type Asked,
  type Grouping,
  groupingOf,
  type Item,
  itemsOf,
  type Question,
  questionSchema,
} from './question.ts';
import { pendingAtMost, type Row, type Statistics } from './statistics-store.ts';

/** One figure, as an operation. */
export type FigureRoute = Asked & {
  path: string;
  summary: string;
  description: string;
  /** The figures of its rows: one, or several, each under what its items call it (`kind`). */
  figures: string | Readonly<Record<string, string>>;
  /** The names of what its entries are split by, in their order, with the schemas of their values. */
  split?: Readonly<Record<string, Joi.Schema>>;
  /** Items have amounts. */
  amounts?: boolean;
  /** If it is not that of the others. */
  access?: Access;
};

/** What the places, contractors and so on with these ids are called; null for a dimension whose groups have no names. */
export type NamesOf = (
  companyId: string,
  dimension: string,
  ids: string[],
) => Promise<ReadonlyMap<string, string | null> | null>;
export type FigureDeps = { statistics: Statistics; namesOf: NamesOf; now: () => Date };
type Common = { tag: string; access: Access };

/** Dimensions that mean something to one kind of company alone. */
const readers: Record<string, Caller['companyKind']> = {
  contractor: 'client',
  supplier: 'client',
  client: 'contractor',
};

const day = Joi.string().description('YYYY-MM-DD, in UTC');
export const rangeFields = {
  from: day.allow(null).description('null: the first of all'),
  to: day.allow(null).description('the day after the last one; null: the last of all'),
  pending: Joi.number()
    .integer()
    .description(`changes that are not counted yet, at most ${pendingAtMost}: usually 0, and counted within a second`),
};
export const groupName = Joi.string()
  .allow(null)
  .optional()
  .description('what the place, domain, contractor, client or supplier is called now; null if there is none');
const amount = Joi.number().description('with two decimals');

/** The operation of a figure: it answers with the sums of the caller's company, from rows alone. */
export function figureRoute({ statistics, namesOf, now }: FigureDeps, common: Common, figure: FigureRoute): Route {
  const { path, summary, description, figures, split = {}, amounts = false, dimensions, classes } = figure;
  const { access = common.access } = figure;
  const kinds = typeof figures === 'string' ? { '': figures } : figures;
  const isMany = typeof figures !== 'string';
  const item = answer({
    period: day
      .allow(null)
      .optional()
      .description('with a period in `group_by`: its first day; null for what has no day'),
    ...Object.fromEntries(dimensions.map((one) => [one, Joi.string().allow(null).optional()])),
    name: groupName,
    ...(classes
      ? {
          [classes.name]: oneOf(classes.all).optional(),
        }
      : {}),
    ...(isMany ? { kind: oneOf(Object.keys(kinds)) } : {}),
    ...split,
    count: Joi.number().integer(),
    ...(amounts ? { amount: amount.description('without VAT'), amount_with_vat: amount } : {}),
    ...(classes
      ? {
          oldest: day
            .allow(null)
            .description('the first day that counts, with a dimension the first of its month; null: none has a day'),
        }
      : {}),
  });
  return route<object, Question>({
    ...common,
    access,
    host: 'ts',
    method: 'get',
    path,
    summary,
    description,
    query: questionSchema(figure),
    reply: { status: 200, schema: answer({ ...rangeFields, items: Joi.array().items(item) }) },
    async handle({ caller, query }) {
      const today = dayOf(now());
      const grouping = askedBy(caller, query, figure, today);
      const read = Object.entries(kinds).map(async ([kind, name]) => {
        const rows = await readRows(statistics, caller, { ...figure, figure: name, grouping });
        return itemsOf(rows, grouping, today).map((one) => itemResponse(one, { kind, grouping, figure }));
      });
      const [pending, ...items] = await Promise.all([statistics.pending(caller.companyId), ...read]);
      return {
        ...rangeResponse(grouping),
        pending,
        items: await withNames(items.flat(), { namesOf, caller, grouping }),
      };
    },
  });
}

type Naming = { namesOf: NamesOf; caller: Caller; grouping: Grouping };

/** The items with what their groups are called. */
export async function withNames(items: Record<string, unknown>[], { namesOf, caller, grouping }: Naming) {
  const { dimension } = grouping;
  const ids = [...new Set(items.map((item) => item[dimension]))].filter((id) => typeof id === 'string');
  const names = dimension === '' ? null : await namesOf(caller.companyId, dimension, ids);
  return names === null ? items : items.map((item) => ({ ...item, name: names.get(String(item[dimension])) ?? null }));
}

/** @throws ValidationError as `groupingOf`, and for a dimension that is not the caller's */
export function askedBy(caller: Caller, query: Question, asked: Asked, today: string): Grouping {
  const grouping = groupingOf(query, asked, today);
  const reader = readers[grouping.dimension];
  if (reader === undefined || reader === caller.companyKind) return grouping;
  throw new ValidationError([
    { path: 'group_by', message: `group_by has ${grouping.dimension} for a ${reader} alone` },
  ]);
}

type Wanted = Pick<Asked, 'kept'> & { figure: string; grouping: Grouping };

/** The rows of the caller's company for a figure, at the places that the caller sees. */
export async function readRows(statistics: Statistics, caller: Caller, wanted: Wanted): Promise<Row[]> {
  const { companyId: company, placeIds } = caller;
  const { figure, kept, grouping } = wanted;
  const { dimension, from, to } = grouping;
  const length = isByMonth(dimension, kept) ? 7 : undefined;
  const asked = { company, figure, dimension, from: from.slice(0, length), to: to.slice(0, length) };
  if (!placeIds) return statistics.rows({ ...asked, places: null });
  if (dimension !== 'place') return statistics.rows({ ...asked, places: [anywhere, ...placeIds] });
  const seen = new Set(placeIds);
  return (await statistics.rows({ ...asked, places: null })).filter(({ group }) => seen.has(group));
}

/** The range of an answer. */
export function rangeResponse({ from, to }: Grouping): { from: string | null; to: string | null } {
  return { from: from.startsWith('0000') ? null : from, to: hasNoDay(to) ? null : to };
}

type Shown = { kind: string; grouping: Grouping; figure: FigureRoute };

function itemResponse(
  { period, group, class: of, split, sums, oldest }: Item,
  { kind, grouping, figure }: Shown,
): Record<string, unknown> {
  const { dimension, classes } = grouping;
  const names = Object.keys(figure.split ?? {});
  return {
    ...(period === null ? {} : { period: firstDay(period) }),
    ...(dimension === '' ? {} : { [dimension]: group === '' ? null : group }),
    ...(classes ? { [classes.name]: of } : {}),
    ...(kind === '' ? {} : { kind }),
    ...Object.fromEntries(names.map((one, index) => [one, split[index] ?? ''])),
    count: sums.n,
    ...(figure.amounts ? { amount: sums.ht / 100, amount_with_vat: sums.ttc / 100 } : {}),
    ...(figure.classes ? { oldest: firstDay(oldest) } : {}),
  };
}

/** Of a day, or of a month; null for what has none. */
function firstDay(of: string): string | null {
  if (hasNoDay(of)) return null;
  return of.length === 7 ? `${of}-01` : of;
}
