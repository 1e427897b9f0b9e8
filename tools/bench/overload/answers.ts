import { quantile } from '../harness/load/statistics.ts';

/**
 * One request of an open loop. `status` is 0 if no answer came; times in ms, `at` since 1970.
 */
export type Answer = { at: number; status: number; ms: number; hasRetryAfter: boolean };

export type Times = { count: number; p50: number; p99: number; most: number };

/** Answers by kind, with the milliseconds of each. */
export class Answers {
  readonly #times = new Map<string, number[]>();

  add(answer: Answer): void {
    const kind = kindOf(answer);
    const times = this.#times.get(kind);
    if (times) times.push(answer.ms);
    else this.#times.set(kind, [answer.ms]);
  }

  kinds(): Record<string, Times> {
    return Object.fromEntries([...this.#times].map(([kind, times]) => [kind, timesOf(times)]));
  }

  /** Of every refusal: what a caller that is refused waits for it. */
  refusals(): Times | null {
    const all = [...this.#times].filter(([kind]) => isRefusal(kind)).flatMap(([, times]) => times);
    return all.length === 0 ? null : timesOf(all);
  }
}

function timesOf(times: readonly number[]): Times {
  const sorted = Float64Array.from(times).sort();
  return {
    count: sorted.length,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    most: sorted.at(-1) as number,
  };
}

/** `200`, `429`, `503 without Retry-After`, `no answer`. */
export function kindOf({ status, hasRetryAfter }: Pick<Answer, 'status' | 'hasRetryAfter'>): string {
  if (status === 0) return 'no answer';
  return isRefusal(String(status)) && !hasRetryAfter ? `${status} without Retry-After` : String(status);
}

function isRefusal(kind: string): boolean {
  return /^(429|503)/.test(kind);
}

/** What docs/api.md gives for a request with nothing wrong in it: success, or a refusal that says when to come back. */
export function isDocumented(kind: string): boolean {
  return /^(2\d\d|429|503)$/.test(kind);
}

export function isServed({ status }: Pick<Answer, 'status'>): boolean {
  return status >= 200 && status < 300;
}
