import { LRUCache } from 'lru-cache';

/** The state of a caller's limit after a request; times in whole seconds, as the headers give them. */
export type Quota = { allowed: boolean; limit: number; remaining: number; resetS: number; retryAfterS: number };

export type RateLimit = {
  /** Counts one request, unless it is refused. A promise if the counts are in a store outside this process. */
  consume(key: string): Quota | Promise<Quota>;
  /** The quota as this process knows it, without counting a request. */
  peek(key: string): Quota;
};

type LocalRateLimit = Omit<RateLimit, 'consume'> & { consume(key: string): Quota };

type Count = { since: number; previous: number; current: number };
/** `now`: milliseconds of a clock that nobody sets. */
type Options = { perMinute: number; now?: () => number; capacity?: number };

const windowMs = 60_000;

/**
 * At most `perMinute` requests a minute and key, as a sliding window counter: the previous minute counts for the share of it that
 * the last 60 s still cover, so that a burst around the turn of a minute does not get twice the limit. Counts are kept in memory,
 * so each replica limits by itself (`services/gateway/limits/shared-rate-limit-store.ts` limits all of them together). Beyond
 * `capacity` the least recently used keys are forgotten.
 */
export function createRateLimit({
  perMinute,
  now = () => performance.now(),
  capacity = 100_000,
}: Options): LocalRateLimit {
  const counts = new LRUCache<string, Count>({ max: capacity });

  function consume(key: string): Quota {
    const at = now();
    const count = rollTo(counts.get(key), at);
    const allowed = countedAt(count, at) < perMinute;
    if (allowed) count.current += 1;
    counts.set(key, count);
    return quota(count, at, allowed);
  }

  function peek(key: string): Quota {
    const at = now();
    const count = rollTo(counts.peek(key), at);
    return quota(count, at, countedAt(count, at) < perMinute);
  }

  function quota(count: Count, at: number, allowed: boolean): Quota {
    return {
      allowed,
      limit: perMinute,
      remaining: Math.max(0, Math.ceil(perMinute - countedAt(count, at))),
      resetS: Math.ceil((count.since + windowMs - at) / 1000),
      retryAfterS: allowed ? 0 : Math.max(1, Math.ceil((freeAt(count, perMinute) - at) / 1000)),
    };
  }

  return { consume, peek };
}

/** The count for the minute of `at`; a key's minutes begin with its first request. */
function rollTo(count: Count | undefined, at: number): Count {
  if (!count) return { since: at, previous: 0, current: 0 };
  const elapsed = at - count.since;
  if (elapsed < windowMs) return count;
  if (elapsed >= 2 * windowMs) return { since: at, previous: 0, current: 0 };
  return { since: count.since + windowMs, previous: count.current, current: 0 };
}

/**
 * How many requests count at `at`. The current millisecond counts as past, so that waiting until the minute ends is
 * enough.
 */
function countedAt({ since, previous, current }: Count, at: number): number {
  return current + previous * (1 - (at - since + 1) / windowMs);
}

/** When the next request is allowed, if none is made until then. */
function freeAt({ since, previous, current }: Count, perMinute: number): number {
  if (current >= perMinute) return since + windowMs;
  return since + windowMs * (1 - (perMinute - current) / previous);
}

/**
 * The three fields that clients read today (draft-ietf-httpapi-ratelimit-headers up to 07: GitLab, Octokit and the retry
 * plug-ins of most clients). Hardly any client reads the two structured fields of later drafts, which still change.
 */
export function quotaHeaders({ allowed, limit, remaining, resetS, retryAfterS }: Quota): string[] {
  const headers = ['RateLimit-Limit', String(limit), 'RateLimit-Remaining', String(remaining)];
  headers.push('RateLimit-Reset', String(resetS));
  if (!allowed) headers.push('Retry-After', String(retryAfterS));
  return headers;
}
