import { oneOf } from '@app/contracts';
import { day } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { Statistics } from './statistics-store.ts';

/** For each figure what its documents can be told apart by: the first parts of its split, joined by points. */
export type CountedParts = Readonly<Record<string, readonly string[]>>;
/** The figure, with a part of it or as a whole, the groups, and the days of its entries; `to` is not included. */
export type CountedQuestion = { [Name in 'in' | 'of' | 'from' | 'to']?: string | undefined };

/** How many documents a list finds by a figure. */
const maxCounted = 10_000;

const groupList = /^((place|domain|priority|contractor|client|supplier|currency):\w*(,(?!$)|$))+$/;

/** The parameters by which a list finds what counts in a figure, under the list's names for them. */
export function countedParameters(
  parts: CountedParts,
  path: string,
  nameOf: (part: keyof CountedQuestion) => string,
): Record<string, Joi.Schema> {
  const [counted, of, from, to] = (['in', 'of', 'from', 'to'] as const).map(nameOf) as [string, string, string, string];
  const values = Object.entries(parts).flatMap(([figure, own]) => [figure, ...own.map((part) => `${figure}.${part}`)]);
  return {
    [counted]: oneOf(values).description(`counts in this figure of \`${path}\`, or in this part of it`),
    [of]: Joi.string()
      .max(200)
      .pattern(groupList, 'groups')
      .description(
        `with \`${counted}\`: in these groups, as \`group_by\` has them, and in this currency; \`place:<id>,currency:EUR\`, or \`contractor:\` for what has none`,
      ),
    [from]: day.description(`with \`${counted}\`: the first day, in UTC`),
    [to]: day.description(`with \`${counted}\`: the day after the last one`),
  };
}

/**
 * The ids of the documents that a list is limited to; null if it is not.
 * @throws AppError unprocessable `list_too_broad` if they are more than 10,000
 */
export async function countedIds(
  statistics: Pick<Statistics, 'documents'>,
  company: string,
  { in: counted, of: groups, ...days }: CountedQuestion,
): Promise<string[] | null> {
  if (counted === undefined) return null;
  const [figure = '', ...split] = counted.split('.');
  const of = groups
    ? Object.fromEntries(groups.split(',').map((one) => one.split(':') as [string, string]))
    : undefined;
  const ids = await statistics.documents({ company, figure, split, of, ...days }, maxCounted + 1);
  if (ids.length <= maxCounted) return ids;
  throw new AppError(
    'unprocessable',
    'list_too_broad',
    `more than ${maxCounted} count in ${counted}: ask for fewer days`,
  );
}
