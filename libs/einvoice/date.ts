import { unmappable } from './faults.ts';

/**
 * `YYYY-MM-DD` of an xs:date (a time or zone after it is dropped: the day is the one written) or of the digits of CII
 * (formats 102, 203 and 204 of UNTDID 2379 all begin with YYYYMMDD).
 * @throws AppError invalid `unmappable`, naming `where` it stood, for another form or a day that does not exist
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
