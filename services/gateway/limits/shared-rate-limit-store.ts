import type { Quota, RateLimit } from '@app/http';
import { connectMongo, type Logger, withTimeout } from '@app/runtime';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';

type Options = {
  connection: Connection;
  perMinute: number;
  /** Counts the requests while the store does not answer. */
  fallback: RateLimit;
  complain: (error: unknown) => void;
  /** How long a request waits for the store; after that `fallback` counts it. */
  answerWithinMs?: number;
};

const windowS = 60;
const defaultAnswerWithinMs = 250;
const complainEveryMs = 60_000;
const maxKeys = 100_000;

/**
 * At most `perMinute` requests a minute and key in all replicas together, counted in MongoDB: a
 * minute begins with the first request of the key. Costs each request a round trip; a key that is
 * over its limit costs none until its minute ends.
 */
class SharedRateLimit implements RateLimit {
  readonly #options: Options;
  readonly #limiter: RateLimiterMongo;
  /** Keys over their limit, with the time at which their minute ends, by a clock that nobody sets. */
  readonly #blocked = new LRUCache<string, number>({ max: maxKeys });

  constructor(options: Options) {
    const { connection, perMinute } = options;
    this.#options = options;
    this.#limiter = new RateLimiterMongo({
      storeClient: connection.getClient(),
      dbName: connection.name,
      tableName: 'rate_limits',
      keyPrefix: '',
      points: perMinute,
      duration: windowS,
    });
  }

  async consume(key: string): Promise<Quota> {
    const local = this.peek(key);
    if (!local.allowed) return local;
    const { answerWithinMs: ms = defaultAnswerWithinMs } = this.#options;
    try {
      const consumed = this.#limiter.consume(key);
      return this.#quotaOf(key, await withTimeout(consumed, { ms, what: 'the store of rate limits' }));
    } catch (error) {
      // The library rejects with its result if the limit is exceeded.
      if (error instanceof RateLimiterRes) return this.#quotaOf(key, error);
      this.#options.complain(error);
      return this.#options.fallback.consume(key);
    }
  }

  peek(key: string): Quota {
    const { fallback, perMinute: limit } = this.#options;
    const until = this.#blocked.get(key) ?? 0;
    const seconds = Math.ceil((until - performance.now()) / 1000);
    if (seconds <= 0) return fallback.peek(key);
    return { allowed: false, limit, remaining: 0, resetS: seconds, retryAfterS: seconds };
  }

  #quotaOf(key: string, { consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes): Quota {
    const { perMinute: limit } = this.#options;
    const allowed = consumedPoints <= limit;
    const resetS = Math.max(1, Math.ceil(msBeforeNext / 1000));
    if (!allowed) this.#blocked.set(key, performance.now() + msBeforeNext);
    return { allowed, limit, remaining: remainingPoints, resetS, retryAfterS: allowed ? 0 : resetS };
  }
}

/** Logs that the store failed, once a minute at most: otherwise each request would log it. */
function complaintsTo(logger: Logger): Options['complain'] {
  let complainedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const at = performance.now();
    if (at - complainedAt < complainEveryMs) return;
    complainedAt = at;
    logger.warn('shared rate limits unavailable, counting per process', { error });
  };
}

/** Connects to the store. @throws the driver's errors if no server answers */
export async function openSharedRateLimits(
  options: Pick<Options, 'answerWithinMs'> & { url: string; database: string; logger: Logger },
) {
  const { url, database, logger, ...rest } = options;
  const connection = await connectMongo({ url, database, logger, poolSize: 20 });
  const shared = { ...rest, connection, complain: complaintsTo(logger) };
  return {
    /** A limit of its own; its keys differ from those of other limits. */
    limit: (own: Pick<Options, 'perMinute' | 'fallback'>): RateLimit => new SharedRateLimit({ ...shared, ...own }),
    close: (): Promise<void> => connection.close(),
  };
}
