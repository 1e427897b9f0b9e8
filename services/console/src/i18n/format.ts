/** Formats without React, so that tests can compare texts. `DateTime` and `Money` use them. */

const minor = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const cached = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

function once<T extends Intl.DateTimeFormat | Intl.NumberFormat>(key: string, make: () => T): T {
  const known = cached.get(key) as T | undefined;
  if (known) return known;
  const made = make();
  cached.set(key, made);
  return made;
}

/** `€1,234.56`, `1 234,56 €`. Amounts come as numbers, or as decimal texts. */
export function formatMoney(
  amount: number | string,
  { locale, currency = 'EUR' }: { locale: string; currency?: string },
) {
  const key = `money ${locale} ${currency}`;
  const format = once(key, () => new Intl.NumberFormat(locale, { style: 'currency', currency, ...minor }));
  return format.format(Number(amount));
}

export function formatNumber(value: number, locale: string): string {
  return once(`number ${locale}`, () => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })).format(value);
}

/** A number that was counted up to some limit. */
export type Counted = { count: number; isMore: boolean };

/** `1,000+` where there may be more. */
export function formatCounted({ count, isMore }: Counted, locale: string): string {
  return formatNumber(count, locale) + (isMore ? '+' : '');
}

/** `8.5%` for the share 0.085. */
export function formatPercent(share: number, locale: string): string {
  const options = { style: 'percent', maximumFractionDigits: 1 } as const;
  return once(`percent ${locale}`, () => new Intl.NumberFormat(locale, options)).format(share);
}

/** `45 mins`, `3.5 hrs`, `2 days`: in a unit of which it has more than one. */
export function formatDuration(minutes: number, locale: string): string {
  const [unit, size] = minutes >= 2_880 ? ['day', 1_440] : minutes >= 90 ? ['hour', 60] : ['minute', 1];
  const options = { style: 'unit', unit: unit as string, maximumFractionDigits: 1 } as const;
  return once(`unit ${locale} ${unit}`, () => new Intl.NumberFormat(locale, options)).format(minutes / Number(size));
}

/** The name of a month, `November` or `Nov`, of any of its days. */
export function formatMonth(day: string, locale: string): string {
  return dateFormat({ locale, timeZone: 'UTC' }, { month: 'short' }).format(new Date(day));
}

export type Where = { locale: string; timeZone: string };
type DayWords = Record<'today' | 'yesterday' | 'tomorrow', (time: string) => string>;

function dateFormat({ locale, timeZone }: Where, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `date ${locale} ${timeZone} ${JSON.stringify(options)}`;
  return once(key, () => new Intl.DateTimeFormat(locale, { timeZone, ...options }));
}

/** Days between the calendar days of two moments, where the user is. */
function daysBetween(from: Date, to: Date, timeZone: string): number {
  const day = (at: Date) => Date.parse(new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at));
  return Math.round((day(to) - day(from)) / 86_400_000);
}

/** `today 14:05`, `12 Nov`, and with the year if it is another one. */
export function formatMoment(at: Date, where: Where & { now: Date; words: DayWords }): string {
  const { now, words, timeZone } = where;
  const days = daysBetween(now, at, timeZone);
  const time = dateFormat(where, { hour: '2-digit', minute: '2-digit' }).format(at);
  if (days === 0) return words.today(time);
  if (days === -1) return words.yesterday(time);
  if (days === 1) return words.tomorrow(time);
  const yearOf = dateFormat(where, { year: 'numeric' });
  const isThisYear = yearOf.format(at) === yearOf.format(now);
  return dateFormat(where, { day: 'numeric', month: 'short', ...(isThisYear ? {} : { year: 'numeric' }) }).format(at);
}

/** A calendar day without a time, such as that of an invoice: the same day in every zone. */
export function formatDay(day: string, locale: string): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  return dateFormat({ locale, timeZone: 'UTC' }, options).format(new Date(day.slice(0, 10)));
}

/** `Mon 30 Nov`, of a calendar day. */
export function formatWeekday(day: string, locale: string): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  return dateFormat({ locale, timeZone: 'UTC' }, options).format(new Date(day));
}

/** `Mon 30 Nov, 11:40`: when somebody has to be somewhere, or something is due. */
export function formatWithTime(at: Date, where: Where): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  return dateFormat(where, options).format(at);
}

/** For tooltips, and where the exact moment matters. */
export function formatExactly(at: Date, where: Where): string {
  const options = {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const;
  return dateFormat(where, { ...options, timeZoneName: 'short' }).format(at);
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** `3 hours ago`, `in 20 seconds`. */
export function formatAgo(at: Date, { locale, now }: { locale: string; now: Date }): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const [unit, size] = steps.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}
