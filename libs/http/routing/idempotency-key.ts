import type { Principal } from '@app/contracts';
import { AppError, ValidationError } from '@app/kernel';
import { hashOf } from '@app/runtime/idempotency';
import type { Request, Response } from 'express';
import { checkShape } from '../errors/field-errors.ts';
import type { Route } from './route.ts';

/** Reads a multipart body without keeping its file; gives the hash of its fields and file (`hashForm` of `@app/storage`). */
export type HashForm = (req: Request, res: Response) => Promise<string>;

/** 1 to 255 printable ASCII characters. */
export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/**
 * Whether the `Idempotency-Key` of a request counts: on every POST of the two APIs that has a caller whose key it is. The inbound
 * provider webhook knows its invoices by their ids, and each login is a new session.
 */
export function takesIdempotencyKey({ method, host, access }: Pick<Route, 'method' | 'host' | 'access'>): boolean {
  return method === 'post' && (host === 'ticket' || host === 'ts') && access !== 'public';
}

/** The key of a request, or null. @throws AppError unprocessable `idempotency_key_invalid` */
export function idempotencyKeyOf({ headersDistinct }: Pick<Request, 'headersDistinct'>): string | null {
  const sent = headersDistinct['idempotency-key'];
  if (!sent) return null;
  const [key = ''] = sent;
  if (sent.length > 1) throw invalid('the header Idempotency-Key was sent twice; send it once');
  if (!idempotencyKeyPattern.test(key)) {
    throw invalid('the header Idempotency-Key must be 1 to 255 printable ASCII characters, such as a UUID');
  }
  return key;
}

function invalid(message: string): AppError {
  return new AppError('unprocessable', 'idempotency_key_invalid', message);
}

/** Whose key it is: the user of a company by token or by session, or the platform's administrator. */
export function ownerOf(principal: Principal | null): string[] {
  if (principal?.kind !== 'caller') return [principal?.kind ?? ''];
  const { companyId, userId, via } = principal.caller;
  return ['caller', companyId, userId, via];
}

/** @throws ValidationError for a body that is larger than any schema allows: it would be refused later */
export function hashJson(body: unknown): string {
  const { excess } = checkShape(body);
  if (excess) throw new ValidationError([excess]);
  return hashOf(body);
}
