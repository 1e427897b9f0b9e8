import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import axios, { type AxiosResponse } from 'axios';
import type { Ledger } from './ledger.ts';

export type Request = {
  line: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Made anew for each attempt, since a form is used up by sending it. */
  form?: () => FormData;
  /** Whether sending the same again makes no second thing. */
  isRepeatable: boolean;
};

/** An answer that is final, or that there was none and it is not known what happened. */
export type Outcome = { status: number; data: Record<string, unknown> } | 'unknown';

export type Client = (request: Request) => Promise<Outcome>;

export type Patience = {
  /** Whether it still makes sense to try: false ends every retry. */
  goesOn: () => boolean;
  /** Statuses that faults of this moment excuse although nothing is wrong with the request. */
  excused: () => readonly number[];
  /**
   * Whether an answer that asks for a retry is wrong nevertheless. Given its status with its code, or `no answer`; by default none is.
   */
  isWrong?: (seen: string) => boolean;
};

/** A real integrator does not wait longer than this. */
const timeoutMs = 30_000;
/**
 * As inside the platform (docs/decisions/draining.md): shorter than DRAIN_DELAY in production,
 * so that no request is sent on a connection that a stopping process is about to close.
 */
const idleConnectionMs = 4_000;
const retryEveryMs = 300;
/** docs/api.md: something is away or too busy. After these the same request is sent again, as its sentence says. */
const retryable = [408, 429, 502, 503, 504];
/** Nothing was done. */
const refused = ['429', '503 overloaded', '401'];
/** The first request with the same `Idempotency-Key` is still open: right, since integrators send some twice at once. */
const inProgress = '409 idempotency_key_in_progress';

/**
 * A caller of the API that behaves as docs/api.md says: repeats what may be repeated, and reports
 * an outcome of which it cannot be sure as unknown. Counts every status, and reports those that are
 * not documented for the request.
 */
export function createClient(options: {
  baseUrl: string;
  token: string | null;
  ledger: Ledger;
  patience: Patience;
}): Client {
  const { baseUrl, token, ledger, patience } = options;
  const agent = new Agent({ keepAlive: true, timeout: idleConnectionMs });
  const http = axios.create({
    baseURL: baseUrl,
    httpAgent: agent,
    timeout: timeoutMs,
    validateStatus: () => true,
    maxRedirects: 0,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });

  async function attempt({ line, body, form, headers = {} }: Request): Promise<AxiosResponse | Error> {
    const [method = 'GET', url = '/'] = line.split(' ');
    try {
      return await http.request({ method, url, data: form ? form() : body, headers });
    } catch (error) {
      return error as Error;
    }
  }

  return async function send(request) {
    for (;;) {
      const answer = await attempt(request);
      const seen = wordsOf(answer);
      ledger.count(seen);
      if (!(answer instanceof Error) && seen !== inProgress && isFinal(answer.status, patience.excused())) {
        if (answer.status >= 500) ledger.violate(`${request.line} was answered ${describe(answer)}`);
        return { status: answer.status, data: answer.data };
      }
      if (seen !== inProgress && patience.isWrong?.(seen)) {
        ledger.violate(
          `${request.line} had ${answer instanceof Error ? `no answer: ${answer.message}` : describe(answer)}`,
        );
        return 'unknown';
      }
      const isHarmless = refused.some((one) => seen.startsWith(one));
      if (!patience.goesOn() || !(request.isRepeatable || isHarmless)) return 'unknown';
      await delay(retryEveryMs);
    }
  };
}

function wordsOf(answer: AxiosResponse | Error): string {
  if (answer instanceof Error) return 'no answer';
  return [answer.status, answer.data?.code].filter(Boolean).join(' ');
}

function isFinal(status: number, excused: readonly number[]): boolean {
  return !retryable.includes(status) && !excused.includes(status);
}

function describe({ status, data, headers }: AxiosResponse): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${status} ${text.slice(0, 300)} (request ${headers['x-request-id'] ?? 'without id'})`;
}
