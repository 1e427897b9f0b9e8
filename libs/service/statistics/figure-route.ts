import type { Caller } from '@app/contracts';
import { type Access, answer, type Route, route } from '@app/http';
import { ValidationError } from '@app/kernel';
import Joi from 'joi';
import { dayOf, hasNoDay, isByMonth } from './entry.ts';
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
};

export type FigureDeps = { statistics: Statistics; now: () => Date };
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
const amount = Joi.number().description('with two decimals');

/** The operation of a figure: it answers with the sums of the caller's company, from rows alone. */
export function figureRoute({ statistics, now }: FigureDeps, common: Common, figure: FigureRoute): Route {
  const { path, summary, description, figures, split = {}, amounts = false, dimensions, classes } = figure;
  const kinds = typeof figures === 'string' ? { '': figures } : figures;
  const isMany = typeof figures !== 'string';
  const item = answer({
    period: day
      .allow(null)
      .optional()
      .description('with a period in `group_by`: its first day; null for what has no day'),
    ...Object.fromEntries(dimensions.map((name) => [name, Joi.string().allow(null).optional()])),
    ...(classes
      ? {
          [classes.name]: Joi.string()
            .valid(...classes.all)
            .optional(),
        }
      : {}),
    ...(isMany ? { kind: Joi.string().valid(...Object.keys(kinds)) } : {}),
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
      return { ...rangeResponse(grouping), pending, items: items.flat() };
    },
  });
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

/** The rows of the caller's company for a figure. */
export function readRows(statistics: Statistics, { companyId }: Caller, wanted: Wanted): Promise<Row[]> {
  const { figure, kept, grouping } = wanted;
  const { dimension, from, to } = grouping;
  const length = isByMonth(dimension, kept) ? 7 : undefined;
  const range = { from: from.slice(0, length), to: to.slice(0, length) };
  return statistics.rows({ company: companyId, figure, dimension, ...range });
}

/** The range of an answer. */
export function rangeResponse({ from, to }: Grouping): { from: string | null; to: string | null } {
  return { from: from.startsWith('0000') ? null : from, to: hasNoDay(to) ? null : to };
}

type Shown = { kind: string; grouping: Grouping; figure: FigureRoute };

function itemResponse({ period, group, class: of, split, sums, oldest }: Item, { kind, grouping, figure }: Shown) {
  const { dimension, classes } = grouping;
  const names = Object.keys(figure.split ?? {});
  return {
    ...(period === null ? {} : { period: firstDay(period) }),
    ...(dimension === '' ? {} : { [dimension]: group === '' ? null : group }),
    ...(classes ? { [classes.name]: of } : {}),
    ...(kind === '' ? {} : { kind }),
    ...Object.fromEntries(names.map((name, index) => [name, split[index] ?? ''])),
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
