import type { Caller, CompanyKind, Permission, Principal } from '@app/contracts';
import type { Request, Response } from 'express';
import type Joi from 'joi';

export type Host = 'ticket' | 'ts' | 'download' | 'internal';

/**
 * Who may call: anybody; the platform's administrator; a service in its own name; or a company's user or token with a
 * permission (null: any). `only` keeps an operation to one kind of company.
 */
export type Access =
  | 'public'
  | 'platform'
  | 'service'
  | { permission: Permission | null; only?: { kind: CompanyKind; code: string; message: string } };

export type Context<Params, Query, Body, Found> = {
  params: Params;
  query: Query;
  body: Body;
  /** What `find` gave. */
  resource: Found;
  /** Who calls, where `access` names a permission; null at runtime elsewhere, where nothing may read it. */
  caller: Caller;
  principal: Principal | null;
  requestId: string;
  req: Request;
  res: Response;
};

type Finding<Params, Query> = { params: Params; query: Query; caller: Caller; req: Request };

export type RouteSpec<Params, Query, Body, Found> = {
  host: Host;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As Express has it: `/api/v3.0/tickets/:ticket_id`. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  access: Access;
  params?: Joi.ObjectSchema<Params>;
  /** The code of a malformed id, by the parameter, where the spec names one (spec section 7: purchases). */
  idCodes?: { [Name in keyof Params]?: string };
  query?: Joi.ObjectSchema<Query>;
  body?: Joi.ObjectSchema<Body>;
  /** A JSON body that the handler gets as its raw bytes (a Buffer, at most 1 MB), unchecked; for signatures over them. */
  rawBody?: Joi.ObjectSchema;
  /** A multipart body, which the handler reads itself by stream; here only for the documentation. */
  multipart?: Joi.ObjectSchema;
  /** Loads what the path names, before the body is looked at: what the caller may not see is 404, not 422. */
  load?: (context: Finding<Params, Query>) => Promise<Found>;
  reply: { status: number; schema?: Joi.Schema; description?: string };
  /** Answers the body of the reply, or `respond(status, body)` where the status varies; `handled` where it wrote itself. */
  handle: (context: Context<Params, Query, Body, Found>) => Promise<unknown>;
};

/** A declared route, ready for `createApp` and for the documentation. */
export type Route = RouteSpec<never, never, never, never>;

/** Declares a route; the types of parameters, query, body and found thing flow from its schemas into the handler. */
export function route<Params = object, Query = object, Body = object, Found = undefined>(
  spec: RouteSpec<Params, Query, Body, Found>,
): Route {
  return spec as unknown as Route;
}

const responses = new WeakSet<object>();
export type Respond = { status: number; body: unknown };

/** An answer whose status differs from the route's usual one. */
export function respond(status: number, body?: unknown): Respond {
  const response = { status, body };
  responses.add(response);
  return response;
}

export function isRespond(value: unknown): value is Respond {
  return typeof value === 'object' && value !== null && responses.has(value);
}

/** Returned by a handler that wrote the answer itself (files). */
export const responseSent = Symbol('handled');
