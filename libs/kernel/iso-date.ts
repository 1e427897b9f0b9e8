/**
 * The moment of an ISO 8601 text; without a zone it is UTC, also where a space stands for the T (which JavaScript reads in the
 * zone of the machine); a zone may be hours alone, as databases write it. Null for what is no date, for years of six digits, and for a day that no month has: JavaScript
 * makes 31 February the 3rd of March.
 */
export function readIsoDate(text: string): Date | null {
  const sent = text.replace(' ', 'T').replace(/(T[\d:.,]+[+-]\d\d)$/, '$1:00');
  const date = new Date(/T[\d:.,]+$/.test(sent) ? `${sent}Z` : sent);
  const [day] = /^([+-]\d\d)?\d{4}-\d{2}-\d{2}/.exec(sent) ?? [];
  if (Number.isNaN(date.getTime())) return null;
  return day === undefined || new Date(day).toISOString().startsWith(day) ? date : null;
}
