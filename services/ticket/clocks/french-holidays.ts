/** Month and day of those that are the same every year. */
const fixed = ['01-01', '05-01', '05-08', '07-14', '08-15', '11-01', '11-11', '12-25'];

/** In days after Easter: Easter Monday, Ascension, Whit Monday. */
const movable = [1, 39, 50];

/** The public holidays of all of France in a year, as `YYYY-MM-DD`. */
export function frenchHolidays(year: number): ReadonlySet<string> {
  const easter = easterSunday(year);
  const moved = movable.map((days) => new Date(easter + days * 86_400_000).toISOString().slice(0, 10));
  return new Set([...fixed.map((day) => `${year}-${day}`), ...moved]);
}

/** Midnight UTC in ms, by the algorithm of Meeus, Jones and Butcher for the Gregorian calendar. */
function easterSunday(year: number): number {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return Date.UTC(year, Math.floor(sum / 31) - 1, (sum % 31) + 1);
}
