import { AppError, newId, ValidationError } from '@app/kernel';
import { addDate, notDone, reschedule } from '../../dates/dates.ts';
import * as moves from '../../moves/moves.ts';
import { addQuote, declineQuote, validateQuote } from '../../quotes/quotes.ts';
import { type AvailableMove, availableMoves } from '../../tickets/lifecycle/available-moves.ts';
import { withStatus } from '../../tickets/lifecycle/decision.ts';
import { statusFor } from '../../tickets/lifecycle/status-machine.ts';
import { type Actor, type Decision, type Quote, statuses, type Ticket, type TicketDate } from '../../tickets/ticket.ts';
import { aContractor, aDate, aTicket, at, client, later, proposedTo, worked } from '../tickets/fixtures.ts';

type Party = Exclude<Actor, { party: 'timer' }>;
const [a, b, c] = [aContractor(), aContractor(), aContractor()];
const none = undefined;

const quoteOf = ({ candidate }: typeof a, given: Partial<Quote> = {}): Quote => ({
  _id: newId(),
  reference: 'D-1',
  price: '10',
  includes_vat: false,
  status: 'pending',
  validated: false,
  validated_at: null,
  contractor_id: candidate.id,
  added_at: at,
  file: null,
  ...given,
});
const validated = { status: 'validated', validated: true, validated_at: at } as const;
const planned = (category: 'visit' | 'intervention', given: Partial<TicketDate> = {}): TicketDate => ({
  ...aDate({ category }),
  state: 'planned',
  ...given,
});

/** Tickets in every situation that the moves depend on, by name. */
const situations: Record<string, (status: (typeof statuses)[number]) => Ticket> = {
  'without a contractor': (status) => withStatus(aTicket(), status),
  'with a contractor': (status) => worked(status, a),
  'with quotes in every state': (status) => ({
    ...worked(status, a),
    quotes: [quoteOf(a), quoteOf(a, validated), quoteOf(a, { status: 'declined' }), quoteOf(a, { additional: true })],
  }),
  'with a declined and a pending quote': (status) => ({
    ...worked(status, a),
    quotes: [quoteOf(a), quoteOf(a, { status: 'declined' })],
  }),
  'with a quote of a contractor that is gone': (status) => {
    const { ticket } = moves.assign(proposedTo('proposed', a, b), client, at, { contractor: a.candidate });
    const views = ticket.views.map((view) => (view.state === 'canceled' ? view : { ...view, status }));
    return { ...ticket, views, quotes: [quoteOf(b)] };
  },
  'proposed to two': (status) => ({ ...proposedTo(status, a, b), quotes: [quoteOf(a)] }),
  'with planned dates': (status) => ({
    ...worked(status, a),
    dates: [planned('visit'), planned('intervention'), planned('intervention', { state: 'done' })],
  }),
  'created by its contractor': (status) => worked(status, a, { created_by: { ...(a.actor as Party).user } }),
  'created by its contractor, with a validated quote': (status) => ({
    ...worked(status, a, { created_by: { ...(a.actor as Party).user } }),
    quotes: [quoteOf(a, validated)],
  }),
  'full of quotes and dates': (status) => ({
    ...worked(status, a),
    quotes: Array.from({ length: 200 }, () => quoteOf(a, { status: 'declined' })),
    dates: Array.from({ length: 1_000 }, () => planned('visit', { state: 'done' })),
  }),
};

const actors: [string, Party][] = [
  ['the client', client as Party],
  ['its contractor', a.actor as Party],
  ['another contractor', b.actor as Party],
];

type Attempt = (ticket: Ticket, actor: Party) => Decision;

