import { id, type Route, route, sendVersion } from '@app/http';
import { ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import { reschedule } from '../dates/dates.ts';
import { text } from '../http/joi-fields.ts';
import type { PresentedTicketDeps } from '../reading/ticket-presenter.ts';
import { ticketReply } from '../reading/ticket-schemas.ts';
import { type NamedMove, namedCalls, pathOf } from '../tickets/lifecycle/available-moves.ts';
import type { Candidate } from '../tickets/lifecycle/decision.ts';
import { linkContractor } from '../tickets/lifecycle/link-contractor.ts';
import type { Actor, Decision, Ticket } from '../tickets/ticket.ts';
import { changeAs, changeErrors, onTicket, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
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

const reason = text.allow(null);
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

/** One route for each move; each replies with the ticket. */
export function moveRoutes(deps: Deps): Route[] {
  return (Object.keys(moveTable) as NamedMove[]).map((operation) => moveRoute(deps, operation));
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
    async handle({ resource: ticket, caller, body, precondition, res }) {
      const isClient = caller.companyId === ticket.client_id;
      const contractors = await namedContractors(deps.contractors, ticket.client_id, isClient ? body : {});
      const input = { ...deps, body, contractors };
      const moved = await changeAs(
        deps,
        { ticket, caller, precondition },
        (current, actor, now) => decide(current, actor, now, input),
        { exclusive: { operation }, log: { operation, details: () => ({ text: body.reason ?? null }) } },
      );
      const after = await withAccountsSince(deps, moved, contractors);
      sendVersion(res, after.version);
      return deps.presenter.one(after, caller);
    },
  });
}

/**
 * A contractor that had no account when it was read may have been given one before the move was saved. The subscriber that
 * links its tickets did not find this one then, so the contractor is read once more.
 */
async function withAccountsSince(deps: Deps, moved: Ticket, named: Candidate[]): Promise<Ticket> {
  const unlinked = named.filter(({ company_id }) => company_id === null).map(({ id: contractorId }) => contractorId);
  if (unlinked.length === 0) return moved;
  let ticket = moved;
  for (const { _id: contractor_id, company_id } of (await deps.contractors.byIds(moved.client_id, unlinked)).values()) {
    if (company_id === null) continue;
    const link = { client_id: moved.client_id, contractor_id, company_id };
    ticket = await deps.tickets.change(ticket, (current, at) => linkContractor(current, link, at));
  }
  return ticket;
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
