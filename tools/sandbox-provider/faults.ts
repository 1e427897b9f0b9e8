import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * How a provider misbehaves. `times`: for so many requests, without it until it is cleared; `on`: a regular expression, only
 * for requests whose `METHOD /path?query` it matches.
 * - `status` answers so, with `retryAfter` as the `retry-after` header and `body` as JSON
 * - `delay` answers as it should, `ms` later; `hang` never answers
 * - `cut` ends the connection without an answer, `half` in the middle of one
 * - `lost` does what was asked and then ends the connection
 * - `garbage` answers 200 with a page of HTML, `endless` with a body without end
 * - `redirect` answers 302 to an address
 */
export type Fault = { times?: number; on?: string } & (
  | { kind: 'status'; status: number; retryAfter?: string; body?: unknown }
  | { kind: 'delay'; ms: number }
  | { kind: 'redirect'; to: string }
  | { kind: 'hang' | 'cut' | 'half' | 'lost' | 'garbage' | 'endless' }
);

export type Faults = {
  /** From now on, after those set before it. */
  set(fault: Fault): void;
  clear(): void;
  /** Plays the fault that this request meets, if any; resolves to true where the request is answered, or never will be. */
  meet(req: IncomingMessage, res: ServerResponse): Promise<boolean>;
};

const mostFaults = 100;

export function createFaults(): Faults {
  let active: Fault[] = [];
  return {
    set(fault) {
      if (active.length >= mostFaults) throw new Error('too many faults: clear them first');
      active.push({ ...fault });
    },
    clear() {
      active = [];
    },
    async meet(req, res) {
      const fault = active.find(({ on }) => on === undefined || new RegExp(on).test(`${req.method} ${req.url}`));
      if (!fault) return false;
      if (fault.times !== undefined) {
        fault.times -= 1;
        if (fault.times <= 0) active = active.filter((one) => one !== fault);
      }
      return play(fault, req, res);
    },
  };
}

async function play(fault: Fault, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, fault.ms));
      return res.destroyed;
    case 'status': {
      const wait = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
      res.writeHead(fault.status, { 'content-type': 'application/json', ...wait });
      res.end(JSON.stringify(fault.body ?? { code: 'sandbox_fault', message: 'this failure was asked for' }));
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
      // What the handler answers stays here; the caller sees its connection end.
      res.end = () => {
        req.socket.destroy();
        return res;
      };
      return false;
    case 'garbage':
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html>We will be back soon</html>');
      return true;
    case 'endless':
      pourForEver(res);
      return true;
  }
}

function pourForEver(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = () => void (res.destroyed || res.write(chunk, more));
  more();
}
