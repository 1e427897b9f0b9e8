import type { Caller, Principal } from '@app/contracts';
import { AppError, type FieldError, ValidationError } from '@app/kernel';
import type { IdempotencyKeys, ProtectedWrite } from '@app/runtime/idempotency';
import type { Request, Response } from 'express';
import Joi from 'joi';
import type { VerifyToken } from '../callers/internal-token.ts';
import { type Precondition, preconditionOf } from './etag.ts';
import { type HashForm, hashJson, idempotencyKeyOf, ownerOf, takesIdempotencyKey } from './idempotency-key.ts';
import { readJson, readRaw } from './json-body.ts';
import { type Access, isRespond, type Route, responseSent, scopeOf } from './route.ts';
import { assertReadableQuery, badRouteId, bodyOptions, check, queryOptions } from './validate.ts';

type RunDeps = { verifyToken: VerifyToken; idempotencyKeys?: IdempotencyKeys; hashForm?: HashForm };

/** A request whose caller and path are checked. `readJson` gives the same body however often it is called. */
type Checked = {
  route: Route;
  context: {
    req: Request;
    res: Response;
    principal: Principal | null;
    requestId: string;
    precondition: Precondition | null;
    caller: Caller | null;
  };
  params: unknown;
  readJson: () => Promise<unknown>;
};

/**
 * Runs the checks of a route in their order (401, 403 permission, ids in the path, 404 not visible, 422 query and body), then its
 * handler. Under an Idempotency-Key that was answered, it gives that answer in place of all after the ids in the path.
 */
export async function runRoute(route: Route, deps: RunDeps, req: Request, res: Response): Promise<void> {
  const principal = route.access === 'public' ? null : await authenticate(route, deps.verifyToken, req, res);
  const requestId = String(res.getHeader('x-request-id'));
  const precondition = route.versioned === true ? preconditionOf(req) : null;
  const context = { req, res, principal, requestId, precondition, caller: callerOf(principal) };
  assertReadableQuery(req.url);
  const params = route.params ? checkedParams(route, req.params) : {};
  let json: Promise<unknown> | undefined;
  const readBodyOnce = () => {
    json ??= readJson(req, res);
    return json;
  };
  const checked = { route, context, params, readJson: readBodyOnce };
  const key = takesIdempotencyKey(route) ? idempotencyKeyOf(req) : null;
  if (key !== null && deps.idempotencyKeys) await runOnce(checked, key, { ...deps, keys: deps.idempotencyKeys });
  else sendAnswer(await execute(checked, null), res);
}

type Answer = { status: number; body: unknown } | typeof responseSent;

async function execute(checked: Checked, write: ProtectedWrite | null): Promise<Answer> {
  const { route, context, params } = checked;
  // `as never`: `route` has checked that the types of schemas, `load` and handler agree; in a list of routes they are not known.
  const resource = await route.load?.({ ...context, params, query: context.req.query } as never);
  const { query, body } = await readInput(checked);
  const result = await route.handle({ ...context, write, params, query, body, resource } as never);
  if (result === responseSent) return responseSent;
  return isRespond(result) ? result : { status: route.reply.status, body: result };
}

function sendAnswer(answer: Answer, res: Response): void {
  if (answer === responseSent) return;
  res.status(answer.status);
  if (answer.body === undefined) res.end();
  else res.json(answer.body);
}

async function runOnce(
  checked: Checked,
  key: string,
  { keys, hashForm }: { keys: IdempotencyKeys; hashForm?: HashForm },
): Promise<void> {
  const { route, context, readJson: readBodyOnce } = checked;
  const { req, res, principal } = context;
  const body = route.multipart && hashForm ? () => hashForm(req, res) : hashJson(await readBodyOnce());
  const operation = `${req.method} ${req.originalUrl}`;
  const request = { key, owner: ownerOf(principal), operation, body, repeatable: route.repeatable === true };
  const answer = await keys.run(request, async (write) => {
    const executed = await execute(checked, write);
    if (executed === responseSent) throw new Error(`${route.path} writes its response itself: it cannot be stored`);
    return { status: executed.status, body: executed.body === undefined ? null : JSON.stringify(executed.body) };
  });
  if (answer.replayed) res.setHeader('Idempotent-Replayed', 'true');
  res.status(answer.status);
  if (answer.body === null) res.end();
  else res.type('json').send(answer.body);
}

