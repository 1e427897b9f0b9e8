/**
 * What a document adds to a figure. The entries of a document are a pure function of it, so that a figure always equals what is
 * recomputed from the documents.
 */
export type Entry = {
  figure: string;
  /** The company that reads it. */
  company: string;
  /** `YYYY-MM-DD` in UTC; `noDay` if it has none. */
  day: string;
  /** What the figure always tells apart: a status, a currency. */
  split: readonly string[];
  /** The ids or words that it can be grouped by, by dimension; it counts under each of several, and under `''` if there is none. */
  groups: Readonly<Record<string, readonly string[]>>;
  /** Where it is; who is limited to places counts it if one of these is theirs. `anywhere`: each of them does. */
  places?: readonly string[];
  kept?: Kept;
  /** In whole cents: without VAT, and with VAT. */
  ht?: number;
  ttc?: number;
  /** A duration, of which the median is asked. */
  minutes?: number;
};

/**
 * What rows are kept by: `daily` all by day, `monthly` all by month. If absent, the figure by day and its groups by month, which is
 * less to write and to read.
 */
export type Kept = 'daily' | 'monthly';

/** `split`: its first parts, which are words without signs. `to` is not included; `from` and `to` undefined: all days. */
export type CountedIn = Pick<Entry, 'company' | 'figure' | 'split'> & {
  from?: string | undefined;
  to?: string | undefined;
  /** Groups by dimension, `''` for entries without one; `currency` is the last part of the split. */
  of?: Readonly<Record<string, string>> | undefined;
};

/** Whether an entry is one of those that a number counts. */
export function isCountedIn(entry: Entry, { from = '', to = '~', of = {}, ...asked }: CountedIn): boolean {
  const { company, figure, day, split, groups } = entry;
  if (company !== asked.company || figure !== asked.figure || day < from || day >= to) return false;
  if (!asked.split.every((part, index) => part === split[index])) return false;
  return Object.entries(of).every(([dimension, group]) => {
    if (dimension === 'currency') return split.at(-1) === group;
    const own = groups[dimension];
    return own !== undefined && (group === '' ? own.length === 0 : own.includes(group));
  });
}

/** The place of what every user sees, whatever places they are limited to. */
export const anywhere = '-';

/** After every day, for what has no date. */
export const noDay = '9999-12-31';

/** Whether a day or month stands for none. */
export function hasNoDay(period: string): boolean {
  return period.startsWith('9999');
}

/** What all entries with one key sum up to. `minutes`: how many lasted so long. */
export type Sums = { n: number; ht: number; ttc: number; minutes: Map<number, number> };

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** An amount of up to six decimals in whole cents, half a cent away from zero. */
export function toCents(amount: number | string): number {
  const given = Number(amount);
  // Past the error of the binary number: 1.005 is half a cent.
  const rounded = Math.round(Number((Math.abs(given) * 100).toFixed(4)));
  return given < 0 && rounded > 0 ? -rounded : rounded;
}

/** The nearest whole minutes between two times; 0 if they are the other way round. */
export function minutesBetween(from: Date, to: Date): number {
  return Math.max(0, Math.round((to.getTime() - from.getTime()) / 60_000));
}

/**
 * The row that an entry counts in; `dimension` is `''` for all entries of the figure, `place` for those of all places. Of what is
 * at several places each has rows of its own, whose `also` names the others, so that who sees several counts it once.
 */
export type RowKey = {
  company: string;
  place: string;
  figure: string;
  dimension: string;
  /** A day or a month. */
  period: string;
  group: string;
  also: readonly string[];
  split: readonly string[];
};

const separator = '|';

/** Rows sort by period, so that those of a range are read as one range of keys. */
export function keyOf({ company, place, figure, dimension, period, group, also, split }: RowKey): string {
  return [company, place, figure, dimension, period, group, also.join(), ...split.map(plain)].join(separator);
}

function plain(text: string): string {
  return text.replaceAll(separator, '/');
}

export function parseKey(key: string): RowKey {
  const [company = '', place = '', figure = '', dimension = '', period = '', group = '', others, ...split] =
    key.split(separator);
  return { company, place, figure, dimension, period, group, also: others ? others.split(',') : [], split };
}

/** Of the rows of what is at several places one counts for whoever sees these. */
export function isCountedFor(seen: ReadonlySet<string>, { place, also }: Pick<RowKey, 'place' | 'also'>): boolean {
  return !also.some((other) => other < place && seen.has(other));
}

/** Adds entries to `rows`, or takes them away (`sign` -1). */
export function addEntries(rows: Map<string, Sums>, entries: readonly Entry[], sign: 1 | -1): void {
  for (const entry of entries) {
    const { ht = 0, ttc = 0, minutes } = entry;
    for (const key of keysOf(entry)) {
      const sums = rows.get(key) ?? noSums();
      rows.set(key, sums);
      sums.n += sign;
      sums.ht += sign * ht;
      sums.ttc += sign * ttc;
      if (minutes !== undefined) sums.minutes.set(minutes, (sums.minutes.get(minutes) ?? 0) + sign);
    }
  }
}

function keysOf(entry: Entry): string[] {
  const { place: _, ...others } = entry.groups;
  const places = [...new Set(entry.places)].sort();
  const atPlaces = places.flatMap((place) => {
    const also = places.filter((other) => other !== place);
    return keysAt({ ...entry, groups: others }, place, also);
  });
  return [...keysAt(entry, '', []), ...atPlaces];
}

function keysAt({ company, figure, day, split, groups, kept }: Entry, place: string, also: string[]): string[] {
  const common = { company, place, figure, also, split };
  const periodOf = (dimension: string) => (isByMonth(dimension, kept) ? day.slice(0, 7) : day);
  const all = keyOf({ ...common, dimension: '', period: periodOf(''), group: '' });
  const grouped = Object.entries(groups).flatMap(([dimension, given]) =>
    (given.length > 0 ? [...new Set(given)] : ['']).map((group) =>
      keyOf({ ...common, dimension, period: periodOf(dimension), group: plain(group) }),
    ),
  );
  return [all, ...grouped];
}

export function isByMonth(dimension: string, kept: Kept | undefined): boolean {
  return kept === 'monthly' || (dimension !== '' && kept !== 'daily');
}

export function noSums(): Sums {
  return { n: 0, ht: 0, ttc: 0, minutes: new Map() };
}

export function isZero({ n, ht, ttc, minutes }: Sums): boolean {
  return n === 0 && ht === 0 && ttc === 0 && [...minutes.values()].every((count) => count === 0);
}

export function addSums(to: Sums, { n, ht, ttc, minutes }: Sums): void {
  to.n += n;
  to.ht += ht;
  to.ttc += ttc;
  for (const [length, count] of minutes) to.minutes.set(length, (to.minutes.get(length) ?? 0) + count);
}

/** The median in minutes, the lower one of two; null without any. */
export function medianOf({ minutes }: Pick<Sums, 'minutes'>): number | null {
  const lengths = [...minutes].filter(([, count]) => count > 0).sort(([one], [other]) => one - other);
  const total = lengths.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [length, count] of lengths) {
    seen += count;
    if (seen * 2 >= total) return length;
  }
  return null;
}
