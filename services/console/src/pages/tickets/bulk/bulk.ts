// Several tickets are read first, then moved one by one with `If-Match` and a key made of ticket and input, so that a second try gets the
// first answer. An operation for many would need an answer for each anyway.

import type { Ticket } from '../list-query.ts';
import type { Move } from '../moves/moves.ts';

/** What is done with several tickets at once. */
export const bulkOperations = ['propose', 'assign', 'close'] as const;
export type BulkOperation = (typeof bulkOperations)[number];

export const maxSelected = 50;

/** A ticket as it is before the move, at a version. */
export type Candidate = { ticket: Ticket; version: string };

/**
 * Which of these tickets can be moved and which cannot, by the moves that the API offers for each.
 */
export function sorted(candidates: readonly Candidate[], operation: BulkOperation) {
  const possible: (Candidate & { move: Move })[] = [];
  const impossible: Ticket[] = [];
  for (const candidate of candidates) {
    const move = candidate.ticket.moves?.find((one) => one.operation === operation);
    if (move) possible.push({ ...candidate, move });
    else impossible.push(candidate.ticket);
  }
  return { possible, impossible };
}
