import type { Caller } from '@app/contracts';
import { answer, bearerToken, id, type Route, route } from '@app/http';
import { AppError, type FieldError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { CompanyDirectory } from '../companies/company-directory.ts';
import type { ContractorStore } from '../contractors/contractor-store.ts';
import { moment, text, title } from '../http/joi-fields.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { priorities, typologies } from '../tickets/ticket.ts';
import {
  clientIdForContractors,
  type TicketDeps,
  ticketsRoute,
  typologyId,
  userRef,
} from '../tickets/ticket-route-base.ts';
import { createTicket, type NewTicket } from './create-ticket.ts';
import type { TicketNumbers } from './ticket-numbers-store.ts';

type Deps = TicketDeps & {
  companies: CompanyDirectory;
  contractors: ContractorStore;
  referentials: ReferentialStore;
  numbers: TicketNumbers;
};

const ids = Joi.array().max(100).unique().items(id);
const newTicket = Joi.object<NewTicket>({
  title: title.required(),
  client_id: id.description('for contractors only, who must send it'),
  description: text.allow(null),
  priority: Joi.string().valid(...priorities),
  location_ids: ids,
  equipment_ids: ids,
  job_ids: ids,
  domain_ids: ids,
  manager_ids: ids.description('users of the client, who alone names them'),
  contact_ids: ids.description('users of the client, who alone names them'),
  price_threshold: Joi.number().min(0).max(1_000_000_000).allow(null),
  typology_id: typologyId,
  maintenance: title.allow(null).description('this and the period: only for typology maintenance'),
  start_date: moment.allow(null),
  end_date: moment.allow(null),
  fields: Joi.array()
    .max(100)
    .unique('field_id')
    .items(Joi.object({ field_id: id.required(), value: text.required() })),
  from_public_interface: Joi.boolean(),
  draft: Joi.boolean(),
}).example({ title: 'Water leak on the second floor', description: 'It drips from the ceiling.', priority: 'high' });

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
      async handle({ body, caller, req }) {
        const { client, contractor } = await partiesOf(deps, body, { caller, token: bearerToken(req) });
        await checkReferences(deps, body, { clientId: client._id, caller, token: bearerToken(req) });
        const number = await deps.numbers.next(client._id);
        const by = userRef(caller);
        const ticket = createTicket(
          { input: body, number, client, by, ...(contractor ? { contractor } : {}) },
          deps.now(),
        );
        const { _id } = await deps.tickets.add(ticket);
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
  const { location_ids, equipment_ids, job_ids, domain_ids, fields } = body;
  const field_ids = fields?.map(({ field_id }) => field_id);
  const [faults, strangers] = await Promise.all([
    referentials.faults(clientId, { location_ids, equipment_ids, job_ids, domain_ids, field_ids }),
    caller.companyId === clientId ? unknownPeople(companies, body, { clientId, token }) : namedPeople(body),
  ]);
  const errors = [...faults, ...strangers, ...maintenanceFaults(body)];
  if (errors.length > 0) throw new ValidationError(errors);
}

type People = Pick<NewTicket, 'manager_ids' | 'contact_ids'>;

async function unknownPeople(
  companies: CompanyDirectory,
  { manager_ids = [], contact_ids = [] }: People,
  { clientId, token }: { clientId: string; token: string },
): Promise<FieldError[]> {
  const people = [...manager_ids, ...contact_ids];
  const users = people.length > 0 ? await companies.users(clientId, people, token) : new Map();
  const unknown = (path: string, named: string[]): FieldError[] =>
    named.flatMap((userId, index) =>
      users.has(userId) ? [] : [{ path: `${path}.${index}`, message: `${path}.${index} is no user of this client` }],
    );
  return [...unknown('manager_ids', manager_ids), ...unknown('contact_ids', contact_ids)];
}

/**
 * A contractor may name no users at all: different errors for known and unknown ids would reveal to it who works for its client,
 * and the ticket would show it their names and addresses.
 */
function namedPeople({ manager_ids = [], contact_ids = [] }: People): FieldError[] {
  const named = Object.entries({ manager_ids, contact_ids }).filter(([, ids]) => ids.length > 0);
  return named.map(([path]) => ({ path, message: `${path} is for the client: its users are not yours to name` }));
}

/** Maintenance fields are only readable on maintenance tickets, so others must not send them. */
function maintenanceFaults({ typology_id, maintenance, start_date, end_date }: NewTicket): FieldError[] {
  if (typology_id !== typologies.maintenance) {
    const given = Object.entries({ maintenance, start_date, end_date }).filter(([, value]) => (value ?? null) !== null);
    return given.map(([path]) => ({ path, message: `${path} is for tickets of typology maintenance alone` }));
  }
  const backwards = start_date && end_date && end_date < start_date;
  return backwards ? [{ path: 'end_date', message: 'end_date is before start_date' }] : [];
}
