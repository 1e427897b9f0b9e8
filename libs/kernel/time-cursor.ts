import { AppError } from './errors.ts';
import { isId } from './ids.ts';

/** A position in a list that is ordered by time, then by id. */
export type TimePosition = { at: Date; id: string };

/** The position as an opaque text for callers. */
export function encodeTimeCursor({ at, id }: TimePosition): string {
  return Buffer.from(`${at.getTime()}.${id}`).toString('base64url');
}

/**
 * The position in a cursor; null without one.
 * @param isValidId for lists whose ids are not those of `newId`
 * @throws AppError unprocessable `invalid_cursor`
 */
export function decodeTimeCursor(
  cursor: string | null | undefined,
  isValidId: (id: string) => boolean = isId,
): TimePosition | null {
  if (cursor === undefined || cursor === null) return null;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, time, id] = /^(\d{1,15})\.(.+)$/s.exec(text) ?? [];
  if (time !== undefined && id !== undefined && isValidId(id)) return { at: new Date(Number(time)), id };
  throw new AppError('unprocessable', 'invalid_cursor', 'this cursor is none that was given');
}
