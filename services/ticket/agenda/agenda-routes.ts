import { type Caller, oneOf } from '@app/contracts';
import { answer, id, moment, named, type Route, route } from '@app/http';
import { AppError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import { reference } from '../http/answer-schemas.ts';
import { statuses } from '../tickets/ticket.ts';
import { actorOf, clientIdForContractors, contractorIdForClients } from '../tickets/ticket-route-base.ts';
import { isMovable } from './agenda.ts';
import { agendaFeedRoutes, type FeedDeps } from './agenda-feed-routes.ts';
import { type AgendaEntry, maxEntries, readAgenda } from './read-agenda.ts';

type Query = {
  from: Date;
  to: Date;
  client_id?: string;
  contractor_id?: string;
  place_id?: string;
  manager_id?: string;
};

const maxDays = 62;
const isShown = ({ state }: Pick<AgendaEntry, 'state'>) => state !== 'canceled';

const entrySchema = named('AgendaEntry', {
  _id: Joi.string().description('of the date'),
  category: Joi.string().valid('visit', 'intervention'),
  state: Joi.string().valid('planned', 'done'),
  start: Joi.string().isoDate(),
  end: Joi.string().isoDate(),
  time_zone: Joi.string().allow(null).description('of the place, IANA; null: its hours are not known'),
  movable: Joi.boolean().description('whether you may cancel it by `reschedule` and then plan another date'),
  ticket: answer({
    _id: Joi.string(),
    number: Joi.string(),
    title: Joi.string(),
    status: oneOf(statuses),
  }),
  client: reference,
  contractor: Joi.alternatives().try(reference, Joi.valid(null)),
  places: Joi.array().items(reference),
});

/** Visits and work of all tickets that the caller sees. */
export function agendaRoutes(deps: FeedDeps): Route[] {
  return [
    ...agendaFeedRoutes(deps),
    route<object, Query>({
      host: 'ts',
      method: 'get',
      path: '/agenda',
      tag: 'Agenda',
      access: { permission: 'tickets' },
      summary: 'Planned and done visits and work of a period',
      description: `By start; of at most ${maxDays} days. What was canceled, or did not take place, is left out. A place is meant with all below it.`,
      query: Joi.object<Query>({
        from: moment.required(),
        to: moment.required(),
        client_id: id.description('for contractors only'),
        contractor_id: id.description('for clients only: has the ticket'),
        place_id: id,
        manager_id: id,
      }),
      errors: ['403 client_id_contractors_only', '403 contractor_id_clients_only', '422 list_too_broad'],
      reply: { status: 200, schema: answer({ entries: Joi.array().items(entrySchema) }) },
      async handle({ query: { from, to, place_id, ...filter }, caller }) {
        if (to <= from || to.getTime() - from.getTime() > maxDays * 86_400_000)
          throw new ValidationError([{ path: 'to', message: `to must be after from, by at most ${maxDays} days` }]);
        if (filter.client_id && caller.companyKind !== 'contractor') throw clientIdForContractors();
        if (filter.contractor_id && caller.companyKind === 'contractor') throw contractorIdForClients();
        const below = place_id ? await deps.referentials.placesBelow(caller.companyId, [place_id]) : [];
        const place_ids = below.length > 0 ? below : [place_id ?? ''];
        const wanted = place_id ? { ...filter, place_ids } : filter;
        const { entries, isMore } = await readAgenda(deps, caller, { from, to, filter: wanted, isShown });
        if (isMore) {
          const message = `more than ${maxEntries} dates: ask for fewer days, or for one place`;
          throw new AppError('unprocessable', 'list_too_broad', message);
        }
        return { entries: entries.map((entry) => entryOf(entry, caller)) };
      },
    }),
  ];
}

function entryOf({ places, contractor, time_zone, ticket, own, ...dated }: AgendaEntry, caller: Caller) {
  const { date, state } = dated;
  const { _id, category, start, end } = date;
  const { number, title, client_id, client_name } = ticket;
  return {
    _id,
    category,
    state,
    start,
    end,
    time_zone,
    movable: isMovable(ticket, actorOf(ticket, caller), dated),
    ticket: { _id: ticket._id, number, title, status: own.status },
    client: { _id: client_id, name: client_name },
    // A contractor learns of nobody else who works there.
    contractor: own.role === 'client' ? contractor : null,
    places: places.map((place) => ({ _id: place._id, name: place.name })),
  };
}
