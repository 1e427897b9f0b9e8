// Why it is so: docs/decisions/http-clients.md
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** All addresses of a host. */
export type Lookup = (hostname: string) => Promise<string[]>;

/** The replicas of a service, as DNS names them: requests are spread over them in turn. */
export type Replicas = ReturnType<typeof createReplicas>;

/** How old the answer of DNS may be. A replica that DNS has dropped gets no request after that. */
const freshMs = 500;
/**
 * How long a replica that failed gets no requests: long enough for DNS to drop it, short enough for
 * one that restarts at the same address.
 */
const skippedForMs = 5_000;

const none: ReadonlySet<string> = new Set();

const addressesOf: Lookup = async (hostname) =>
  (await systemLookup(hostname, { all: true })).map(({ address }) => address);

type Options = { lookup?: Lookup | undefined; now?: () => number };

/**
 * Spreads requests over the replicas of a host. Without it they would go to one replica alone: the
 * resolver sorts addresses, and connections are kept alive. Names are looked up while there are
 * requests, and never waited for: until the first answer the hostname itself stands for the
 * replicas; if a lookup fails, those that were known stay.
 */
export function createReplicas(hostname: string, options: Options = {}) {
  const { lookup = addressesOf, now = () => performance.now() } = options;
  const skippedUntil = new Map<string, number>();
  let addresses = [hostname];
  let lookedUpAt = Number.NEGATIVE_INFINITY;
  let isLookingUp = false;
  let turn = 0;

  async function lookUp(): Promise<void> {
    isLookingUp = true;
    try {
      const found = [...new Set(await lookup(hostname))].sort();
      if (found.length > 0) addresses = found;
      for (const [address, until] of skippedUntil) if (until <= now()) skippedUntil.delete(address);
    } catch {
      // DNS does not answer: the known addresses may still be right.
    } finally {
      isLookingUp = false;
      lookedUpAt = now();
    }
  }

  return {
    /** The address of the next one in turn; undefined if each was `tried`. */
    next(tried: ReadonlySet<string> = none): string | undefined {
      if (!isLookingUp && isIP(hostname) === 0 && now() - lookedUpAt >= freshMs) void lookUp();
      const untried = tried.size === 0 ? addresses : addresses.filter((address) => !tried.has(address));
      const available =
        skippedUntil.size === 0 ? untried : untried.filter((address) => (skippedUntil.get(address) ?? 0) <= now());
      const candidates = available.length > 0 ? available : untried;
      turn += 1;
      return candidates[turn % candidates.length];
    },
    /** Says that nothing accepts connections there: it gets no requests for a while if there is another. */
    failed(address: string): void {
      skippedUntil.set(address, now() + skippedForMs);
    },
  };
}
