/** A calendar day as `<input type="date">` gives it, `2026-11-24`. */
export function isDay(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}

/** When the day, or one `daysLater`, begins in the user's time zone. */
export function startOfDay(day: string, daysLater = 0): string {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}
