import { named, type Route, route } from '@app/http';
import Joi from 'joi';
import type { InvoiceLineStore } from '../invoices/invoice-line-store.ts';
import type { PurchaseProjectionStore } from '../purchases/purchase-projection-store.ts';
import type { Versioned } from '../referentials/location-snapshot.ts';
import { kinds } from '../referentials/referential-kinds.ts';
import { called, type EntryParams, entryOf, type KindDeps } from '../referentials/referential-route-base.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { costsOf } from './costs.ts';
import type { CostedTickets } from './costs-store.ts';

type Deps = {
  referentials: ReferentialStore;
  costedTickets: CostedTickets;
  purchases: Pick<PurchaseProjectionStore, 'listByTicket'>;
  invoices: Pick<InvoiceLineStore, 'listByTicket'>;
};

/** How many tickets are read for the costs of an entry, the newest ones. */
const maxTickets = 1_000;

const amount = Joi.string().description('euros without VAT, such as 1234.50');
const shown = named('Costs', {
  tickets: Joi.number().integer().description(`those that were read, the newest ${maxTickets}`),
  is_more: Joi.boolean().description('whether older tickets were left out'),
  quotes_ht: amount.description('of validated quotes'),
  orders_ht: amount.description('of purchase orders; most are made of a validated quote, so the two are not added up'),
  invoiced_ht: amount.description('of the invoices in euros, less credit notes'),
  with_vat: Joi.number()
    .integer()
    .description('quotes and orders that say their amount with VAT alone: in neither sum'),
});

/** What the work at a place, or on equipment, comes to. */
export function costRoutes(deps: Deps): Route[] {
  return kinds.filter(({ isPictured }) => isPictured).map((row) => costRoute({ ...deps, row }));
}

function costRoute({ row, referentials, costedTickets, ...deps }: Omit<Deps, 'referentials'> & KindDeps): Route {
  const { path, versioned: _, ...entry } = entryOf(row, referentials);
  return route<EntryParams, object, object, Versioned>({
    ...entry,
    path: `${path}/costs`,
    method: 'get',
    summary: `The quotes, orders and invoices of its tickets: ${called(row.one)}`,
    errors: [`404 ${row.kind}_not_found`],
    reply: { status: 200, schema: shown },
    async handle({ resource: { _id }, caller }) {
      const of =
        row.kind === 'location'
          ? { location_ids: await referentials.placesBelow(caller.companyId, [_id]) }
          : { equipment_id: _id };
      const found = await costedTickets(of, caller, maxTickets + 1);
      const read = found.slice(0, maxTickets);
      const having = (flag: 'has_purchases' | 'has_invoices') =>
        read.flatMap((ticket) => (ticket[flag] ? [ticket._id] : []));
      const [ordered, invoiced] = await Promise.all([
        deps.purchases.listByTicket(having('has_purchases'), caller.companyId),
        deps.invoices.listByTicket(having('has_invoices')),
      ]);
      const costs = costsOf(read, [...ordered.values()].flat(), [...invoiced.values()]);
      return { ...costs, is_more: found.length > maxTickets };
    },
  });
}
