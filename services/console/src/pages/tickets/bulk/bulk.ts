import type { Move } from '../moves/moves.ts';
import type { Ticket } from '../views.ts';

/** What is done with several tickets at once. */
export const bulkOperations = ['propose', 'assign', 'close'] as const;
export type BulkOperation = (typeof bulkOperations)[number];

export const maxSelected = 50;
/** Requests under way: more would use up what the API takes of one address. */
export const atOnce = 4;

/** A ticket as it is before the move, at a version. */
export type Candidate = { ticket: Ticket; version: string };

/** What of these can be moved, and what can not: the API says so of each. */
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

/** Does the work for each, some at a time and in order. `isOver` ends it early: what has not begun then is not done. */
export async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined && !isOver(); item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
