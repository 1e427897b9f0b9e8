import { oneOf } from '@app/contracts';
import { answer, type Route, route } from '@app/http';
import { addSums, dayOf, keyOf, medianOf, noSums, type Sums } from '@app/service/entries';
import {
  type Asked,
  ageClasses,
  askedBy,
  type FigureDeps,
  type FigureRoute,
  figureRoute,
  groupName,
  type Question,
  questionSchema,
  type Row,
  rangeFields,
  rangeResponse,
  readRows,
  withNames,
} from '@app/service/statistics';
import Joi from 'joi';
import { clockNames } from '../clocks/clocks.ts';
import { figures, parts, type WorkEvent, workEvents } from './ticket-entries.ts';

const common = { tag: 'Statistics', access: { permission: 'tickets' } } as const;

const dimensions = ['place', 'domain', 'priority', 'contractor', 'client'] as const;
const dimensionsNote =
  'A ticket of several places or domains counts under each. `contractor` is for clients, `client` for contractors.';
const currency = { currency: Joi.string().description('ISO 4217; amounts of different currencies are never added up') };
const given = 'what was given without VAT is in `amount`, what was given with VAT in `amount_with_vat`';

const summedUp: FigureRoute[] = [
  {
    path: '/statistics/tickets/open',
    summary: 'Open tickets by status and age',
    description: `In the statuses that you see; a contractor counts its own views, with the proposals that it has to answer. Age is in days since the creation. ${dimensionsNote}`,
    figures: figures.open,
    split: { status: oneOf(parts.open) },
    dimensions,
    days: 'all',
    classes: ageClasses,
  },
  {
    path: '/statistics/tickets/spend',
    summary: 'What was invoiced on tickets',
    description: `By the dates of the invoices; credit notes are deducted, and what a corrective invoice replaces is left out. ${dimensionsNote}`,
    figures: figures.invoiced,
    split: currency,
    dimensions,
    days: 'this year and last',
    amounts: true,
  },
  {
    path: '/statistics/tickets/invoices',
    summary: 'Where invoices on tickets stand',
    description: `As of \`/statistics/tickets/spend\`, by what the client told the supplier last: \`received\` until it told something. ${dimensionsNote}`,
    figures: figures.billed,
    split: { standing: oneOf(parts.billed), ...currency },
    dimensions,
    days: 'this year and last',
    amounts: true,
  },
  {
    path: '/statistics/tickets/commitments',
    summary: 'What was committed on tickets, against what was invoiced',
    description: `\`ordered\`: purchase orders, by their dates; \`agreed\`: validated quotes without an order, by their validation; of both, ${given}. \`invoiced\`: as of \`/statistics/tickets/spend\`. ${dimensionsNote}`,
    figures: { ordered: figures.ordered, agreed: figures.agreed, invoiced: figures.invoiced },
    split: currency,
    dimensions,
    days: 'this year and last',
    amounts: true,
  },
  {
    path: '/statistics/tickets/quotes',
    summary: 'Quotes by what became of them',
    description: `By the day on which they were added, with their age in days; ${given}. \`lapsed\`: nobody decided it before its ticket or its contractor was gone. A contractor has its own. ${dimensionsNote}`,
    figures: figures.quotes,
    split: { state: oneOf(parts.quotes) },
    dimensions,
    days: 'all',
    classes: ageClasses,
    amounts: true,
  },
  {
    path: '/statistics/tickets/planned',
    summary: 'Planned visits and work',
    description: `Dates of open tickets that are planned and neither confirmed nor canceled, by the day on which they begin. ${dimensionsNote}`,
    figures: figures.planned,
    split: { category: oneOf(parts.planned) },
    dimensions,
    kept: 'daily',
    days: 'next week',
  },
  {
    path: '/statistics/tickets/deadlines',
    summary: 'Deadlines that were kept, and that were missed',
    description: `By the day on which a contractor responded, came or finished; of the contractor that has the ticket now. Finished tickets keep what they had at their end. A contractor reads its own. ${dimensionsNote}`,
    figures: figures.deadlines,
    split: { result: oneOf(parts.deadlines), clock: oneOf(clockNames) },
    dimensions,
    days: 'three months',
  },
  {
    path: '/statistics/tickets/uninvoiced',
    summary: 'Work that is done, or received, and not invoiced in full',
    access: { permission: 'tickets', orPermission: 'accounting' },
    description: `Tickets that are finished or closed, or have a goods receipt, by the day of that: with what is left of orders and validated quotes after the invoices in euros. A ticket without either counts until it has an invoice. To a contractor: its own orders, quotes and invoices, once the work is finished. Of orders and quotes, ${given}. ${dimensionsNote}`,
    figures: figures.uninvoiced,
    split: { state: oneOf(parts.uninvoiced) },
    dimensions,
    days: 'all',
    classes: ageClasses,
    amounts: true,
  },
];

