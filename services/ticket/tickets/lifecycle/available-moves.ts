// The console knows no moves itself: a second copy of the rules would differ one day. This asks the status machine and repeats the few other
// conditions, since trying every rule costs more than a read; a test compares each request with the real rule.
import {
  type Actor,
  type DateCategory,
  isLive,
  type Quote,
  type Status,
  type Ticket,
  type View,
  viewOfCompany,
} from '../ticket.ts';
import { visibleDates, visibleQuotes } from '../visibility.ts';
import { hasContractor, liveQuotes, statusByQuotes } from './decision.ts';
import { isPermitted, type Operation, statusFor, statusMachine } from './status-machine.ts';

/**
 * A request that the caller may make now. `to`: the status that the caller sees afterwards; it may be the present
 * one. `needs`: the fields that the body must have; `body`: those whose values are given.
 */
export type AvailableMove = {
  operation: Operation;
  method: 'POST' | 'PUT';
  path: string;
  to: Status;
  needs: string[];
  body?: Record<string, string>;
};

type Party = Exclude<Actor, { party: 'timer' }>;
type Situation = { ticket: Ticket; actor: Party; own: View; status: Status };
/** A move without the path of its ticket. */
type Move = Omit<AvailableMove, 'needs'> & { needs?: string[] };

/** Settings of the rules, besides the status machine. */
type MoveOptions = { strictClose?: boolean };

type Call = { method: 'POST' | 'PUT'; needs: string[] };

const post: Call = { method: 'POST', needs: [] };
const put: Call = { method: 'PUT', needs: [] };

/**
 * The moves that people make by name, and how each is called. Their routes follow from this; what else a route has stands in
 * `moves/move-routes.ts`.
 */
export const namedCalls = {
  submit: post,
  qualify: post,
  propose: { ...post, needs: ['contractor_ids'] },
  accept: post,
  decline: post,
  assign: { ...post, needs: ['contractor_id'] },
  take_charge: post,
  unassign: post,
  ask_to_plan: post,
  ask_for_date: post,
  reschedule: post,
  finish: put,
  close: put,
  cancel: put,
  reopen: post,
  remove: post,
} satisfies Partial<Record<Operation, Call>>;

export type NamedMove = keyof typeof namedCalls;
const named = Object.keys(namedCalls) as NamedMove[];

const [maxDates, maxQuotes] = [1_000, 200];
/** Limit of the moves about dates, and of those about quotes. */
const maxListed = 100;

/**
 * The moves that this party may make now: none of them would be refused for its party or its
 * status. Each rule decides again when the request comes; a test checks that both agree.
 */
export function availableMoves(ticket: Ticket, actor: Party, options: MoveOptions = {}): AvailableMove[] {
  const own = viewOfCompany(ticket, actor.companyId);
  if (!own) return [];
  const situation = { ticket, actor, own, status: statusFor(ticket, actor) };
  const moves = [...namedMoves(situation, options), ...dateMoves(situation), ...quoteMoves(situation)];
  return moves.map(({ path, needs = [], ...move }) => ({
    ...move,
    path: `/api/v3.0/tickets/${ticket._id}${path}`,
    needs,
  }));
}

/** The path of an operation; only reopening is called otherwise. */
export function pathOf(operation: Operation): string {
  return operation === 'reopen' ? 'open' : operation.replaceAll('_', '-');
}

function namedMoves({ ticket, actor, status }: Situation, { strictClose = false }: MoveOptions): Move[] {
  const allowed = named.filter((operation) => {
    if (!isPermitted(ticket, actor, operation)) return false;
    if (operation === 'close') return !strictClose || status === 'finished';
    return operation !== 'cancel' || actor.party === 'client' || mayTakeBack(ticket, actor);
  });
  return allowed.map((operation) => ({
    operation,
    ...namedCalls[operation],
    path: `/${pathOf(operation)}`,
    // Each of these leads to one status.
    to: statusMachine[operation].to[0] as Status,
  }));
}

/** A contractor cancels only a ticket that it created, and before any of its quotes was validated. */
function mayTakeBack({ created_by, quotes }: Ticket, { companyId }: Party): boolean {
  return created_by.company_id === companyId && quotes.every(({ validated_at }) => validated_at === null);
}

