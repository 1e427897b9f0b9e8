import { invoiceLimits } from '@app/contracts';
import { readIsoDate } from '@app/kernel';
import { ProviderError } from './provider-error.ts';

/** What stands in an answer of a provider, read without trust: whatever has another form is taken as absent. */
export type Json = Record<string, unknown>;

export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text without the spaces around it; a number becomes its text; what is empty is null. */
export function text(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  return value.trim() === '' ? null : value.trim();
}

/** An id as providers give them; a longer text is none. */
export function identifier(value: unknown): string | null {
  const written = text(value);
  return written === null || written.length > invoiceLimits.referenceLength ? null : written;
}

const mostEntries = 10_000;

/**
 * The entries of a page of a list.
 * @throws ProviderError transient: it is no list; refused: it has more entries than any page that is asked for
 */
export function pageEntries(page: unknown): Json[] {
  if (!Array.isArray(page))
    throw new ProviderError('transient', 'the provider answered with something that is no list');
  if (page.length > mostEntries) {
    throw new ProviderError('refused', `the provider answered with a page of more than ${mostEntries} entries`);
  }
  return page.map(record);
}

const longestMoment = 64;

/** The latest of the moments that are moments; null without one. */
export function latest(values: readonly unknown[]): Date | null {
  const written = values.map((value) => text(value) ?? '').filter(({ length }) => length <= longestMoment);
  const moments = written.map(readIsoDate).filter((moment) => moment !== null);
  if (moments.length === 0) return null;
  return new Date(moments.reduce((one, other) => Math.max(one, other.getTime()), -Infinity));
}
