import { createRateLimit, type Quota } from '@app/http';

/** Who sent a webhook: a block of addresses, for a connection. */
type Sender = { address: string; connectionId: string };

export type SignatureLimit = {
  /** Whether a webhook of this sender may still be checked. */
  peek(sender: Sender): Quota;
  /** Counts a wrong signature. Nothing else counts. */
  failed(sender: Sender): void;
};

const perConnection = 60;
/** Over all connections: otherwise the guesses of an address would grow with the number of companies. */
const perAddress = 300;
/**
 * Of each connection once `perAddress` is used up. A provider calls for all companies from few addresses: those whose secrets are wrong
 * must not block the others, so a connection without failures is still checked.
 */
const perConnectionBeyond = 1;

/** Bounds how many wrong signatures an address may send in a minute. */
export function createSignatureLimit({ now }: { now: () => number }): SignatureLimit {
  const ofConnection = createRateLimit({ perMinute: perConnection, now });
  const ofAddress = createRateLimit({ perMinute: perAddress, now });
  const ofConnectionBeyond = createRateLimit({ perMinute: perConnectionBeyond, now });
  const keyOf = ({ address, connectionId }: Sender) => `${address} ${connectionId}`;
  return {
    peek(sender) {
      const limit = ofAddress.peek(sender.address).allowed ? ofConnection : ofConnectionBeyond;
      return limit.peek(keyOf(sender));
    },
    failed(sender) {
      ofAddress.consume(sender.address);
      for (const limit of [ofConnection, ofConnectionBeyond]) limit.consume(keyOf(sender));
    },
  };
}
