/**
 * A handler that takes each event once, by its id, as every consumer does: if a confirmation comes
 * late, as on a busy machine, the relay publishes an event a second time, and that is no second
 * event.
 */
export function eachOnce<Event extends { id: string }>(
  take: (event: Event) => unknown,
): (event: Event) => Promise<void> {
  const known = new Set<string>();
  return async (event) => {
    if (!known.has(event.id)) take(event);
    known.add(event.id);
  };
}
