import type { Caller, Principal } from '@app/contracts';
import { AppError, type FieldError, ValidationError } from '@app/kernel';
import type { Request, Response } from 'express';
import Joi from 'joi';
import type { VerifyToken } from './internal-token.ts';
import { readJson, readRaw } from './json-body.ts';
import { type Access, isRespond, type Route, responseSent } from './route.ts';
import { badRouteId, bodyOptions, check, queryOptions } from './validate.ts';

/** Runs the checks of a route in their order (401, 403 permission, ids in the path, 404 not visible, 422 query and body), then its handler. */
export async function runRoute(route: Route, verifyToken: VerifyToken, req: Request, res: Response): Promise<void> {
  const principal = route.access === 'public' ? null : await authenticate(route, verifyToken, req, res);
  const context = {
    req,
    res,
    principal,
    requestId: String(res.getHeader('x-request-id')),
    caller: callerOf(principal),
  };
  const params = route.params ? checkedParams(route, req.params) : {};
  const resource = await route.load?.({ ...context, params, query: req.query } as never);
  const { query, body } = await readInput(route, req, res);
  const result = await route.handle({ ...context, params, query, body, resource } as never);
  if (result === responseSent) return;
  const { status, body: replyBody } = isRespond(result) ? result : { status: route.reply.status, body: result };
  res.status(status);
  if (replyBody === undefined) res.end();
  else res.json(replyBody);
}

/** @throws ValidationError with all faults of query and body */
async function readInput(route: Route, req: Request, res: Response): Promise<{ query: unknown; body: unknown }> {
  const body = await readBody(route, req, res);
  const query = check<unknown>(route.query ?? emptyBody, req.query, queryOptions);
  const errors = [...query.errors, ...body.errors];
  if (errors.length > 0) throw new ValidationError(errors);
  return { query: query.value, body: body.value };
}

async function readBody(route: Route, req: Request, res: Response): Promise<{ value: unknown; errors: FieldError[] }> {
  if (route.rawBody) return { value: await readRaw(req, res), errors: [] };
  const schema = route.body ?? (readsNoBody(route) ? undefined : emptyBody);
  return schema ? check<unknown>(schema, await readJson(req, res), bodyOptions) : { value: {}, errors: [] };
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
  return principal;
}

/** @throws AppError forbidden if the route is not for this principal */
function allow(access: Access, principal: Principal): void {
  if (access === 'public') return;
  if (access === 'platform' || access === 'service') {
    if (principal.kind !== access) throw forbidden(`this operation is for the ${access} alone`);
    return;
  }
  if (principal.kind !== 'caller') throw forbidden('this operation is for users of a company');
  const { permissions, companyKind } = principal.caller;
  const { permission, only } = access;
  if (permission && !permissions.includes(permission) && !permissions.includes('admin')) {
    throw forbidden(`this operation needs the permission ${permission}`);
  }
  if (only && companyKind !== only.kind) throw new AppError('forbidden', only.code, only.message);
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
