import { oneOf } from '@app/contracts';
import { day, named, type Route } from '@app/http';
import { listRoutes } from '@app/http/lists';
import { countedIds, type Statistics } from '@app/service/statistics';
import Joi from 'joi';
import type { PresentedTicketDeps } from '../reading/ticket-presenter.ts';
import { figures, parts } from '../statistics/ticket-entries.ts';
import { accrualList } from '../tickets/lists/accrual-list.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { visibleTo } from '../tickets/visibility.ts';

type Deps = Pick<PresentedTicketDeps, 'tickets' | 'presenter'> & {
  statistics: Pick<Statistics, 'documents' | 'entriesOf'>;
};
type Given = { state?: string; from?: string; to?: string };
type Named = { name: string | null }[];
type Shown = Pick<Ticket, '_id' | 'number' | 'title'> & { contractors: Named; locations: Named };

const eurosOf = (cents: number) => (cents === 0 ? null : cents / 100);

const names = Joi.array().items(Joi.string());
const euros = Joi.number()
  .allow(null)
  .description('euros; what is left of orders and validated quotes that were given so; null if nothing is');
const item = named('Accrual', {
  _id: Joi.string(),
  number: Joi.string(),
  title: Joi.string(),
  contractors: names,
  places: names,
  state: oneOf(parts.uninvoiced),
  day: Joi.string().description('when it was done or received, in UTC'),
  amount: euros,
  amount_with_vat: euros,
});

/** The tickets behind `/statistics/tickets/uninvoiced` with what is left of each, for those who set it aside at a month's end. */
export function accrualRoutes({ tickets, presenter, statistics }: Deps, base: AccountingBase): Route[] {
  return listRoutes<Ticket>({
    base: { ...base, path: '/invoice-tickets' },
    summary: ['List work that is not invoiced in full', 'Download the work that is not invoiced in full'],
    description: 'The tickets that `/statistics/tickets/uninvoiced` counts, with what is left of each.',
    list: accrualList,
    read: tickets.accruals,
    byDefault: { by: 'created', order: 'asc' },
    filters: {
      state: oneOf(parts.uninvoiced),
      from: day.description('done or received on this day or later, in UTC'),
      to: day.description('before this day'),
    },
    async conditionsOf({ state, ...days }: Given, { caller }) {
      const part = state === undefined ? [] : [state];
      const counted = { in: [figures.uninvoiced, ...part].join('.'), ...days };
      const ids = await countedIds(statistics, caller.companyId, counted);
      return [{ filter: { _id: { $in: ids } }, index: '_id_' }, { filter: visibleTo(caller) }];
    },
    async show(found, { caller }) {
      const entries = await statistics.entriesOf(found.map(({ _id }) => _id));
      const shown = (await presenter.page(found, caller)) as Shown[];
      return shown.flatMap(({ _id, number, title, contractors, locations }) => {
        const own = entries.get(_id)?.find((one) => {
          return one.company === caller.companyId && one.figure === figures.uninvoiced;
        });
        // Invoiced since it was found.
        if (!own) return [];
        const { day: on, split, ht = 0, ttc = 0 } = own;
        const [state] = split;
        const named = { contractors: namesOf(contractors), places: namesOf(locations) };
        const amounts = { amount: eurosOf(ht), amount_with_vat: eurosOf(ttc) };
        return [{ _id, number, title, ...named, state, day: on, ...amounts }];
      });
    },
    item,
    names: { items: 'items', cursor: 'nextCursor', file: 'uninvoiced' },
  });
}

export type AccountingBase = Pick<Route, 'host' | 'tag' | 'access'>;

function namesOf(all: Named): string[] {
  return all.flatMap(({ name }) => name ?? []);
}
