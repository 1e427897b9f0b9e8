import { randomUUID } from 'node:crypto';
import { AppError } from '@app/kernel';
import { currentContext, type Logger } from '@app/runtime';
import type { IdempotencyKeys } from '@app/runtime/idempotency';
import { type RequestSpan, startRequestSpan } from '@app/runtime/tracing';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { VerifyToken } from './callers/internal-token.ts';
import { docUrlFor } from './errors/doc-url.ts';
import { errorHandler, sendError } from './errors/errors.ts';
import { pathToLog } from './errors/failure-log.ts';
import { observe } from './metrics.ts';
import { deprecationHeaders } from './routing/deprecation.ts';
import { type HashForm, takesIdempotencyKey } from './routing/idempotency-key.ts';
import type { Route } from './routing/route.ts';
import { runRoute } from './routing/run-route.ts';

type AppOptions = {
  routes: Route[];
  logger: Logger;
  verifyToken: VerifyToken;
  /** Required if the service has a POST of the two APIs. */
  idempotencyKeys?: IdempotencyKeys;
  /** Required if one of these takes a form. */
  hashForm?: HashForm;
};

/**
 * The Express app of a service: its routes with their checks (docs/api.md), 405 for a wrong method, 404 for other paths, and
 * errors in the documented form.
 */
export function createApp({ routes, logger, ...deps }: AppOptions): Express {
  for (const route of routes) assertRepeatable(route, deps);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  // ETags are for `If-Match` only: a response may change while the version stays, so Express must not answer 304.
  // Files check `If-None-Match` themselves.
  Object.defineProperty(app.request, 'fresh', { get: () => false });
  app.use(withContext(logger));
  for (const [path, methods] of byPath(routes)) {
    for (const route of methods) {
      const deprecation = route.deprecated ? new Map(Object.entries(deprecationHeaders(route.deprecated))) : null;
      app[route.method](path, (req: Request, res: Response) => {
        observe(res, route.path);
        spanOf(res).setRoute(route.path);
        // For the gateway's access log; the gateway removes it.
        res.setHeader('X-Route', route.path);
        if (deprecation) res.setHeaders(deprecation);
        runRoute(route, deps, req, res).catch((error) => sendError(error, res, logger));
      });
    }
    app.all(path, (_req, res) => wrongMethod(methods, res, logger));
  }
  app.use((req, res) => {
    sendError(new AppError('not_found', 'not_found', `there is nothing at ${req.method} ${req.path}`), res, logger);
  });
  app.use(errorHandler(logger));
  return app;
}

/** @throws Error if the app lacks what an Idempotency-Key of this route needs */
function assertRepeatable(route: Route, { idempotencyKeys, hashForm }: Partial<AppOptions>): void {
  if (!takesIdempotencyKey(route)) return;
  const missing = [
    ...(idempotencyKeys ? [] : ['idempotencyKeys']),
    ...(route.multipart && !hashForm ? ['hashForm'] : []),
  ];
  if (missing.length > 0) throw new Error(`POST ${route.path} needs ${missing.join(' and ')} of createApp`);
}

/** Sets the id and trace of each request, from the headers if the gateway set them, and logs its outcome. */
function withContext(logger: Logger) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && /^[\w.-]{8,128}$/.test(given) ? given : randomUUID();
    res.setHeader('X-Request-Id', requestId);
    const started = performance.now();
    res.on('finish', () => {
      logger.debug('request', {
        requestId,
        method: req.method,
        path: pathToLog(req.path),
        status: res.statusCode,
        durationMs: Math.round(performance.now() - started),
      });
    });
    const span = startRequestSpan(req, res);
    res.locals['span'] = span;
    currentContext.run({ requestId }, () => span.run(next));
  };
}

function spanOf(res: Response): RequestSpan {
  return res.locals['span'] as RequestSpan;
}

function wrongMethod(methods: Route[], res: Response, logger: Logger): void {
  const allowed = methods.map(({ method }) => method.toUpperCase());
  const allow = [...new Set([...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])])].join(', ');
  res.setHeader('Allow', allow);
  if (res.req.method === 'OPTIONS') {
    res.status(204).end();
    return;
  }
  const error = `${res.req.method} is not possible here; use ${allow}`;
  logger.debug('wrong method', { path: pathToLog(res.req.path) });
  const code = 'method_not_allowed';
  res.status(405).json({ error, code, ...docUrlFor(res.req.headers, code) });
}

/**
 * Groups routes by path, with fixed segments before parameters, so that `/tickets/get-id-from-number` is not taken for an id.
 * @throws Error if two routes have the same method and path, or name the same path parameter differently
 */
function byPath(routes: Route[]): [string, Route[]][] {
  const groups = new Map<string, [string, Route[]]>();
  for (const route of routes) {
    const shape = shapeOf(route.path);
    const [path, methods] = groups.get(shape) ?? [route.path, []];
    if (path !== route.path) throw new Error(`${path} and ${route.path} are the same path`);
    if (methods.some(({ method }) => method === route.method)) throw new Error(`${route.method} ${path} stands twice`);
    groups.set(shape, [path, [...methods, route]]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** With `~` for each parameter, which sorts after every character of a fixed segment. */
function shapeOf(path: string): string {
  return path.replaceAll(/:[^/]+/g, '~');
}