/** The figures of tickets. */
export function statisticsRoutes(deps: FigureDeps): Route[] {
  return [...summedUp.map((figure) => figureRoute(deps, common, figure)), contractorsRoute(deps)];
}

const count = Joi.number().integer();
const median = Joi.number()
  .integer()
  .allow(null)
  .description('minutes, the lower one of two in the middle; null without any');
const contractorItem = answer({
  contractor: Joi.string().optional(),
  client: Joi.string().optional(),
  name: groupName,
  proposed: count.description('proposals'),
  accepted: count,
  declined: count.description('proposals declined or expired, and work given back'),
  visited: count.description('tickets, by their first visit'),
  finished: count.description('tickets'),
  kept: count.description('planned dates that were confirmed'),
  missed: count.description('planned dates on which nobody came'),
  without_report: count.description('finished tickets without a report of the contractor'),
  minutes_to_accept: median,
  minutes_to_visit: median,
  minutes_to_finish: median,
});

const timed = { accepted: 'minutes_to_accept', visited: 'minutes_to_visit', finished: 'minutes_to_finish' } as const;
type ContractorQuestion = Question & { limit: number };

/** How contractors work. Medians need every duration, so that they are read for those alone that are shown. */
function contractorsRoute({ statistics, namesOf, now }: FigureDeps): Route {
  const asked: Asked = {
    dimensions: ['contractor', 'client'],
    kept: 'monthly',
    periodless: true,
    days: 'three months',
  };
  return route<object, ContractorQuestion>({
    ...common,
    host: 'ts',
    method: 'get',
    path: '/statistics/tickets/contractors',
    summary: 'How contractors work',
    description:
      'Those with the most events first, each by the day of the event. Times are from the proposal to its answer, and from there, or from the assignment, to the first visit and to the end of the work. Without `group_by` one item for all. A contractor reads its own work, by `client`.',
    query: (questionSchema(asked) as Joi.ObjectSchema<ContractorQuestion>).keys({
      limit: Joi.number().integer().min(1).max(50).default(20),
    }),
    reply: { status: 200, schema: answer({ ...rangeFields, items: Joi.array().items(contractorItem) }) },
    async handle({ caller, query: { limit, ...question } }) {
      const grouping = askedBy(caller, question, asked, dayOf(now()));
      const { dimension } = grouping;
      const rows = await readRows(statistics, caller, { ...asked, figure: figures.work, grouping });
      const groups = [...Map.groupBy(rows, ({ group }) => group)];
      const shown = groups.sort(([, one], [, other]) => countOf(other) - countOf(one)).slice(0, limit);
      const durations = await statistics.minutes(shown.flatMap(([, own]) => own.filter(isTimed).map(keyOf)));
      const items = shown.map(([group, own]) => ({
        ...(dimension === '' ? {} : { [dimension]: group }),
        ...workOf(own, durations),
      }));
      const pending = await statistics.pending(caller.companyId);
      return { ...rangeResponse(grouping), pending, items: await withNames(items, { namesOf, caller, grouping }) };
    },
  });
}

function countOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { n }) => sum + n, 0);
}

function isTimed({ split: [event = ''] }: Row): boolean {
  return event in timed;
}

/** Counts of each event, and the medians of those that take time. */
function workOf(rows: readonly Row[], durations: Map<string, Sums['minutes']>) {
  const of = (event: WorkEvent) => rows.filter(({ split }) => split[0] === event);
  const medianOfEvent = (event: WorkEvent) => {
    const all = noSums();
    for (const row of of(event)) addSums(all, { ...noSums(), minutes: durations.get(keyOf(row)) ?? new Map() });
    return medianOf(all);
  };
  return {
    ...Object.fromEntries(workEvents.map((event) => [event, countOf(of(event))])),
    ...Object.fromEntries(Object.entries(timed).map(([event, name]) => [name, medianOfEvent(event as WorkEvent)])),
  };
}
