// Why it is so: docs/decisions/the-console-loses-nothing.md

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
