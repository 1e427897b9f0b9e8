import { createAdaptiveLimit } from '../../limits/adaptive-limit.ts';

/** A service that answers one request after the other, in virtual time; null: it does not answer. */
class Simulation {
  at = 0;
  limits: number[] = [];
  refused = 0;
  latencies: number[] = [];
  readonly #queue: { done: () => void; caller: string; since: number }[] = [];
  readonly #limit = createAdaptiveLimit({
    max: 1000,
    min: 50,
    targetMs: 300,
    now: () => this.at,
    onChange: (limit) => this.limits.push(limit),
  });

  send(caller: string): boolean {
    const done = this.#limit.tryAcquire(caller);
    if (done) this.#queue.push({ done, caller, since: this.at });
    else this.refused += 1;
    return done !== null;
  }

  /** `offered` and `capacity` in requests per second; the callers take turns. */
  run({ ms, offered, capacity, callers }: { ms: number; offered: number; capacity: number; callers: string[] }): void {
    this.latencies = [];
    this.refused = 0;
    let toSend = 0;
    let toAnswer = 0;
    for (let n = 0; n < ms; n += 1) {
      this.at += 1;
      for (toSend += offered / 1000; toSend >= 1; toSend -= 1) this.send(callers[n % callers.length] as string);
      for (toAnswer += capacity / 1000; toAnswer >= 1; toAnswer -= 1) this.#answer();
    }
  }

  #answer(): void {
    const first = this.#queue.shift();
    if (!first) return;
    this.latencies.push(this.at - first.since);
    first.done();
  }

  get waiting(): number {
    return this.#queue.length;
  }
  get limit(): number {
    return this.limits.at(-1) as number;
  }
  p99(): number {
    const sorted = this.latencies.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  }
}

const many = Array.from({ length: 20 }, (_, n) => `caller ${n}`);
const normal = { ms: 2_000, offered: 500, capacity: 600, callers: many };
const overload = { ms: 5_000, offered: 6_000, capacity: 600, callers: many };

test('what a service can serve is never refused', () => {
  const simulation = new Simulation();
  simulation.run(normal);
  expect([simulation.refused, simulation.limit]).toEqual([0, 1000]);
});

test('at ten times what a service can serve, what is admitted is answered about as fast as the target', () => {
  const simulation = new Simulation();
  simulation.run(overload);
  simulation.run(overload);
  expect(simulation.p99()).toBeLessThan(450);
  // The service is never idle: hardly any request is refused that could have been served.
  expect(simulation.latencies.length).toBeGreaterThan(0.98 * 600 * 5);
});

test('a second after an overload nothing is refused any more', () => {
  const simulation = new Simulation();
  simulation.run(overload);
  simulation.run({ ...normal, ms: 1_000 });
  simulation.run(normal);
  expect(simulation.refused).toBe(0);
});

test('the limit grows back while more is wanted', () => {
  const simulation = new Simulation();
  simulation.run(overload);
  expect(simulation.limit).toBeLessThan(300);
  simulation.run({ ...overload, capacity: 100_000 });
  simulation.run({ ms: 2_000, offered: 5_000, capacity: 5_000, callers: many });
  expect(simulation.refused).toBe(0);
});

test('a service that answers nothing is sent the least', () => {
  const simulation = new Simulation();
  simulation.run({ ...overload, capacity: 0, ms: 3_000 });
  expect(simulation.limit).toBe(50);
});

test('while one caller floods, another one that wants little is not refused', () => {
  const simulation = new Simulation();
  for (let second = 0; second < 5; second += 1) {
    simulation.run({ ...overload, ms: 990, callers: ['flood'] });
    const refused = simulation.refused;
    expect(refused).toBeGreaterThan(1_000);
    expect(simulation.send('modest')).toBe(true);
  }
});

test('few slow requests lower no limit, and one that ends twice counts once', () => {
  let at = 0;
  const limits: number[] = [];
  const limit = createAdaptiveLimit({ max: 10, min: 1, now: () => at, onChange: (now) => limits.push(now) });
  const slow = limit.tryAcquire('a');
  for (let n = 0; n < 1_000; n += 1) {
    at += 10;
    limit.tryAcquire('b')?.();
  }
  slow?.();
  slow?.();
  expect(limits).toEqual([10]);
  const held = Array.from({ length: 11 }, () => limit.tryAcquire('a'));
  expect(held.map((one) => one !== null)).toEqual([...Array(10).fill(true), false]);
});
