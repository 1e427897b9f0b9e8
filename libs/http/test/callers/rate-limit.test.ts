import { createRateLimit, quotaHeaders } from '../../callers/rate-limit.ts';

function limiter(perMinute: number, capacity = 100) {
  const clock = { at: 1_000_000 };
  const limit = createRateLimit({ perMinute, capacity, now: () => clock.at });
  const consume = (times: number, key = 'a') => Array.from({ length: times }, () => limit.consume(key).allowed);
  return { ...limit, clock, passed: (times: number, key?: string) => consume(times, key).filter(Boolean).length };
}

test('so many a minute and no more, each key by itself', () => {
  const { passed } = limiter(600);
  expect(passed(1000)).toBe(600);
  expect(passed(10, 'another')).toBe(10);
});

test('a client that waits as long as the response says is let through, and not a second sooner', () => {
  for (const used of [3, 10]) {
    const { consume, clock, passed } = limiter(10);
    passed(used);
    clock.at += 45_000;
    passed(10);
    const { allowed, retryAfterS } = consume('a');
    expect(allowed).toBe(false);
    clock.at += (retryAfterS - 1) * 1000;
    expect(consume('a').allowed).toBe(false);
    clock.at += 1000;
    expect(consume('a').allowed).toBe(true);
  }
});

test.each([1, 2, 5, 600])('no 60 s see more than about the limit of %i, wherever they begin', (perMinute) => {
  const { consume, clock } = limiter(perMinute);
  const allowedAt: number[] = [];
  for (let second = 0; second < 300; second += 0.5) {
    clock.at += 500;
    for (let i = 0; i < perMinute; i += 1) if (consume('a').allowed) allowedAt.push(clock.at);
  }
  for (const start of allowedAt) {
    const within = allowedAt.filter((at) => at >= start && at < start + 60_000).length;
    // The counter takes the requests of the previous minute as evenly spread, so it can undercount
    // a burst.
    expect(within).toBeLessThanOrEqual(Math.ceil(perMinute * 1.3));
  }
  expect(allowedAt.length).toBeGreaterThanOrEqual(perMinute * 4);
});

test('a refused request costs nothing, and looking costs nothing', () => {
  const { passed, peek, consume, clock } = limiter(2);
  expect(peek('a')).toMatchObject({ allowed: true, remaining: 2 });
  passed(50);
  expect(peek('a')).toMatchObject({ allowed: false, remaining: 0 });
  clock.at += 120_000;
  expect(consume('a')).toMatchObject({ allowed: true, remaining: 1, resetS: 60 });
});

test('a clock that is set back lets a caller wait no longer', () => {
  jest.useFakeTimers();
  try {
    const { consume } = createRateLimit({ perMinute: 1 });
    consume('a');
    jest.setSystemTime(Date.now() - 3_600_000);
    jest.advanceTimersByTime(120_000);
    expect(consume('a').allowed).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});

test('memory is bounded: the oldest key is forgotten', () => {
  const { passed } = limiter(1, 3);
  for (const key of ['a', 'b', 'c']) expect(passed(1, key)).toBe(1);
  expect(passed(1, 'c')).toBe(0);
  expect(passed(1, 'd')).toBe(1);
  expect(passed(1, 'c')).toBe(0);
  expect(passed(1, 'a')).toBe(1);
});

test('the headers say the limit, what remains of it, and when to retry', () => {
  const { consume } = limiter(1);
  expect(quotaHeaders(consume('a'))).toEqual([
    'RateLimit-Limit',
    '1',
    'RateLimit-Remaining',
    '0',
    'RateLimit-Reset',
    '60',
  ]);
  expect(quotaHeaders(consume('a')).slice(-2)).toEqual(['Retry-After', '60']);
});