/** Every request that could be a move, by its `keyOf`. */
function attempts(ticket: Ticket, strict: boolean): Map<string, Attempt> {
  const date = (type: 'planned' | 'actual', category: 'visit' | 'intervention'): [string, Attempt] => [
    `POST /dates ${type} ${category}`,
    (one, actor) => {
      const far = { ...aDate({ category, type }), start: later, end: new Date(later.getTime() + 9e9) };
      return addDate(one, actor, at, { ...far, company_id: actor.companyId });
    },
  ];
  const several = ticket.views.filter(({ state }) => state === 'pending' || state === 'active').length > 1;
  const quote = { _id: newId(), reference: 'D-2', price: '5', includes_vat: false, file: null };
  return new Map<string, Attempt>([
    ['PUT /cancel', (one, actor) => moves.cancel(one, actor, at, { reason: null })],
    ['PUT /finish', (one, actor) => moves.finish(one, actor, at, { reserve: null })],
    ['PUT /close', (one, actor) => moves.close(one, actor, at, { reserve: null, strict })],
    ['POST /open', (one, actor) => moves.reopen(one, actor, at, none)],
    ['POST /submit', (one, actor) => moves.submit(one, actor, at, none)],
    ['POST /qualify', (one, actor) => moves.qualify(one, actor, at, none)],
    ['POST /propose', (one, actor) => moves.propose(one, actor, at, { contractors: [c.candidate], expiresAt: null })],
    ['POST /accept', (one, actor) => moves.accept(one, actor, at, none)],
    ['POST /decline', (one, actor) => moves.decline(one, actor, at, { reason: null })],
    ['POST /assign', (one, actor) => moves.assign(one, actor, at, { contractor: c.candidate })],
    ['POST /take-charge', (one, actor) => moves.takeCharge(one, actor, at, none)],
    ['POST /unassign', (one, actor) => moves.unassign(one, actor, at, none)],
    ['POST /ask-to-plan', (one, actor) => moves.askToPlan(one, actor, at, none)],
    ['POST /ask-for-date', (one, actor) => moves.askForDate(one, actor, at, none)],
    ['POST /reschedule', (one, actor) => reschedule(one, actor, at, null)],
    ['POST /remove', (one, actor) => moves.remove(one, actor, at, none)],
    date('planned', 'visit'),
    date('planned', 'intervention'),
    date('actual', 'visit'),
    date('actual', 'intervention'),
    ...ticket.dates
      .slice(0, 3)
      .map(({ _id }): [string, Attempt] => [
        `PUT /dates/${_id}/not-done`,
        (one, actor) => notDone(one, actor, at, _id),
      ]),
    [
      'POST /quotes',
      (one, actor) => {
        const contractor_id = several && actor.party === 'client' ? a.candidate.id : null;
        return addQuote(one, actor, at, { ...quote, contractor_id });
      },
    ],
    ...ticket.quotes.slice(0, 100).flatMap(({ _id }): [string, Attempt][] => [
      [`PUT /quotes/${_id}/validate`, (one, actor) => validateQuote(one, actor, at, _id)],
      [`PUT /quotes/${_id}/decline`, (one, actor) => declineQuote(one, actor, at, _id)],
    ]),
  ]);
}

function keyOf({ method, path, body }: AvailableMove): string {
  const values = body ? ` ${body['type']} ${body['category']}` : '';
  return `${method} ${path.replace(/^.*\/tickets\/[^/]+/, '')}${values}`;
}

/** The status that the party then sees; 'nothing changes', or why it is refused. */
function outcome(attempt: Attempt, ticket: Ticket, actor: Party): string {
  try {
    const decision = attempt(ticket, actor);
    return decision.ticket === ticket ? 'nothing changes' : statusFor(decision.ticket, actor);
  } catch (error) {
    if (error instanceof AppError || error instanceof ValidationError) return 'refused';
    throw error;
  }
}

const cases = Object.entries(situations).flatMap(([name, make]) =>
  actors.flatMap(([who, actor]) => [false, true].map((strict) => ({ name, make, who, actor, strict }))),
);

test.each(cases)(
  'a ticket $name, strict close $strict: each move listed for $who leads where it says, each other is refused',
  ({ make, actor, strict }) => {
    let listedInAll = 0;
    for (const status of statuses) {
      const ticket = make(status);
      if (!ticket.views.some(({ company_id }) => company_id === actor.companyId)) continue;
      const listed = availableMoves(ticket, actor, { strictClose: strict });
      const tried = attempts(ticket, strict);
      const said = new Map(listed.map((move) => [keyOf(move), move.to as string]));
      expect([...said.keys()].filter((key) => !tried.has(key))).toEqual([]);
      const happens = [...tried].map(([key, attempt]) => [key, outcome(attempt, ticket, actor)] as const);
      const wrong = happens.filter(([key, result]) =>
        said.has(key) ? said.get(key) !== result : result !== 'refused' && result !== 'nothing changes',
      );
      expect([status, wrong.map(([key, result]) => [key, 'said', said.get(key), 'is', result])]).toEqual([status, []]);
      listedInAll += listed.length;
    }
    expect(listedInAll).toBeGreaterThan(actor === client ? 10 : -1);
  },
);

test('a contractor is told of no quote and no date of a competitor', () => {
  const ticket: Ticket = {
    ...proposedTo('validation', a, b),
    quotes: [quoteOf(b)],
    dates: [planned('visit', { company_id: b.companyId })],
  };
  const paths = availableMoves(ticket, a.actor as Party).map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => /\/(quotes|dates)\/./.test(path))).toEqual([]);
});

test('of several contractors, a client must name the one whose quote it adds', () => {
  const needsOf = (ticket: Ticket) =>
    availableMoves(ticket, client as Party).find(({ operation }) => operation === 'add_quote')?.needs;
  expect(needsOf(proposedTo('toplan', a, b))).toEqual(['reference', 'price', 'contractor_id']);
  expect(needsOf(proposedTo('toplan', a))).toEqual(['reference', 'price']);
});