function dateMoves(situation: Situation): Move[] {
  const { ticket, actor, own } = situation;
  const isFull = ticket.dates.length >= maxDates;
  const added = isFull
    ? []
    : (['visit', 'intervention'] as const).flatMap((category) => addedDates(situation, category));
  const planned = visibleDates(ticket, own).filter(({ state }) => state === 'planned');
  const missed = planned.slice(0, maxListed).flatMap(({ _id, category }): Move[] => {
    const operation = `${category}_not_done` as const;
    if (!isPermitted(ticket, actor, operation)) return [];
    return [{ operation, method: 'PUT', path: `/dates/${_id}/not-done`, to: 'toreplan' }];
  });
  return [...added, ...missed];
}

function addedDates({ ticket, actor, own, status }: Situation, category: DateCategory): Move[] {
  const date = { method: 'POST', path: '/dates', needs: ['start', 'end'] } as const;
  const moves: Move[] = [];
  const [plan, done, late] = [`plan_${category}`, `${category}_done`, `${category}_done_late`] as const;
  // If a contractor plans while it sees `proposed`, it also accepts the proposal.
  const accepts = actor.party === 'contractor' && own.status === 'proposed';
  if (isPermitted(ticket, actor, plan) && (accepts || hasContractor(ticket))) {
    moves.push({ ...date, operation: plan, to: category, needs: [...date.needs], body: { type: 'planned', category } });
  }
  const operation = isPermitted(ticket, actor, late) ? late : done;
  if (isPermitted(ticket, actor, operation)) {
    // For work that is completed.
    const to = operation === late ? status : category === 'visit' ? afterVisit(ticket) : 'finished';
    moves.push({ ...date, operation, to, needs: [...date.needs], body: { type: 'actual', category } });
  }
  return moves;
}

function afterVisit(ticket: Ticket): Status {
  return liveQuotes(ticket).some(({ status }) => status === 'pending') ? 'validation' : 'toplan';
}

function quoteMoves(situation: Situation): Move[] {
  const { ticket, own } = situation;
  const decided = visibleQuotes(ticket.quotes, own).slice(0, maxListed);
  return [...addedQuotes(situation), ...decided.flatMap((quote) => decisions(situation, quote))];
}

function addedQuotes({ ticket, actor, own, status }: Situation): Move[] {
  const extra = isPermitted(ticket, actor, 'add_extra_quote');
  if (!extra && !isPermitted(ticket, actor, 'add_quote')) return [];
  const asked = ticket.views.filter((view) => view.role === 'contractor' && isLive(view)).length;
  if (ticket.quotes.length >= maxQuotes || asked === 0) return [];
  const needs = ['reference', 'price', ...(actor.party === 'client' && asked > 1 ? ['contractor_id'] : [])];
  // A contractor that has not accepted still sees the proposal.
  const stays = extra || own.state === 'pending';
  const quoted = liveQuotes(ticket).some(({ validated }) => validated) ? 'validated' : 'validation';
  const operation = extra ? 'add_extra_quote' : 'add_quote';
  return [{ operation, method: 'POST', path: '/quotes', to: stays ? status : quoted, needs }];
}

function decisions({ ticket, actor, status }: Situation, quote: Quote): Move[] {
  const extra = quote.additional === true && isPermitted(ticket, actor, 'decide_extra_quote');
  const view = ticket.views.find(({ contractor_id }) => contractor_id === quote.contractor_id);
  const move = (operation: 'validate_quote' | 'decline_quote', to: Status): Move[] => {
    if (!extra && !isPermitted(ticket, actor, operation)) return [];
    const path = `/quotes/${quote._id}/${operation === 'validate_quote' ? 'validate' : 'decline'}`;
    return [{ operation, method: 'PUT', path, to: extra ? status : to }];
  };
  const without = ticket.quotes.map((one) =>
    one === quote ? { ...one, status: 'declined' as const, validated: false } : one,
  );
  return [
    ...(quote.status === 'validated' || !view || !isLive(view) ? [] : move('validate_quote', 'validated')),
    ...(quote.status === 'declined' ? [] : move('decline_quote', statusByQuotes({ ...ticket, quotes: without }))),
  ];
}
