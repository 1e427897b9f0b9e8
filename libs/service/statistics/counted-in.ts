import { day } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { Statistics } from './statistics-store.ts';

/** For each figure what its documents can be told apart by: the first parts of its split, joined by points. */
export type CountedParts = Readonly<Record<string, readonly string[]>>;
/** The figure, with a part of it or as a whole, and the days of its entries; `to` is not included. */
export type CountedQuestion = { in?: string | undefined; from?: string | undefined; to?: string | undefined };

/** How many documents a list finds by a figure. */
const maxCounted = 10_000;

/** The parameters by which a list finds what counts in a figure, under the list's names for them. */
export function countedParameters(
  parts: CountedParts,
  path: string,
  names: Record<keyof CountedQuestion, string>,
): Record<string, Joi.Schema> {
  const values = Object.entries(parts).flatMap(([figure, own]) => [figure, ...own.map((part) => `${figure}.${part}`)]);
  return {
    [names.in]: Joi.string()
      .valid(...values)
      .description(`counts in this figure of \`${path}\`, or in this part of it`),
    [names.from]: day.description(`with \`${names.in}\`: the first day, in UTC`),
    [names.to]: day.description(`with \`${names.in}\`: the day after the last one`),
  };
}

/**
 * The ids of the documents that a list is limited to; null if it is not.
 * @throws AppError unprocessable `list_too_broad` if they are more than 10,000
 */
export async function countedIds(
  statistics: Pick<Statistics, 'documents'>,
  company: string,
  { in: counted, ...days }: CountedQuestion,
): Promise<string[] | null> {
  if (counted === undefined) return null;
  const [figure = '', ...split] = counted.split('.');
  const ids = await statistics.documents({ company, figure, split, ...days }, maxCounted + 1);
  if (ids.length <= maxCounted) return ids;
  throw new AppError(
    'unprocessable',
    'list_too_broad',
    `more than ${maxCounted} count in ${counted}: ask for fewer days`,
  );
}
