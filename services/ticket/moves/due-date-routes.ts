import { oneOf } from '@app/contracts';
import { moment, type Route, route, sendVersion } from '@app/http';
import Joi from 'joi';
import { clockNames } from '../clocks/clocks.ts';
import { title } from '../http/joi-fields.ts';
import type { PresentedTicketDeps } from '../reading/ticket-presenter.ts';
import { ticketReply } from '../reading/ticket-schemas.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { changeAs, changeErrors, onTicket, type TicketParams, ticketPath } from '../tickets/ticket-route-base.ts';
import { type DueDateMove, moveDueDate } from './move-due-date.ts';

/** Moving what is due, with a reason that both parties read in the history. */
export function dueDateRoutes(deps: PresentedTicketDeps): Route[] {
  return [
    route<TicketParams, object, DueDateMove, Ticket>({
      ...onTicket(deps),
      path: `${ticketPath}/due-date`,
      tag: 'Tickets',
      method: 'put',
      summary: 'Move a due date of a ticket',
      description: 'For its client. It holds until the clock next stops; from then on what is left until it is kept.',
      versioned: true,
      body: Joi.object<DueDateMove>({
        clock: oneOf(clockNames).required(),
        due_at: moment.required(),
        reason: title.required().description('both parties read it in the history'),
      }),
      errors: [...changeErrors, '409 no_deadline', '422 ticket_too_many'],
      reply: { status: 200, schema: ticketReply },
      async handle({ resource: ticket, caller, body, precondition, write, res }) {
        const text = `${body.clock} ${body.due_at.toISOString()} ${body.reason}`;
        const after = await changeAs(
          deps,
          { ticket, caller, precondition, write },
          (current, actor, now) => moveDueDate(current, actor, now, body),
          { log: { operation: 'move_due_date', details: () => ({ text }) } },
        );
        sendVersion(res, after.version);
        return deps.presenter.one(after, caller);
      },
    }),
  ];
}
