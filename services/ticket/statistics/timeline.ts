import type { HistoryEntry } from '../tickets/history.ts';
import type { Status, Ticket, View } from '../tickets/ticket.ts';

/** What became of one view, as the history of its ticket tells it; the latest of each, null if it did not happen or was undone. */
export type Timeline = {
  /** Each proposal, and each refusal of one: by the contractor, or because it expired. */
  proposed: Date[];
  declined: Date[];
  /** `since`: when it was proposed. */
  accepted: { since: Date; at: Date }[];
  /** When the company got the work. */
  started: Date | null;
  finished: Date | null;
};

const outside: readonly (Status | null)[] = [null, 'proposed', 'declined', 'canceled', 'draft'];
const over: readonly Status[] = ['finished', 'closed'];

/** The timeline of a view; what happened before the oldest entry that is kept is not in it. */
export function timelineOf(view: View, ticket: Pick<Ticket, 'created_at'>, history: readonly HistoryEntry[]): Timeline {
  const timeline: Timeline = { proposed: [], declined: [], accepted: [], started: null, finished: null };
  let since: Date | null = null;
  const moves = history.flatMap(({ at, views }) =>
    views.flatMap(({ _id, from, to }) => (_id === view._id ? [{ at, from, to }] : [])),
  );
  // A view that came with the ticket has no entry of its beginning.
  if (!outside.includes(moves[0]?.from ?? (moves.length === 0 ? view.status : null)))
    timeline.started = ticket.created_at;
  for (const { at, from, to } of moves) {
    if (to === 'proposed') timeline.proposed.push(at);
    if (to === 'declined') timeline.declined.push(at);
    if (to === 'proposed') since = at;
    const begins = outside.includes(from) && !outside.includes(to) && to !== 'removed';
    if (begins && from === 'proposed' && since) timeline.accepted.push({ since, at });
    if (begins) timeline.started = at;
    if (outside.includes(to)) timeline.started = null;
    if (!over.includes(to)) timeline.finished = null;
    else if (from === null || !over.includes(from)) timeline.finished = at;
  }
  return timeline;
}
