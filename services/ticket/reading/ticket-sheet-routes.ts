import type { Caller } from '@app/contracts';
import { type Route, responseSent, route } from '@app/http';
import {
  assertSheetHolds,
  maxSheetRows,
  type SheetQuery,
  sendSheet,
  sheetParameters,
  sheetTypes,
} from '@app/http/lists';
import Joi from 'joi';
import { ticketList } from '../tickets/lists/ticket-list.ts';
import type { ListQuery } from '../tickets/lists/ticket-list-plan.ts';
import { ticketsRoute } from '../tickets/ticket-route-base.ts';
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
        async read({ query: { format: _, language: __, ...wanted }, caller }, cursor) {
          const page = { ...wanted, limit: sheetPage, ...(cursor !== null && { cursor }) };
          const found = await tickets.list(await permittedQuery(page, caller, deps), caller);
          return {
            rows: (await presenter.page(found.items, caller)).map((one) => rowOf(one as Shown)),
            next: found.cursor,
          };
        },
      },
      async handle({ query: { format, language, ...wanted }, caller, res }) {
        const query = await permittedQuery({ ...wanted, limit: pageSize }, caller, deps);
        assertSheetHolds(await tickets.count(query, caller, maxSheetRows + 1));
        const rows = rowsOf(query, caller, { tickets, presenter });
        await sendSheet(res, { list: ticketList, name: 'tickets', format, language, rows });
        return responseSent;
      },
    }),
    ...ticketRoutes(deps),
    ...historyRoutes(deps),
  ];
}

const pageSize = 200;
/** In the background, where each page costs a message. */
const sheetPage = 500;

async function* rowsOf(
  query: ListQuery,
  caller: Caller,
  { tickets, presenter }: Pick<ReadingDeps, 'tickets' | 'presenter'>,
) {
  for (let cursor = query.cursor ?? null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page = await tickets.list(cursor === null ? query : { ...query, cursor }, caller);
    for (const shown of await presenter.page(page.items, caller)) yield rowOf(shown as Shown);
    cursor = page.cursor;
  }
}

type Named = { name: string | null }[];
type Shown = {
  contractors: Named;
  locations: Named;
  equipments: Named;
  intervention_scheduled_at: string[];
  intervention_occured_at: string[];
};

/** A ticket as the caller sees it, with names in place of lists. */
function rowOf(shown: Shown): object {
  const namesOf = (all: Named) => all.flatMap(({ name }) => name ?? []);
  return {
    ...shown,
    contractor_names: namesOf(shown.contractors),
    location_names: namesOf(shown.locations),
    equipment_names: namesOf(shown.equipments),
    work_at: shown.intervention_scheduled_at[0] ?? shown.intervention_occured_at.at(-1) ?? null,
  };
}
