/** What a request leaves of its caller's allowance; times in whole seconds, as the headers give them. */
export type Quota = { allowed: boolean; limit: number; remaining: number; resetS: number; retryAfterS: number };

export type RateLimit = {
  /** Counts one request; one that is refused counts nothing. */
  take(key: string): Quota;
  /** What `take` would answer, without counting. */
  look(key: string): Quota;
};

type Count = { since: number; previous: number; current: number };
type Options = { perMinute: number; now?: () => number; capacity?: number };

const windowMs = 60_000;

/**
 * At most `perMinute` requests a minute and key, by the sliding window counter: the minute before counts for the part of
 * it that the last 60 s still cover, so no burst at the turn of a minute gets twice the limit. Two numbers a key, in this
 * process; the keys least recently begun go first when there are more than `capacity`.
 */
export function createRateLimit({ perMinute, now = Date.now, capacity = 100_000 }: Options): RateLimit {
  const counts = new Map<string, Count>();

  function take(key: string): Quota {
    const at = now();
    const count = turned(counts.get(key), at);
    const allowed = used(count, at) < perMinute;
    if (allowed) count.current += 1;
    keep(key, count);
    return quota(count, at, allowed);
  }

  function look(key: string): Quota {
    const at = now();
    const count = turned(counts.get(key), at);
    return quota(count, at, used(count, at) < perMinute);
  }

  function keep(key: string, count: Count): void {
    const kept = counts.get(key);
    if (kept === count) return;
    if (kept) counts.delete(key);
    else if (counts.size >= capacity) counts.delete(counts.keys().next().value as string);
    counts.set(key, count);
  }

  function quota(count: Count, at: number, allowed: boolean): Quota {
    return {
      allowed,
      limit: perMinute,
      remaining: Math.max(0, Math.ceil(perMinute - used(count, at))),
      resetS: Math.ceil((count.since + windowMs - at) / 1000),
      retryAfterS: allowed ? 0 : Math.max(1, Math.ceil((freeAt(count, perMinute) - at) / 1000)),
    };
  }

  return { take, look };
}

/** The count of the minute that `at` is in; minutes begin with a key's first request. */
function turned(count: Count | undefined, at: number): Count {
  if (!count) return { since: at, previous: 0, current: 0 };
  const elapsed = at - count.since;
  if (elapsed < windowMs) return count;
  if (elapsed >= 2 * windowMs) return { since: at, previous: 0, current: 0 };
  return { since: count.since + windowMs, previous: count.current, current: 0 };
}

/** The millisecond that is running counts as over: then whoever waits until the turn of the minute need wait no longer. */
function used({ since, previous, current }: Count, at: number): number {
  return current + previous * (1 - (at - since + 1) / windowMs);
}

/** When one more request fits again, if none is made until then. */
function freeAt({ since, previous, current }: Count, perMinute: number): number {
  if (current >= perMinute) return since + windowMs;
  return since + windowMs * (1 - (perMinute - current) / previous);
}

/**
 * The three fields that clients read today (draft-ietf-httpapi-ratelimit-headers up to 07: GitLab, Octokit and the retry
 * plug-ins of most clients); the two structured fields of later drafts are read by hardly any, and still change.
 */
export function quotaHeaders({ allowed, limit, remaining, resetS, retryAfterS }: Quota): string[] {
  const headers = ['RateLimit-Limit', String(limit), 'RateLimit-Remaining', String(remaining)];
  headers.push('RateLimit-Reset', String(resetS));
  if (!allowed) headers.push('Retry-After', String(retryAfterS));
  return headers;
}
