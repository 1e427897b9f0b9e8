import type { Caller } from '@app/contracts';
import { bearerToken, type Route, route, sendVersion } from '@app/http';
import { type FieldError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import { longText } from '../http/joi-fields.ts';
import type { PresentedTicketDeps } from '../reading/ticket-presenter.ts';
import { ticketReply } from '../reading/ticket-schemas.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { permit } from '../tickets/lifecycle/status-machine.ts';
import type { Ticket } from '../tickets/ticket.ts';
import {
  actorOf,
  changeAs,
  changeErrors,
  onTicket,
  type TicketParams,
  ticketPath,
} from '../tickets/ticket-route-base.ts';
import { editedFields, editedTicket, editTicket, isKept, type TicketChanges } from './edit-ticket.ts';
import { fieldValues, maintenanceFaults, placeFaults, referenceFaults, ticketFields } from './ticket-fields.ts';

type Deps = PresentedTicketDeps & { companies: CompanyDirectory; referentials: ReferentialStore };

const changes = Joi.object<TicketChanges>({ ...ticketFields, fields: fieldValues(longText.allow(null)) }).min(1);

/** Changing the fields of a ticket. */
export function editTicketRoutes(deps: Deps): Route[] {
  return [
    route<TicketParams, object, TicketChanges, Ticket>({
      ...onTicket(deps),
      path: ticketPath,
      tag: 'Tickets',
      method: 'patch',
      summary: 'Change a ticket: the fields sent, at least one',
      description: 'For its client. `fields` are merged by `field_id`; a null `value` takes one away.',
      versioned: true,
      body: changes,
      errors: [...changeErrors, '422 ticket_too_many'],
      reply: { status: 200, schema: ticketReply },
      async handle({ resource: ticket, caller, body, precondition, write, req, res }) {
        permit(ticket, actorOf(ticket, caller), 'edit');
        // A wrong version is reported before any other fault: the request was made for another
        // state of the ticket.
        precondition?.(ticket.version);
        await checkChanges(deps, { ticket, body, caller, token: bearerToken(req) });
        const edited = editedFields(ticket, body);
        const after = await changeAs(
          deps,
          { ticket, caller, precondition, write },
          (current, actor, now) => editTicket(current, actor, now, body),
          { log: { operation: 'edit', details: () => ({ text: edited.join(', ') }) } },
        );
        sendVersion(res, after.version);
        return deps.presenter.one(after, caller);
      },
    }),
  ];
}

type Check = { ticket: Ticket; body: TicketChanges; caller: Caller; token: string };

/** @throws ValidationError naming every unknown or foreign id, and faults of the maintenance fields */
async function checkChanges({ referentials, companies }: Deps, { ticket, body, caller, token }: Check): Promise<void> {
  const { placeIds } = caller;
  const naming = { clientId: ticket.client_id, token, mayNamePeople: true, placeIds };
  const given = (await referenceFaults({ referentials, companies }, body, naming)).filter(
    ({ path }) => !isKept(path, ticket, body),
  );
  const places = body.location_ids ? placeFaults(body, caller) : [];
  const errors: FieldError[] = [...given, ...places, ...periodFaults(ticket, body)];
  if (errors.length > 0) throw new ValidationError(errors);
}

function periodFaults(ticket: Ticket, body: TicketChanges): FieldError[] {
  const isSent = body.maintenance !== undefined || body.start_date !== undefined || body.end_date !== undefined;
  return isSent ? maintenanceFaults(editedTicket(ticket, body)) : [];
}