/** @throws ValidationError with all errors of query and body */
async function readInput(checked: Checked): Promise<{ query: unknown; body: unknown }> {
  const { route, context } = checked;
  const body = await readBody(checked);
  const { cursor, ...rest } = context.req.query;
  // Clients that page in a loop begin it with an empty cursor.
  const sent = cursor === '' ? rest : context.req.query;
  const query = check<unknown>(route.query ?? emptyBody, sent, queryOptions);
  const errors = [...query.errors, ...body.errors];
  if (errors.length > 0) throw new ValidationError(errors);
  return { query: query.value, body: body.value };
}

async function readBody(checked: Checked): Promise<{ value: unknown; errors: FieldError[] }> {
  const { route, context } = checked;
  if (route.rawBody || route.raw) {
    return { value: await readRaw(context.req, context.res, route.raw?.maxMb), errors: [] };
  }
  const schema = route.body ?? (readsNoBody(route) ? undefined : emptyBody);
  return schema ? check<unknown>(schema, await checked.readJson(), bodyOptions) : { value: {}, errors: [] };
}

/** Methods whose bodies have no meaning, and handlers that read the stream themselves. */
function readsNoBody({ method, multipart }: Route): boolean {
  return method === 'get' || method === 'delete' || multipart !== undefined;
}

async function authenticate(route: Route, verifyToken: VerifyToken, req: Request, res: Response): Promise<Principal> {
  const token = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1];
  if (route.host === 'ticket') res.setHeader('WWW-Authenticate', 'Bearer');
  if (!token) throw new AppError('unauthenticated', 'unauthorized', 'credentials are missing');
  const principal = await verifyToken(token);
  if (principal.kind === 'caller' && principal.caller.via === 'token' && route.host === 'ts') {
    throw new AppError('unauthenticated', 'unauthorized', 'an API token is for the ticket API; log in for this one');
  }
  res.removeHeader('WWW-Authenticate');
  allow(route.access, principal);
  if (principal.kind === 'caller') allowScope(route, principal.caller);
  return principal;
}

/** @throws AppError forbidden if the route is not for this principal */
export function allow(access: Access, principal: Principal): void {
  if (access === 'public') return;
  if (access === 'platform' || access === 'service') {
    if (principal.kind !== access) throw forbidden(`this operation is for the ${access} alone`);
    return;
  }
  if (principal.kind !== 'caller') throw forbidden('this operation is for users of a company');
  const { permissions, companyKind, placeIds } = principal.caller;
  const { permission, orPermission = permission, only, everyPlace } = access;
  if (permission && !permissions.some((one) => one === permission || one === orPermission || one === 'admin')) {
    throw forbidden(`this operation needs the permission ${permission}`);
  }
  if (only && companyKind !== only.kind) throw new AppError('forbidden', only.code, only.message);
  if (everyPlace && placeIds) {
    throw new AppError('forbidden', 'limited_to_places', 'this operation is for users who see every place');
  }
}

/** @throws AppError forbidden if an API token lacks the scope that the route needs */
function allowScope(route: Route, { scopes }: Caller): void {
  const scope = scopeOf(route);
  if (!scopes || scope === null || scopes.includes(scope)) return;
  throw new AppError('forbidden', 'insufficient_scope', `this token lacks the scope ${scope}`);
}

function forbidden(message: string): AppError {
  return new AppError('forbidden', 'forbidden', message);
}

function callerOf(principal: Principal | null): Caller | null {
  return principal?.kind === 'caller' ? principal.caller : null;
}

function checkedParams(route: Route, params: unknown): unknown {
  const { value, error } = (route.params as NonNullable<Route['params']>).validate(params, { abortEarly: false });
  if (error) throw badRouteId(route, error.details.map(({ path }) => String(path[0])) as [string, ...string[]]);
  return value;
}

const emptyBody = Joi.object({});
