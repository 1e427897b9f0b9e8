import { readIsoDate } from '@app/kernel';

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

/** Those of the values that say something. */
export function texts(values: readonly unknown[]): string[] {
  return values.map(text).filter((value) => value !== null);
}

/** The latest of the moments that are moments; null without one. */
export function latest(values: readonly unknown[]): Date | null {
  const moments = values.map((value) => readIsoDate(text(value) ?? '')).filter((moment) => moment !== null);
  return moments.length === 0 ? null : new Date(Math.max(...moments.map((moment) => moment.getTime())));
}
