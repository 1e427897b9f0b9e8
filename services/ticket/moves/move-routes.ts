import { id, type Route, route } from '@app/http';
import { ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import { reschedule } from '../dates/dates.ts';
import { text } from '../http/joi-fields.ts';
import { ticketReply } from '../reading/ticket-schemas.ts';
import type { Candidate } from '../tickets/decision.ts';
import { linkContractor } from '../tickets/link-contractor.ts';
import type { Operation } from '../tickets/status-machine.ts';
import type { Actor, Decision, Ticket } from '../tickets/ticket.ts';
import { changeAs, onTicket, type TicketDeps, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
import * as moves from './moves.ts';

type Deps = TicketDeps & {
  contractors: ContractorStore;
  /** How long a proposal stands; null: for ever. */
  proposalLifetimeMs: number | null;
  /** Whether only a finished ticket can be closed. */
  strictClose?: boolean;
};

type Settings = Pick<Deps, 'proposalLifetimeMs' | 'strictClose'>;

type Body = {
  reason_cancel?: string | null;
  reserve?: boolean;
  reason?: string | null;
  contractor_id?: string;
  contractor_ids?: string[];
  date_id?: string;
};

/** Turns a body, with the contractors it names, into the rule to run. */
type Deciding = (
  body: Body,
  contractors: Candidate[],
  now: Date,
) => (ticket: Ticket, actor: Actor, now: Date) => Decision;

type MoveRow = {
  method: 'put' | 'post';
  operation: Operation;
  summary: string;
  body?: Joi.SchemaMap<Body>;
  decide: Deciding;
};

const reason = text.allow(null);
const reserve = Joi.boolean().description('only for a reserve ticket (typology levee-reserves)');

type Plain = (ticket: Ticket, actor: Actor, now: Date, input: undefined) => Decision;
const plain =
  (move: Plain): Deciding =>
  () =>
  (ticket, actor, now) =>
    move(ticket, actor, now, undefined);

/** Every move that people make by name (spec section 4.1, design section 6). Each answers 200 with the ticket. */
export function moveRows({ proposalLifetimeMs, strictClose: strict = false }: Settings): MoveRow[] {
  return [
    {
      method: 'put',
      operation: 'cancel',
      summary: 'Cancel a ticket',
      body: { reason_cancel: reason },
      decide:
        ({ reason_cancel }) =>
        (ticket, actor, now) =>
          moves.cancel(ticket, actor, now, { reason: reason_cancel || null }),
    },
    {
      method: 'put',
      operation: 'finish',
      summary: 'Finish a ticket',
      body: { reserve },
      decide: (body) => (ticket, actor, now) => moves.finish(ticket, actor, now, { reserve: body.reserve ?? null }),
    },
    {
      method: 'put',
      operation: 'close',
      summary: 'Close a ticket',
      body: { reserve },
      decide: (body) => (ticket, actor, now) =>
        moves.close(ticket, actor, now, { reserve: body.reserve ?? null, strict }),
    },
    { method: 'post', operation: 'reopen', summary: 'Reopen a ticket', decide: plain(moves.reopen) },
    { method: 'post', operation: 'submit', summary: 'Submit a draft', decide: plain(moves.submit) },
    {
      method: 'post',
      operation: 'qualify',
      summary: 'Qualify a ticket: wait for an assignment',
      decide: plain(moves.qualify),
    },
    {
      method: 'post',
      operation: 'propose',
      summary: 'Propose a ticket to contractors of the directory',
      body: { contractor_ids: Joi.array().min(1).max(100).unique().items(id).required() },
      decide: (_body, contractors) => (ticket, actor, now) => {
        const expiresAt = proposalLifetimeMs === null ? null : new Date(now.getTime() + proposalLifetimeMs);
        return moves.propose(ticket, actor, now, { contractors, expiresAt });
      },
    },
    { method: 'post', operation: 'accept', summary: 'Accept a proposal', decide: plain(moves.accept) },
    {
      method: 'post',
      operation: 'decline',
      summary: 'Decline a proposal or an assignment',
      body: { reason },
      decide: (body) => (ticket, actor, now) => moves.decline(ticket, actor, now, { reason: body.reason ?? null }),
    },
    {
      method: 'post',
      operation: 'assign',
      summary: 'Assign a ticket to a contractor of the directory',
      body: { contractor_id: id.required() },
      decide: (_body, contractors) => (ticket, actor, now) =>
        moves.assign(ticket, actor, now, { contractor: contractors[0] as Candidate }),
    },
    { method: 'post', operation: 'take_charge', summary: 'Take charge of a ticket', decide: plain(moves.takeCharge) },
    {
      method: 'post',
      operation: 'unassign',
      summary: 'Take a ticket from its contractor',
      decide: plain(moves.unassign),
    },
    {
      method: 'post',
      operation: 'ask_to_plan',
      summary: 'Ask that the ticket be planned',
      decide: plain(moves.askToPlan),
    },
    { method: 'post', operation: 'ask_for_date', summary: 'Ask for a date', decide: plain(moves.askForDate) },
    {
      method: 'post',
      operation: 'reschedule',
      summary: 'Cancel one planned date, or every date to come',
      body: { date_id: id },
      decide: (body) => (ticket, actor, now) => reschedule(ticket, actor, now, body.date_id ?? null),
    },
    { method: 'post', operation: 'remove', summary: 'Remove a ticket', decide: plain(moves.remove) },
  ];
}

export function moveRoutes(deps: Deps): Route[] {
  return moveRows(deps).map((row) =>
    route<TicketParams, object, Body, Ticket>({
      ...onTicket(deps),
      method: row.method,
      path: `${ticketPath}/${pathOf(row.operation)}`,
      tag: 'Moves',
      summary: row.summary,
      body: Joi.object<Body>(row.body ?? {}),
      reply: { status: 200, schema: ticketReply },
      async handle({ resource: found, caller, body }) {
        const contractors = await namedContractors(
          deps.contractors,
          found.client_id,
          caller.companyId === found.client_id ? body : {},
        );
        const moved = await changeAs(deps, { ticket: found, caller }, row.decide(body, contractors, deps.now()), {
          exclusive: { operation: row.operation },
        });
        return deps.views.one(await linkedSince(deps, moved, contractors), caller);
      },
    }),
  );
}

/** Only reopening is named otherwise in the address (spec section 4.1). */
function pathOf(operation: Operation): string {
  return operation === 'reopen' ? 'open' : operation.replaceAll('_', '-');
}

/**
 * An entry that was without account when it was read may have been given one before the move was saved, too early for
 * those who look for its tickets then: it is looked at once more.
 */
async function linkedSince(deps: Deps, moved: Ticket, named: Candidate[]): Promise<Ticket> {
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
