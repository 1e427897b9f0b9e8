import { invoiceLimits } from '@app/contracts';
import { readIsoDate } from '@app/kernel';
import { ProviderError } from '../provider-error.ts';

/** JSON of a provider, read without trust: a value of another type counts as absent. */
export type Json = Record<string, unknown>;

export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A trimmed text, or a number as text; null if it is empty or neither. */
export function text(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  return value.trim() === '' ? null : value.trim();
}

/** An id of a provider; null for a text longer than ids are. */
export function identifier(value: unknown): string | null {
  const written = text(value);
  return written === null || written.length > invoiceLimits.referenceLength ? null : written;
}

const maxEntries = 10_000;

/** The entries of a page. @throws ProviderError transient if it is no list, refused if it has too many entries */
export function pageEntries(page: unknown): Json[] {
  if (!Array.isArray(page))
    throw new ProviderError('transient', 'the provider answered with something that is no list');
  if (page.length > maxEntries) {
    throw new ProviderError('refused', `the provider answered with a page of more than ${maxEntries} entries`);
  }
  return page.map(record);
}

const maxMomentLength = 64;

/** The latest of the values that are ISO 8601 times; null if none is. */
export function latest(values: readonly unknown[]): Date | null {
  const written = values.map((value) => text(value) ?? '').filter(({ length }) => length <= maxMomentLength);
  const moments = written.map(readIsoDate).filter((moment) => moment !== null);
  if (moments.length === 0) return null;
  return new Date(moments.reduce((one, other) => Math.max(one, other.getTime()), -Infinity));
}
