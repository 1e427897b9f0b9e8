import type { Caller } from '@app/contracts';
import { answer, bearerToken, id, type Route, route } from '@app/http';
import { AppError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import { longText, title } from '../http/joi-fields.ts';
import { addressOf } from '../reading/ticket-response.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import {
  clientIdForContractors,
  type TicketDeps,
  ticketsRoute,
  typologyId,
  userRef,
} from '../tickets/ticket-route-base.ts';
import { createTicket, type NewTicket } from './create-ticket.ts';
import { fieldValues, maintenanceFaults, placeFaults, referenceFaults, ticketFields } from './ticket-fields.ts';
import type { TicketNumbers } from './ticket-numbers-store.ts';

type Deps = TicketDeps & {
  companies: CompanyDirectory;
  contractors: ContractorStore;
  referentials: ReferentialStore;
  numbers: TicketNumbers;
  /** The public address of this API. */
  baseUrl: string;
};

const newTicket = Joi.object<NewTicket>({
  ...ticketFields,
  title: title.required(),
  client_id: id.description('for contractors only, who must send it'),
  price_threshold: Joi.number().min(0).max(1_000_000_000).allow(null),
  typology_id: typologyId,
  fields: fieldValues(longText),
  from_public_interface: Joi.boolean(),
  draft: Joi.boolean(),
});

/** Creating a ticket. */
export function createTicketRoutes(deps: Deps): Route[] {
  return [
    route<object, object, NewTicket>({
      ...ticketsRoute,
      method: 'post',
      summary: 'Create a ticket',
      errors: ['403 client_id_contractors_only', '403 client_id_forbidden'],
      body: newTicket,
      reply: { status: 201, schema: answer({ ticket_id: Joi.string() }) },
      async handle({ body, caller, write, req, res }) {
        const { client, contractor } = await partiesOf(deps, body, { caller, token: bearerToken(req) });
        await checkReferences(deps, body, { clientId: client._id, caller, token: bearerToken(req) });
        const number = await deps.numbers.next(client._id);
        const by = userRef(caller);
        const ticket = createTicket(
          { input: body, number, client, by, ...(contractor ? { contractor } : {}) },
          deps.now(),
        );
        const { _id } = await deps.tickets.add(ticket, write);
        res.setHeader('Location', addressOf(_id, deps));
        return { ticket_id: _id };
      },
    }),
  ];
}

type Request = { caller: Caller; token: string };

/** The client of the ticket and, if a contractor creates it, its entry in the client's directory. */
async function partiesOf({ contractors, companies }: Deps, body: NewTicket, { caller, token }: Request) {
  if (caller.companyKind === 'client') {
    if (body.client_id !== undefined) throw clientIdForContractors();
    return { client: { _id: caller.companyId, name: caller.companyName } };
  }
  if (body.client_id === undefined)
    throw new ValidationError([{ path: 'client_id', message: 'client_id is required of a contractor' }]);
  if (body.draft) throw new AppError('forbidden', 'forbidden', 'drafts are for the client of a ticket');
  const contractor = await contractors.forCompany(caller.companyId, body.client_id);
  const company = contractor && (await companies.company(body.client_id, token));
  if (!contractor || !company) {
    throw new AppError('forbidden', 'client_id_forbidden', 'this client does not have your company in its directory');
  }
  return {
    client: { _id: company.id, name: company.name },
    contractor: { id: contractor._id, company_id: caller.companyId },
  };
}

/** @throws ValidationError naming every unknown or foreign id at once, and faults of the maintenance fields */
async function checkReferences(
  { referentials, companies }: Deps,
  body: NewTicket,
  { clientId, caller, token }: Request & { clientId: string },
) {
  const mayNamePeople = caller.companyId === clientId;
  const { placeIds } = caller;
  const naming = { clientId, token, mayNamePeople, placeIds };
  const faults = await referenceFaults({ referentials, companies }, body, naming);
  const errors = [...faults, ...placeFaults(body, caller), ...maintenanceFaults(body)];
  if (errors.length > 0) throw new ValidationError(errors);
}
