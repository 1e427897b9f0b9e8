import type { ServerResponse } from 'node:http';
import { createRateLimit, type Quota } from '@app/http';
import { AppError } from '@app/kernel';

/** Who sent a webhook: a block of addresses, for a connection; null: for a company that has none, or does not exist. */
type Sender = { address: string; connectionId: string | null };

export type SignatureLimit = ReturnType<typeof createSignatureLimit>;

const perConnection = 60;
/** Over all connections: otherwise the guesses of an address would grow with the number of companies. */
const perAddress = 300;
/**
 * Of each connection once `perAddress` is used up. A provider calls for all companies from few
 * addresses: those whose secrets are wrong must not block the others, so a connection without
 * failures is still checked.
 */
const perConnectionBeyond = 1;

/** Bounds how many wrong signatures, and ids of no company, an address may send in a minute to this replica. */
export function createSignatureLimit({ now }: { now: () => number }) {
  const ofConnection = createRateLimit({ perMinute: perConnection, now });
  const ofAddress = createRateLimit({ perMinute: perAddress, now });
  const ofConnectionBeyond = createRateLimit({ perMinute: perConnectionBeyond, now });
  return {
    /** Whether a webhook of this sender may still be checked. */
    peek({ address, connectionId }: Sender): Quota {
      const quota = ofAddress.peek(address);
      if (connectionId === null) return quota;
      const limit = quota.allowed ? ofConnection : ofConnectionBeyond;
      return limit.peek(`${address} ${connectionId}`);
    },
    /** Counts a wrong signature, or a company that does not exist. Nothing else counts. */
    failed({ address, connectionId }: Sender): void {
      ofAddress.consume(address);
      if (connectionId === null) return;
      for (const limit of [ofConnection, ofConnectionBeyond]) limit.consume(`${address} ${connectionId}`);
    },
  };
}

/** The answer to one who signed wrongly too often. */
export function tooManyWrong(res: ServerResponse, retryAfterS: number): AppError {
  res.setHeader('Retry-After', String(retryAfterS));
  return new AppError('too_many', 'too_many_attempts', 'too many wrong signatures from this address');
}

export function wrongSignature(): AppError {
  return new AppError('unauthenticated', 'invalid_signature', 'the signature is missing or wrong');
}
