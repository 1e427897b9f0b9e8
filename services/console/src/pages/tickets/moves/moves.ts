import type { TicketSchemas } from '@app/api-client';
import type { Party, Status } from '../list-query.ts';

export type Move = TicketSchemas['TicketMove'];

/** What the user is asked before a move is sent. `confirm`: it cannot be undone. */
export type Ask = 'nothing' | 'confirm' | 'contractors' | 'contractor' | 'reason' | 'dates' | 'quote' | 'reschedule';

const likeliest: Partial<Record<Status, Partial<Record<Party, string[]>>>> = {
  draft: { client: ['submit'] },
  opened: { client: ['propose', 'assign'], contractor: ['plan_intervention'] },
  waiting: { client: ['propose', 'assign'] },
  declined: { client: ['propose', 'assign'], contractor: ['reopen'] },
  proposed: { client: ['assign'], contractor: ['accept'] },
  waiting_contractor: { client: ['ask_to_plan'], contractor: ['take_charge'] },
  assigned: { client: ['ask_to_plan'], contractor: ['plan_intervention'] },
  toplan: { client: ['ask_for_date'], contractor: ['plan_intervention'] },
  waitingplan: { client: ['plan_intervention'], contractor: ['plan_intervention'] },
  toreplan: { client: ['plan_intervention'], contractor: ['plan_intervention'] },
  visit: { client: ['visit_done'], contractor: ['visit_done'] },
  visit_devis: { client: ['visit_done'], contractor: ['visit_done'] },
  validation: { client: ['validate_quote'] },
  validated: { client: ['ask_for_date'], contractor: ['plan_intervention'] },
  dropped: { client: ['propose'], contractor: ['add_quote'] },
  intervention: { client: ['intervention_done'], contractor: ['intervention_done'] },
  intervention_finish: { client: ['intervention_done'], contractor: ['intervention_done'] },
  finished: { client: ['close'] },
  closed: { client: ['reopen'] },
  canceled: { client: ['reopen'] },
};

/** Moves that end something; the bar shows them last. */
const endings = ['decline', 'unassign', 'cancel', 'remove'];

/** Moves that no other move undoes. */
const final = ['qualify', 'remove', 'finish', 'unassign', 'validate_quote', 'decline_quote'];

/** The key of a move: several moves of one operation differ by their quote or date. */
export function keyOf({ operation, path }: Move): string {
  return `${operation} ${path}`;
}

/**
 * Moves in the order of the bar: the usual next step, then the others in the API's order, then those that end
 * something.
 */
export function inOrder(
  moves: readonly Move[],
  status: Status,
  party: Party,
): { primary: Move | null; others: Move[] } {
  const next = likeliest[status]?.[party] ?? [];
  const found = next
    .map((operation) => moves.filter((move) => move.operation === operation))
    .find((all) => all.length > 0);
  // With several quotes no button is the main one: the console does not guess which is to be validated.
  const primary = found?.length === 1 ? (found[0] as Move) : null;
  const others = moves.filter((move) => move !== primary);
  const isEnding = ({ operation }: Move) => endings.includes(operation);
  return { primary, others: [...others.filter((move) => !isEnding(move)), ...others.filter(isEnding)] };
}

export function askedBy(move: Pick<Move, 'operation' | 'needs'>, status: Status): Ask {
  const { operation, needs } = move;
  if (needs.includes('contractor_ids')) return 'contractors';
  if (needs.includes('reference')) return 'quote';
  if (needs.includes('contractor_id')) return 'contractor';
  if (needs.includes('start')) return 'dates';
  if (operation === 'decline' || operation === 'cancel') return 'reason';
  if (operation === 'reschedule') return 'reschedule';
  if (final.includes(operation) || operation.endsWith('_not_done')) return 'confirm';
  return operation === 'close' && undoOf(move, status) === null ? 'confirm' : 'nothing';
}

/** The moves that undo this one, so that the ticket is as it was; null if there are none. */
export function undoOf({ operation }: Pick<Move, 'operation'>, status: Status): ('reopen' | 'finish')[] | null {
  if (operation !== 'close') return null;
  // A reopened ticket is `opened`, whatever it was.
  if (status === 'finished') return ['reopen', 'finish'];
  return status === 'opened' ? ['reopen'] : null;
}

/** Whether a report can be sent with the move: it has the actual dates of the work. */
export function takesReport({ body }: Move): boolean {
  return body?.type === 'actual';
}

type PlannedDate = Pick<TicketSchemas['TicketDate'], 'category' | 'state' | 'start' | 'end'>;

/** The first planned date of the move's category that has begun: most likely the work that is now reported as done. */
export function begunDate<D extends PlannedDate>(dates: readonly D[], { body }: Move, now: Date): D | undefined {
  const planned = dates.filter(({ category, state }) => category === body?.category && state === 'planned');
  return planned.find(({ start }) => Date.parse(start) <= now.getTime());
}

/** The planned dates of the move's category that begin after `end`: work that is done by then leaves them planned. */
export function laterDates<D extends PlannedDate>(dates: readonly D[], { body }: Move, end: string): D[] {
  const isLater = ({ start }: D) => Date.parse(start) > Date.parse(end);
  return dates.filter((date) => date.category === body?.category && date.state === 'planned' && isLater(date));
}

/** The date or quote that a move is about, by its path. */
export function aboutOf({ path }: Pick<Move, 'path'>): string | null {
  return /\/(?:dates|quotes)\/([0-9a-f]{24})\//.exec(path)?.[1] ?? null;
}

/** The field of the reason, which has another name in a cancellation. */
export function reasonField({ operation }: Pick<Move, 'operation'>): 'reason' | 'reason_cancel' {
  return operation === 'cancel' ? 'reason_cancel' : 'reason';
}
