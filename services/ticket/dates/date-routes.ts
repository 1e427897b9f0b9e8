import { answer, id, moment, named, type Route, route, sendVersion } from '@app/http';
import { newId, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { PresentedTicketDeps } from '../reading/ticket-presenter.ts';
import { ticketReply } from '../reading/ticket-schemas.ts';
import { dateOperation, period } from '../tickets/history.ts';
import { type DateCategory, type Ticket, type TicketDate, type View, viewOfCompany } from '../tickets/ticket.ts';
import { changeAs, changeErrors, onTicket, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
import { visibleDates } from '../tickets/visibility.ts';
import { addDate, notDone } from './dates.ts';

type Body = { start: Date; end: Date; type: 'planned' | 'actual'; category?: DateCategory };
type DateParams = TicketParams & { date_id: string };

const dateSchema = named('TicketDate', {
  _id: Joi.string(),
  category: Joi.string().valid('visit', 'intervention'),
  type: Joi.string().valid('planned', 'actual'),
  state: Joi.string().valid('planned', 'done', 'not_done', 'canceled').description('what became of it'),
  start: Joi.string().isoDate(),
  end: Joi.string().isoDate(),
  created_at: Joi.string().isoDate(),
});

export const datesFields = {
  visit_dates: Joi.array().items(dateSchema),
  intervention_dates: Joi.array().items(dateSchema),
};

const newDate = Joi.object<Body>({
  start: moment.required(),
  end: moment.required(),
  type: Joi.string().valid('planned', 'actual').required(),
  category: Joi.string().valid('visit', 'intervention').description('default: intervention'),
});

/** Visit and intervention dates of a ticket. */
export function dateRoutes(deps: PresentedTicketDeps): Route[] {
  return [...listRoutes(deps), notDoneRoute(deps)];
}

function listRoutes(deps: PresentedTicketDeps): Route[] {
  const shared = { ...onTicket(deps), path: `${ticketPath}/dates`, tag: 'Dates' } as const;
  return [
    route<TicketParams, object, object, Ticket>({
      ...shared,
      method: 'get',
      summary: 'List visit and intervention dates, oldest first',
      reply: { status: 200, schema: answer(datesFields) },
      async handle({ resource: found, caller }) {
        return datesResponse(found, viewOfCompany(found, caller.companyId) as View);
      },
    }),
    route<TicketParams, object, Body, Ticket>({
      ...shared,
      method: 'post',
      summary: 'Append a date: a planned one plans, an actual one confirms',
      versioned: true,
      body: newDate,
      errors: [...changeErrors, '422 ticket_too_many'],
      reply: { status: 201, schema: answer({ date: dateSchema }) },
      async handle({ resource: found, caller, body, precondition, write, res }) {
        const { start, end, type, category = 'intervention' } = body;
        if (end < start) throw new ValidationError([{ path: 'end', message: 'end is before start' }]);
        const date = { _id: newId(deps.now()), company_id: caller.companyId, category, type, start, end };
        const after = await changeAs(
          deps,
          { ticket: found, caller, precondition, write },
          (ticket, actor, now) => addDate(ticket, actor, now, { ...date, created_at: now }),
          { log: { operation: dateOperation(date), details: () => ({ about: date._id, text: period(date) }) } },
        );
        sendVersion(res, after.version);
        // The last one, not the one with this id: the ticket may be as an earlier attempt at this request saved it.
        return { date: dateResponse(after.dates.at(-1) as TicketDate) };
      },
    }),
  ];
}

function notDoneRoute(deps: PresentedTicketDeps): Route {
  return route<DateParams, object, object, Ticket>({
    ...onTicket(deps),
    params: Joi.object<DateParams>({ ticket_id: id.required(), date_id: id.required() }),
    method: 'put',
    path: `${ticketPath}/dates/:date_id/not-done`,
    tag: 'Dates',
    summary: 'Say that a planned visit or intervention was not done',
    errors: [...changeErrors, '404 date_not_found'],
    body: Joi.object({}),
    versioned: true,
    reply: { status: 200, schema: ticketReply },
    async handle({ resource: found, caller, params, precondition, write, res }) {
      const date = found.dates.find(({ _id }) => _id === params.date_id);
      const operation = `${date?.category ?? 'intervention'}_not_done` as const;
      const after = await changeAs(
        deps,
        { ticket: found, caller, precondition, write },
        (ticket, actor, now) => notDone(ticket, actor, now, params.date_id),
        { log: { operation, details: () => (date ? { ...ownerOf(date, found), text: period(date) } : {}) } },
      );
      sendVersion(res, after.version);
      return deps.presenter.one(after, caller);
    },
  });
}

/** The contractor of the date: no other contractor may know what became of it. */
function ownerOf({ company_id }: TicketDate, { views }: Ticket) {
  const view = views.find((one) => one.role === 'contractor' && one.company_id === company_id);
  return { contractor_id: view?.contractor_id ?? null };
}

/** The dates that this view sees, in a reply. */
export function datesResponse(ticket: Ticket, own: View) {
  const dates = visibleDates(ticket, own);
  const of = (category: DateCategory) => dates.filter((date) => date.category === category).map(dateResponse);
  return { visit_dates: of('visit'), intervention_dates: of('intervention') };
}

function dateResponse({ _id, category, type, state, start, end, created_at }: TicketDate) {
  return { _id, category, type, state, start, end, created_at };
}
