import { oneOf } from '@app/contracts';
import type { Route } from '@app/http';
import { noDay } from '@app/service/entries';
import {
  type Asked,
  ageClasses,
  dayAfter,
  type FigureDeps,
  type FigureRoute,
  figureRoute,
  type NamesOf,
} from '@app/service/statistics';
import Joi from 'joi';
import { checks, figures, matchers, matchOutcomes, standings } from '../invoices/invoice-list.ts';
import { reasonCodes } from '../invoices/reason-code.ts';
import type { DirectoryStore } from '../projections/directory-store.ts';
import { accountingRoute } from '../review/invoice-route-base.ts';

const currency = Joi.string().description(
  'ISO 4217; XXX if the invoice could not be read; different ones are never added up',
);
const dimensions = ['supplier'];

/** When an invoice is due, as seen from today. */
const dueClasses: NonNullable<Asked['classes']> = {
  name: 'due',
  all: ['late', 'in_7_days', 'in_30_days', 'later', 'undated'],
  of(day, today) {
    if (day === noDay) return 'undated';
    if (day < today) return 'late';
    if (day < dayAfter(today, 7)) return 'in_7_days';
    return day < dayAfter(today, 30) ? 'in_30_days' : 'later';
  },
};

const summedUp: FigureRoute[] = [
  {
    path: '/statistics/invoices/to-treat',
    summary: 'Invoices that wait for a person, by reason',
    description:
      'Those in state `ticket_unmatched`, `manual_review` or `error`, each by its first reason, by the day on which it was taken in. Age is in days since.',
    figures: figures.toTreat,
    split: { reason: oneOf(reasonCodes), currency },
    classes: ageClasses,
    dimensions,
    days: 'all',
    amounts: true,
  },
  {
    path: '/statistics/invoices/payable',
    summary: 'What is owed to suppliers, by due date',
    description:
      'Invoices that are neither paid, refused, ended at their provider, copies, nor replaced; credit notes are deducted, and payments that the supplier was told of. `from` and `to` are of due dates. `placed`: on a ticket, or on none by decision; `waiting`: to be placed; `held`: in review.',
    figures: figures.payable,
    split: { standing: oneOf(standings), currency },
    classes: dueClasses,
    dimensions,
    days: 'all',
    amounts: true,
  },
  {
    path: '/statistics/invoices/matched',
    summary: 'How invoices came to their tickets, and what people corrected',
    description:
      'Each time that an invoice came to a ticket, by that day. `corrected`: a person took it off again, or put it on another one.',
    figures: figures.matched,
    split: { by: oneOf(matchers), outcome: oneOf(matchOutcomes), currency },
    dimensions,
    days: 'this year and last',
    amounts: true,
  },
  {
    path: '/statistics/invoices/checks',
    summary: 'Invoices that should be checked',
    description:
      'Of what is owed. `above_order`: above what is left of the order, and not put on its ticket by a person; `duplicate`: held as a possible copy; `account`: held because its bank account is new for the supplier. By the day on which they were taken in; one may count in several.',
    figures: figures.checks,
    split: { check: oneOf(checks), currency },
    dimensions,
    days: 'all',
    amounts: true,
  },
];

type Deps = Omit<FigureDeps, 'namesOf'> & { directory: Pick<DirectoryStore, 'contractors'> };

/** The figures of invoices. */
export function statisticsRoutes({ directory, ...rest }: Deps): Route[] {
  const namesOf: NamesOf = async (clientId, _, ids) =>
    new Map((await directory.contractors(clientId, ids)).map(({ id, name }) => [id, name]));
  const deps = { ...rest, namesOf };
  const common = { tag: 'Statistics', access: accountingRoute.access };
  return summedUp.map((figure) => figureRoute(deps, common, figure));
}
