import type { Caller } from '@app/contracts';
import { type Route, responseSent, route } from '@app/http';
import {
  assertSheetHolds,
  maxSheetRows,
  rowsOfParts,
  type SheetQuery,
  sendSheet,
  sheetParameters,
  sheetPart,
  sheetTypes,
} from '@app/http/lists';
import Joi from 'joi';
import { type ClockName, clockNames } from '../clocks/clocks.ts';
import { earliest } from '../tickets/lifecycle/ticket-clocks.ts';
import { ticketList, workDateOf } from '../tickets/lists/ticket-list.ts';
import type { ListQuery } from '../tickets/lists/ticket-list-plan.ts';
import { viewOfCompany } from '../tickets/ticket.ts';
import { ticketsRoute } from '../tickets/ticket-route-base.ts';
import { visibleDates } from '../tickets/visibility.ts';
import { historyRoutes } from './history-routes.ts';
import type { HistoryDeps } from './ticket-history.ts';
import {
  listErrors,
  permittedQuery,
  type ReadingDeps,
  ticketFilters,
  ticketRoutes,
  ticketSorting,
} from './ticket-routes.ts';

type Query = Omit<ListQuery, 'limit' | 'cursor'> & SheetQuery;

/** Reading tickets, one by one, in lists and as files. */
export function readingRoutes(deps: ReadingDeps & HistoryDeps): Route[] {
  const { tickets, presenter } = deps;
  const partOf = async (query: ListQuery, caller: Caller, after: string | null) => {
    const { items, cursor } = await tickets.list({ ...query, ...(after !== null && { cursor: after }) }, caller);
    const shown = (await presenter.page(items, caller)) as Shown[];
    const rows = items.map((ticket, index) => {
      const own = viewOfCompany(ticket, caller.companyId);
      const dates = own ? visibleDates(ticket, own) : [];
      return { ...rowOf(shown[index] as Shown), work_at: workDateOf(dates) };
    });
    return { rows, next: cursor };
  };
  return [
    route<object, Query>({
      ...ticketsRoute,
      path: '/api/v3.0/tickets/export',
      method: 'get',
      summary: 'Download tickets for a spreadsheet',
      description: `At most ${maxSheetRows} of them, with the filters and the order of the list. A text that could be taken for a formula begins with an apostrophe in a CSV.`,
      query: Joi.object<Query>({ ...ticketFilters, ...ticketSorting, ...sheetParameters }),
      errors: [...listErrors, '422 sheet_too_large'],
      reply: { status: 200, file: sheetTypes },
      sheet: {
        list: ticketList,
        read: async ({ query: { format: _, language: __, ...wanted }, caller }, after) =>
          partOf(await permittedQuery({ ...wanted, limit: sheetPart }, caller, deps), caller, after),
      },
      async handle({ query: { format, language, ...wanted }, caller, res }) {
        const query = await permittedQuery({ ...wanted, limit: sheetPart }, caller, deps);
        assertSheetHolds(await tickets.count(query, caller, maxSheetRows + 1));
        const rows = rowsOfParts((after) => partOf(query, caller, after));
        await sendSheet(res, { list: ticketList, name: 'tickets', format, language, rows });
        return responseSent;
      },
    }),
    ...ticketRoutes(deps),
    ...historyRoutes(deps),
  ];
}

type Named = { name: string | null }[];
type Shown = {
  contractors: Named;
  locations: Named;
  equipments: Named;
  clocks:
    | { [Name in ClockName]?: { due_at: Date | null; reached_at: Date | null; pause: string | null } | null }
    | null;
};

/** A ticket as the caller sees it, with names in place of lists. */
function rowOf(shown: Shown): object {
  const namesOf = (all: Named) => all.flatMap(({ name }) => name ?? []);
  return {
    ...shown,
    contractor_names: namesOf(shown.contractors),
    location_names: namesOf(shown.locations),
    equipment_names: namesOf(shown.equipments),
    clock_due_at: earliest(
      clockNames.flatMap((name) => {
        const clock = shown.clocks?.[name];
        return clock && !clock.reached_at && clock.pause !== 'canceled' ? clock.due_at : [];
      }),
    ),
  };
}
