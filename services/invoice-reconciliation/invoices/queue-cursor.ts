import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@app/kernel';

/** Where a page ends: the last item's time of making, in milliseconds, and its id. */
export type Position = { createdAt: number; id: string };

export type Cursors = {
  seal(clientId: string, position: Position): string;
  /** @throws AppError unprocessable `invalid_cursor` for one that was altered, or that is another client's or another list's */
  open(clientId: string, cursor: string): Position;
};

type Key = { id: string; secret: Buffer };

const form = /^([\w-]{1,200})\.([\w-]{43})$/;

/** Lists of invoices; the name is part of what is signed, so that a cursor of one is none of the other. */
export type List = 'invoice-queue' | 'invoice-review';

/** Cursors that mean nothing to whoever holds them and can't be made by anybody else. The first key signs, all verify. */
export function createCursors(keys: readonly Key[], list: List): Cursors {
  const [signing] = keys;
  if (!signing) throw new Error('cursors need at least one key');

  return {
    seal(clientId, { createdAt, id }) {
      const payload = Buffer.from(`${createdAt}.${id}`).toString('base64url');
      return `${payload}.${signatureOf({ list, clientId, payload }, signing)}`;
    },
    open(clientId, cursor) {
      const [, payload = '', signature = ''] = form.exec(cursor) ?? [];
      const good = keys.some((key) => isEqual(signatureOf({ list, clientId, payload }, key), signature));
      if (!good) throw new AppError('unprocessable', 'invalid_cursor', 'this cursor is none that was given');
      const [createdAt = '', id = ''] = Buffer.from(payload, 'base64url').toString('utf8').split('.');
      return { createdAt: Number(createdAt), id };
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
  // Named after its purpose: the key also signs download links, and neither passes for the other.
  return createHmac('sha256', secret).update(`${list}.v1.${clientId}.${payload}`).digest('base64url');
}
