/** A moment as `<input type="datetime-local">` takes it: in the user's time zone, to the minute. */
export function localInput(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The moment in the value of such a field; null if it is empty or invalid. */
export function momentOf(input: string): string | null {
  const at = new Date(input);
  return input === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
