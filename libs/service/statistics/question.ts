import { day, documentedAs } from '@app/http';
import { ValidationError } from '@app/kernel';
import Joi from 'joi';
import { addSums, dayOf, hasNoDay, isByMonth, type Kept, noDay, noSums, type Sums } from './entry.ts';
import type { Row } from './statistics-store.ts';

/** `YYYY-MM-DD`, in UTC. `to` is not included. */
export type Range = { from: string; to: string };
export type Question = Partial<Range> & { group_by?: string[] };

/** How a question about days is answered: for which dimensions, and for which days unless it says so. */
export type Asked = {
  dimensions: readonly string[];
  kept?: Kept;
  /** It is not told by period. */
  periodless?: true;
  days: 'all' | 'this year and last' | 'three months' | 'next week';
  /** Sorts days into classes as seen from today, under a name of their own. */
  classes?: { name: string; of: (day: string, today: string) => string; all: readonly string[] };
};

/** The parts of an answer: what it is grouped by, and the range. */
export type Grouping = Range & { period: Period | null; dimension: string; classes: Asked['classes'] | null };

const periods = ['day', 'week', 'month'] as const;
type Period = (typeof periods)[number];
const isPeriod = (name: string): name is Period => (periods as readonly string[]).includes(name);

const dayMs = 86_400_000;
const maxDays = 1_100;

/** The schema of the question. */
export function questionSchema({ dimensions, classes, days, kept, periodless }: Asked): Joi.ObjectSchema<Question> {
  const names = [...(periodless ? [] : periods), ...(classes ? [classes.name] : []), ...dimensions];
  const isFitting = (given: string[]) => {
    const ofDimensions = given.filter((name) => dimensions.includes(name)).length;
    return given.every((name) => names.includes(name)) && ofDimensions <= 1 && given.length - ofDimensions <= 1;
  };
  const list = Joi.string()
    .max(100)
    .custom((value: string, helpers) => {
      const given = value.split(',');
      return isFitting(given) ? given : helpers.error('any.only');
    })
    .messages({ 'any.only': `{{#label}} must be one of ${names.join(', ')}, or a dimension and another one` });
  const months = { daily: '', monthly: '; the first of a month', mixed: '; with a dimension the first of a month' }[
    kept ?? 'mixed'
  ];
  return Joi.object<Question>({
    from: day.description(`a day in UTC${months}; ${firstDays[days]} by default`),
    to: day.description(`the day after the last one${months}; ${lastDays[days]} by default`),
    group_by: documentedAs(list, {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { type: 'string', enum: names },
    }).description('one, or two separated by a comma of which one is no dimension'),
  });
}

const firstDays = {
  all: 'the first of all',
  'this year and last': 'the first of last year',
  'three months': 'the first of the month before the last one',
  'next week': 'today',
};
const lastDays = {
  all: 'the last of all',
  'this year and last': 'the end of this year',
  'three months': 'the end of this month',
  'next week': 'in seven days',
};

function defaultRange(days: Asked['days'], today: string): Range {
  if (days === 'all') return { from: '0000-01-01', to: '9999~' };
  if (days === 'next week') return { from: today, to: dayAfter(today, 7) };
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  if (days === 'this year and last') return { from: `${year - 1}-01-01`, to: `${year + 1}-01-01` };
  const firstOf = (offset: number) => dayOf(new Date(Date.UTC(year, month - 1 + offset)));
  return { from: firstOf(-2), to: firstOf(1) };
}

export function dayAfter(from: string, days: number): string {
  return dayOf(new Date(Date.parse(from) + days * dayMs));
}

const ages = { '0-2': 2, '3-7': 7, '8-30': 30, '31-90': 90, '91-': Number.POSITIVE_INFINITY } as const;

/** Classes by age, in days from a day until today. */
export const ageClasses: NonNullable<Asked['classes']> = {
  name: 'age',
  all: Object.keys(ages),
  of(day, today) {
    const age = (Date.parse(today) - Date.parse(day)) / dayMs;
    return Object.entries(ages).find(([, most]) => age <= most)?.[0] ?? '91-';
  },
};

/** What the question asks for. @throws ValidationError at `from`, `to` or `group_by` */
export function groupingOf({ group_by = [], ...given }: Question, asked: Asked, today: string): Grouping {
  const { kept, days, dimensions } = asked;
  const range = { ...defaultRange(days, today), ...given };
  const dimension = group_by.find((name) => dimensions.includes(name)) ?? '';
  const period = group_by.find(isPeriod) ?? null;
  const classes = group_by.find((name) => name === asked.classes?.name) ? asked.classes : undefined;
  if (days !== 'all' && Date.parse(range.to) - Date.parse(range.from) > maxDays * dayMs)
    throw fault('to', `is more than ${maxDays} days after from`);
  if (isByMonth(dimension, kept)) {
    const what = dimension || 'this figure';
    for (const name of ['from', 'to'] as const)
      if (given[name]?.endsWith('-01') === false)
        throw fault(name, `must be the first of a month: ${what} is kept by month`);
    if (period === 'day' || period === 'week' || classes) throw fault('group_by', `has ${what} by month alone`);
  }
  return { ...range, dimension, period, classes: classes ?? null };
}

function fault(path: string, message: string): ValidationError {
  return new ValidationError([{ path, message: `${path} ${message}` }]);
}

/** One item of an answer: what it is about, and the sums. `oldest` is the first day that counts. */
export type Item = {
  period: string | null;
  group: string;
  class: string | null;
  split: readonly string[];
  oldest: string;
  sums: Sums;
  rows: Row[];
};

/** The rows summed up by the parts of the grouping, in order of period, group and class. */
export function itemsOf(rows: readonly Row[], { period, dimension, classes }: Grouping, today: string): Item[] {
  const items = new Map<string, Item>();
  for (const row of rows) {
    const start = period && periodStart(row.period, period);
    const of = classes ? classes.of(row.period, today) : null;
    const group = dimension === '' ? '' : row.group;
    const key = [start, group, of === null ? '' : classes?.all.indexOf(of), ...row.split].join('|');
    const item = items.get(key) ?? {
      period: start,
      group,
      class: of,
      split: row.split,
      oldest: row.period,
      sums: noSums(),
      rows: [],
    };
    items.set(key, item);
    addSums(item.sums, row);
    item.rows.push(row);
    if (row.period < item.oldest) item.oldest = row.period;
  }
  return [...items].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item);
}

/** The first day of the period that holds the day (or month): a Monday, a first of a month. */
function periodStart(of: string, period: Period): string {
  if (hasNoDay(of)) return noDay;
  if (period === 'month') return `${of.slice(0, 7)}-01`;
  if (period === 'day') return of;
  return dayAfter(of, -((new Date(of).getUTCDay() + 6) % 7));
}
