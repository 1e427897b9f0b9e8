import { unmappable } from './errors.ts';

/**
 * Parses an xs:date (without its time and zone) or a CII date (formats 102, 203 and 204 of UNTDID 2379, which begin with
 * YYYYMMDD) into `YYYY-MM-DD`.
 * @throws AppError invalid `unmappable`, with `where` in the message, for another form or a day that does not exist
 */
export function parseDate(text: string, where: string): string {
  const [, year, month, day] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T[\d:.]{5,20})?(?:Z|[+-]\d\d:\d\d)?$/.exec(text) ??
    /^(\d{4})(\d\d)(\d\d)(?:\d{4}|\d{6})?$/.exec(text) ??
    [];
  const date = `${year}-${month}-${day}`;
  const exists = new Date(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(exists.getTime()) && exists.toISOString().startsWith(date) && date >= '1900';
  if (!isDay) throw unmappable(`${where} is no date: ${JSON.stringify(text.slice(0, 40))}`);
  return date;
}
