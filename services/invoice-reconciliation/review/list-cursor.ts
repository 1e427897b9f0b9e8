import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@app/kernel';

export type Cursors = {
  encode(clientId: string, position: string): string;
  /** @throws AppError unprocessable `invalid_cursor` if it was altered, or belongs to another client or list */
  decode(clientId: string, cursor: string): string;
};

type Key = { id: string; secret: Buffer };

export const maxCursorLength = 1_000;
const form = /^([\w-]{1,900})\.([\w-]{43})$/;

/** Lists of invoices. The name is signed, so that a cursor is valid for one list only. */
export type ListName = 'invoice-queue' | 'invoice-review' | 'invoice-search';

/** Signed cursors, which clients cannot forge. The first key signs, all verify. */
export function createCursors(keys: readonly Key[], list: ListName): Cursors {
  const [signing] = keys;
  if (!signing) throw new Error('cursors need at least one key');

  return {
    encode(clientId, payload) {
      return `${payload}.${signatureOf({ list, clientId, payload }, signing)}`;
    },
    decode(clientId, cursor) {
      const [, payload = '', signature = ''] = form.exec(cursor) ?? [];
      const good = keys.some((key) => isEqual(signatureOf({ list, clientId, payload }, key), signature));
      if (!good) throw invalidCursor();
      return payload;
    },
  };
}

export function invalidCursor(): AppError {
  return new AppError('unprocessable', 'invalid_cursor', 'this cursor is none that was given');
}

function isEqual(expected: string, given: string): boolean {
  return expected.length === given.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}

function signatureOf(
  { list, clientId, payload }: { list: ListName; clientId: string; payload: string },
  { secret }: Key,
): string {
  // The purpose is signed, because the same keys sign download links.
  return createHmac('sha256', secret).update(`${list}.v1.${clientId}.${payload}`).digest('base64url');
}
