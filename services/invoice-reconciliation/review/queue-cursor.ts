import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError, decodeTimeCursor, encodeTimeCursor, type TimePosition } from '@app/kernel';
import type { Invoice } from '../invoices/invoice.ts';

export type Cursors = {
  encode(clientId: string, last: Pick<Invoice, 'created_at' | '_id'>): string;
  /** @throws AppError unprocessable `invalid_cursor` if it was altered, or belongs to another client or list */
  decode(clientId: string, cursor: string | undefined): TimePosition | null;
};

type Key = { id: string; secret: Buffer };

const form = /^([\w-]{1,200})\.([\w-]{43})$/;

/** Lists of invoices. The name is signed, so that a cursor is valid for one list only. */
export type List = 'invoice-queue' | 'invoice-review' | 'invoice-search';

/** Signed cursors, which clients cannot forge. The first key signs, all verify. */
export function createCursors(keys: readonly Key[], list: List): Cursors {
  const [signing] = keys;
  if (!signing) throw new Error('cursors need at least one key');

  return {
    encode(clientId, { created_at: at, _id: id }) {
      const payload = encodeTimeCursor({ at, id });
      return `${payload}.${signatureOf({ list, clientId, payload }, signing)}`;
    },
    decode(clientId, cursor) {
      if (cursor === undefined) return null;
      const [, payload = '', signature = ''] = form.exec(cursor) ?? [];
      const good = keys.some((key) => isEqual(signatureOf({ list, clientId, payload }, key), signature));
      if (!good) throw new AppError('unprocessable', 'invalid_cursor', 'this cursor is none that was given');
      return decodeTimeCursor(payload);
    },
  };
}

function isEqual(expected: string, given: string): boolean {
  return expected.length === given.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}

function signatureOf(
  { list, clientId, payload }: { list: List; clientId: string; payload: string },
  { secret }: Key,
): string {
  // The purpose is signed, because the same keys sign download links.
  return createHmac('sha256', secret).update(`${list}.v1.${clientId}.${payload}`).digest('base64url');
}
