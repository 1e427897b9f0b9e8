import fc from 'fast-check';
import { FairScheduler } from '../../libs/work-queue/fair-scheduler.ts';
import { checkProperty } from './check-property.ts';

const limits = { perKey: 3, total: 4, inMemoryPerKey: 8, inMemoryTotal: 12 };
const keys = ['a1', 'a2', 'b1', 'c1', 'd1'];
const groupOf = (key: string) => key.slice(0, 1);

/** The scheduler beside what it should hold: an independent count of each key. */
class Model {
  readonly scheduler = new FairScheduler<string>(limits);
  readonly ready = new Map(keys.map((key) => [key, [] as string[]]));
  readonly running = new Map(keys.map((key) => [key, 0]));
  /** Turn ended, result not stored yet: still in memory. */
  readonly storing = new Map(keys.map((key) => [key, 0]));
  started = 0;
  #made = 0;

  submit(key: string, wanted: number): void {
    const slots = this.scheduler.reserve(key, wanted);
    expect(slots).toBeLessThanOrEqual(wanted);
    for (let n = 0; n < slots; n++) {
      const job = `${key}#${this.#made++}`;
      this.ready.get(key)?.push(job);
      this.scheduler.add(key, job, groupOf(key));
    }
  }

  start(): string | null {
    const before = this.totalRunning();
    const next = this.scheduler.next();
    if (next === null) return null;
    expect(this.ready.get(next.key)?.shift()).toBe(next.job);
    // Beyond the total only a key that has nothing running.
    if (before >= limits.total) expect(this.running.get(next.key)).toBe(0);
    this.#count(this.running, next.key, 1);
    this.started += 1;
    return next.key;
  }

  endTurn(key: string): void {
    if (this.running.get(key) === 0) return;
    this.scheduler.turnEnded(key);
    this.#count(this.running, key, -1);
    this.#count(this.storing, key, 1);
  }

  store(key: string): void {
    if (this.storing.get(key) === 0) return;
    this.scheduler.release(key);
    this.#count(this.storing, key, -1);
  }

  check(): void {
    expect(this.totalRunning()).toBeLessThanOrEqual(2 * limits.total);
    for (const key of keys) {
      const held = this.held(key);
      expect([this.scheduler.running(key), this.scheduler.slots(key)]).toEqual([this.running.get(key), held]);
      expect(this.running.get(key)).toBeLessThanOrEqual(limits.perKey);
      expect(held).toBeLessThanOrEqual(limits.inMemoryPerKey);
    }
    const heldInTotal = keys.reduce((sum, key) => sum + this.held(key), 0);
    expect(heldInTotal).toBeLessThanOrEqual(2 * limits.inMemoryTotal + keys.length);
  }

  held(key: string): number {
    const ready = this.ready.get(key)?.length ?? 0;
    return ready + (this.running.get(key) ?? 0) + (this.storing.get(key) ?? 0);
  }

  totalRunning(): number {
    return [...this.running.values()].reduce((sum, count) => sum + count, 0);
  }

  #count(counts: Map<string, number>, key: string, by: number): void {
    counts.set(key, (counts.get(key) ?? 0) + by);
  }
}

const key = fc.constantFrom(...keys);
/** Starts are frequent, so that the limits are reached. */
const step = fc.oneof(
  fc.record({ do: fc.constant('submit' as const), key, count: fc.integer({ min: 1, max: 10 }) }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant('start' as const), key, count: fc.constant(1) }) },
  fc.record({ do: fc.constantFrom('endTurn' as const, 'store' as const), key, count: fc.constant(1) }),
);

function take(
  model: Model,
  steps: readonly { do: 'submit' | 'start' | 'endTurn' | 'store'; key: string; count: number }[],
) {
  for (const one of steps) {
    model[one.do](one.key, one.count);
    model.check();
  }
}

test('limits hold, and the jobs of a key start in order, whatever the order of arrivals and completions', () => {
  checkProperty(fc.property(fc.array(step, { maxLength: 200 }), (steps) => take(new Model(), steps)));
});

test('nothing is forgotten: once everything that runs ends, every job has started', () => {
  checkProperty(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const model = new Model();
      take(model, steps);
      for (let round = 0; round < 500; round++) {
        while (model.start() !== null) model.check();
        for (const one of keys) for (let n = 0; n < limits.perKey; n++) model.endTurn(one);
        for (const one of keys) for (let n = 0; n < limits.inMemoryPerKey; n++) model.store(one);
      }
      expect(keys.map((one) => model.held(one))).toEqual(keys.map(() => 0));
    }),
  );
});

test('no company waits for more than one turn of each other company', () => {
  checkProperty(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: keys.length, maxLength: keys.length }),
      (counts) => {
        const scheduler = new FairScheduler<string>({
          perKey: 100,
          total: 100,
          inMemoryPerKey: 100,
          inMemoryTotal: 1_000,
        });
        for (const [index, one] of keys.entries()) {
          const wanted = counts[index] ?? 1;
          for (let n = scheduler.reserve(one, wanted); n > 0; n--) scheduler.add(one, one, groupOf(one));
        }
        const turns: string[] = [];
        for (let next = scheduler.next(); next; next = scheduler.next()) turns.push(groupOf(next.key));
        const companies = [...new Set(keys.map(groupOf))];
        for (const company of companies) {
          const own = turns.flatMap((turn, at) => (turn === company ? [at] : []));
          for (const [nth, at] of own.entries()) expect(at).toBeLessThan((nth + 1) * companies.length);
        }
      },
    ),
  );
});
