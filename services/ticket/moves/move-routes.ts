import { id, type Route, route, sendVersion } from '@app/http';
import { ValidationError } from '@app/kernel';
import { conflict, retryOnConflict } from '@app/runtime';
import type { TransactionalWrite } from '@app/runtime/idempotency';
import Joi from 'joi';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import { reschedule } from '../dates/dates.ts';
import { longText } from '../http/joi-fields.ts';
import type { PresentedTicketDeps } from '../reading/ticket-presenter.ts';
import { ticketReply } from '../reading/ticket-schemas.ts';
import { type NamedMove, namedCalls, pathOf } from '../tickets/lifecycle/available-moves.ts';
import type { Candidate } from '../tickets/lifecycle/decision.ts';
import type { Actor, Decision, Ticket } from '../tickets/ticket.ts';
import { changeAs, changeErrors, onTicket, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
import { dueDateRoutes } from './due-date-routes.ts';
import * as moves from './moves.ts';

type Deps = PresentedTicketDeps & {
  contractors: ContractorStore;
  /** How long a proposal stands; null: for ever. */
  proposalLifetimeMs: number | null;
  /** Whether only a finished ticket can be closed. */
  strictClose?: boolean;
};

type Body = {
  reason_cancel?: string | null;
  reserve?: boolean;
  reason?: string | null;
  contractor_id?: string;
  contractor_ids?: string[];
  date_id?: string;
};

/** The body of a request and the contractors that it names, with the settings. */
type MoveInput = Pick<Deps, 'proposalLifetimeMs' | 'strictClose'> & { body: Body; contractors: Candidate[] };

type MoveRow = {
  summary: string;
  /** Fields of the body. Which of them must be there, the table of named moves says. */
  body?: Joi.SchemaMap<Body>;
  decide: (ticket: Ticket, actor: Actor, now: Date, input: MoveInput) => Decision;
};

const reason = longText.allow(null);
const reserve = Joi.boolean().description('only for a reserve ticket (typology levee-reserves)');

const moveTable: Record<NamedMove, MoveRow> = {
  cancel: {
    summary: 'Cancel a ticket',
    body: { reason_cancel: reason },
    decide: (ticket, actor, now, { body }) => moves.cancel(ticket, actor, now, { reason: body.reason_cancel || null }),
  },
  finish: {
    summary: 'Finish a ticket',
    body: { reserve },
    decide: (ticket, actor, now, { body }) => moves.finish(ticket, actor, now, { reserve: body.reserve ?? null }),
  },
  close: {
    summary: 'Close a ticket',
    body: { reserve },
    decide: (ticket, actor, now, { body, strictClose: strict = false }) =>
      moves.close(ticket, actor, now, { reserve: body.reserve ?? null, strict }),
  },
  reopen: { summary: 'Reopen a ticket', decide: moves.reopen },
  submit: { summary: 'Submit a draft', decide: moves.submit },
  qualify: { summary: 'Qualify a ticket: wait for an assignment', decide: moves.qualify },
  propose: {
    summary: 'Propose a ticket to contractors of the directory',
    body: { contractor_ids: Joi.array().min(1).max(100).unique().items(id) },
    decide: (ticket, actor, now, { contractors, proposalLifetimeMs }) => {
      const expiresAt = proposalLifetimeMs === null ? null : new Date(now.getTime() + proposalLifetimeMs);
      return moves.propose(ticket, actor, now, { contractors, expiresAt });
    },
  },
  accept: { summary: 'Accept a proposal', decide: moves.accept },
  decline: {
    summary: 'Decline a proposal or an assignment',
    body: { reason },
    decide: (ticket, actor, now, { body }) => moves.decline(ticket, actor, now, { reason: body.reason ?? null }),
  },
  assign: {
    summary: 'Assign a ticket to a contractor of the directory',
    body: { contractor_id: id },
    decide: (ticket, actor, now, { contractors }) =>
      moves.assign(ticket, actor, now, { contractor: contractors[0] as Candidate }),
  },
  take_charge: { summary: 'Take charge of a ticket', decide: moves.takeCharge },
  unassign: { summary: 'Take a ticket from its contractor', decide: moves.unassign },
  ask_to_plan: { summary: 'Ask that the ticket be planned', decide: moves.askToPlan },
  ask_for_date: { summary: 'Ask for a date', decide: moves.askForDate },
  reschedule: {
    summary: 'Cancel one planned date, or every date to come',
    body: { date_id: id },
    decide: (ticket, actor, now, { body }) => reschedule(ticket, actor, now, body.date_id ?? null),
  },
  remove: { summary: 'Remove a ticket', decide: moves.remove },
};

/** One route for each move, and that of due dates; each replies with the ticket. */
export function moveRoutes(deps: Deps): Route[] {
  const named = (Object.keys(moveTable) as NamedMove[]).map((operation) => moveRoute(deps, operation));
  return [...named, ...dueDateRoutes(deps)];
}

function moveRoute(deps: Deps, operation: NamedMove): Route {
  const { summary, body: fields = {}, decide } = moveTable[operation];
  const { method, needs } = namedCalls[operation];
  return route<TicketParams, object, Body, Ticket>({
    ...onTicket(deps),
    method: method === 'PUT' ? 'put' : 'post',
    path: `${ticketPath}/${pathOf(operation)}`,
    tag: 'Moves',
    summary,
    body: Joi.object<Body>(fields).fork(needs, (field) => field.required()),
    errors: fields.contractor_id || fields.contractor_ids ? [...changeErrors, '422 ticket_too_many'] : changeErrors,
    reply: { status: 200, schema: ticketReply },
    versioned: true,
    async handle({ resource: ticket, caller, body, precondition, write, res }) {
      const isClient = caller.companyId === ticket.client_id;
      const after = await withContractors(deps, ticket.client_id, isClient ? body : {}, (contractors, alongside) => {
        const input = { ...deps, body, contractors };
        return changeAs(
          deps,
          { ticket, caller, precondition, write },
          (current, actor, now) => decide(current, actor, now, input),
          { alongside, exclusive: { operation }, log: { operation, details: () => ({ text: body.reason ?? null }) } },
        );
      });
      sendVersion(res, after.version);
      return deps.presenter.one(after, caller);
    },
  });
}

type Change = (contractors: Candidate[], alongside: TransactionalWrite | null) => Promise<Ticket>;

/**
 * Saves a move with the contractors that it names. One without an account must not get it before the move is saved: whoever links
 * its tickets then would not find this one.
 */
function withContractors(deps: Deps, clientId: string, body: Body, change: Change): Promise<Ticket> {
  const attempt = async () => {
    const named = await namedContractors(deps.contractors, clientId, body);
    const unlinked = named.flatMap(({ id: contractorId, company_id }) => (company_id === null ? [contractorId] : []));
    let isLinked = false;
    const hold: TransactionalWrite = async (session) => {
      isLinked = !(await deps.contractors.holdUnlinked(clientId, unlinked, session));
      if (isLinked) throw new Error('a contractor has got its account since');
    };
    try {
      return await change(named, unlinked.length > 0 ? hold : null);
    } catch (error) {
      if (isLinked) return conflict;
      throw error;
    }
  };
  return retryOnConflict(attempt, { code: 'ticket_busy', what: 'this ticket' });
}

/** @throws ValidationError naming each id that is no contractor of the client's directory */
async function namedContractors(contractors: ContractorStore, clientId: string, body: Body): Promise<Candidate[]> {
  const named = body.contractor_ids ?? (body.contractor_id === undefined ? [] : [body.contractor_id]);
  if (named.length === 0) return [];
  const found = await contractors.byIds(clientId, named);
  const path = (index: number) => (body.contractor_ids ? `contractor_ids.${index}` : 'contractor_id');
  const errors = named.flatMap((contractorId, index) =>
    found.has(contractorId) ? [] : [{ path: path(index), message: `${path(index)} is no contractor of this client` }],
  );
  if (errors.length > 0) throw new ValidationError(errors);
  return named.map((contractorId) => ({ id: contractorId, company_id: found.get(contractorId)?.company_id ?? null }));
}
