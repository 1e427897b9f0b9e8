/**
 * Parses an ISO 8601 date-time. Without a zone it is UTC, also with a space in place of the T, which JavaScript would read in local
 * time. A zone may be hours alone. Null for other texts, for years of six digits, and for days that do not exist: JavaScript would
 * read 31 February as 3 March.
 */
export function readIsoDate(text: string): Date | null {
  const sent = text.replace(' ', 'T').replace(/(T[\d:.,]+[+-]\d\d)$/, '$1:00');
  const date = new Date(/T[\d:.,]+$/.test(sent) ? `${sent}Z` : sent);
  const [day] = /^([+-]\d\d)?\d{4}-\d{2}-\d{2}/.exec(sent) ?? [];
  if (Number.isNaN(date.getTime())) return null;
  return day === undefined || new Date(day).toISOString().startsWith(day) ? date : null;
}
