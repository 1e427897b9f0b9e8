import type { IncomingMessage, ServerResponse } from 'node:http';
import { codeAndMessage, type ErrorBody, HttpError, missing } from './http-server.ts';

/**
 * A failure of the provider. `times`: for that many requests; if absent, until it is cleared. `on`: only for requests whose
 * `METHOD /path?query` matches this regular expression.
 * - `status` responds with that status, `retryAfter` as the `retry-after` header and `body` as JSON
 * - `delay` responds correctly, `ms` later; `hang` never responds
 * - `cut` closes the connection without a response, `half` in the middle of one
 * - `lost` handles the request, then closes the connection without a response
 * - `garbage` responds 200 with a page of HTML, `endless` with a body without end
 * - `redirect` responds 302 to an address
 * - `clock` answers as ever, and says by its `date` header that the provider's clock is that far ahead
 * - `disorder` lists each change twice, the newest first, until it is cleared
 */
export type Fault = { times?: number; on?: string } & (
  | { kind: 'status'; status: number; retryAfter?: string; body?: unknown }
  | { kind: 'delay'; ms: number }
  | { kind: 'clock'; aheadMs: number }
  | { kind: 'redirect'; to: string }
  | { kind: 'hang' | 'cut' | 'half' | 'lost' | 'garbage' | 'endless' }
  | { kind: 'disorder' }
);

export type Faults = ReturnType<typeof createFaults>;

const maxFaults = 100;

/** @param errorBody the body of a `status` fault that has none */
export function createFaults(errorBody: ErrorBody = codeAndMessage) {
  let active: Fault[] = [];
  return {
    /** Takes effect after the faults added before it. */
    add(fault: Fault): void {
      if (active.length >= maxFaults) throw new Error('too many faults: clear them first');
      active.push({ ...fault });
    },
    clear(): void {
      active = [];
    },
    /** Whether changes are listed in disorder now. */
    isInDisorder: (): boolean => active.some(({ kind }) => kind === 'disorder'),
    /** Applies the first matching fault to the request, if any. Resolves to true if the request is answered, or never will be. */
    async apply(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
      const fault = active.find((one): one is Answer => isAnswer(one) && matches(one, req));
      if (!fault) return false;
      if (fault.times !== undefined) {
        fault.times -= 1;
        if (fault.times <= 0) active = active.filter((one) => one !== fault);
      }
      return play(fault, req, res, errorBody);
    },
  };
}

const kinds = ['status', 'delay', 'clock', 'redirect', 'hang', 'cut', 'half', 'lost', 'garbage', 'endless', 'disorder'];

/** A fault that was ordered by HTTP. @throws HttpError 422 */
export function faultOf(body: Record<string, unknown>): Fault {
  const needs: Record<string, string> = { status: 'number', ms: 'number', aheadMs: 'number', to: 'string' };
  const needed = { status: 'status', delay: 'ms', clock: 'aheadMs', redirect: 'to' }[String(body['kind'])];
  if (!kinds.includes(String(body['kind'])))
    throw new HttpError(422, 'invalid_fault', `kind is one of ${kinds.join(', ')}`);
  // Checked here, so that the caller who orders the fault gets the error.
  if (needed && typeof body[needed] !== needs[needed]) throw missing(needed);
  if (body['on'] !== undefined && !isPattern(body['on'])) throw missing('on');
  return body as Fault;
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}

/** A fault that takes the place of an answer. */
type Answer = Exclude<Fault, { kind: 'disorder' }>;

function isAnswer(fault: Fault): fault is Answer {
  return fault.kind !== 'disorder';
}

function matches({ on }: Fault, { method, url }: IncomingMessage): boolean {
  return on === undefined || new RegExp(on).test(`${method} ${url}`);
}

async function play(fault: Answer, req: IncomingMessage, res: ServerResponse, errorBody: ErrorBody): Promise<boolean> {
  switch (fault.kind) {
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return res.destroyed;
    case 'clock':
      res.setHeader('date', new Date(Date.now() + fault.aheadMs).toUTCString());
      return false;
    case 'status': {
      const wait = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
      res.writeHead(fault.status, { 'content-type': 'application/json', ...wait });
      res.end(JSON.stringify(fault.body ?? errorBody('fault', 'this failure was asked for')));
      return true;
    }
    case 'redirect':
      res.writeHead(302, { location: fault.to }).end();
      return true;
    case 'hang':
      return true;
    case 'cut':
      req.socket.destroy();
      return true;
    case 'half':
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      res.write('{"id":', () => res.destroy());
      return true;
    case 'lost':
      // The handler's response is not sent; the caller sees a closed connection.
      res.end = () => {
        req.socket.destroy();
        return res;
      };
      return false;
    case 'garbage':
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html>We will be back soon</html>');
      return true;
    case 'endless':
      writeForever(res);
      return true;
  }
}

function writeForever(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = () => void (res.destroyed || res.write(chunk, more));
  more();
}
