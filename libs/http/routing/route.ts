import type { Caller, CompanyKind, Permission, Principal, Scope } from '@app/contracts';
import type { List } from '@app/kernel';
import type { ProtectedWrite } from '@app/runtime/idempotency';
import type { Request, Response } from 'express';
import type Joi from 'joi';
import type { Precondition } from './etag.ts';

/** The public address of a route: ticket API, second API (`ts`) or downloads. `internal`: the gateway does not route it. */
export type Host = 'ticket' | 'ts' | 'download' | 'internal';

/**
 * Who may call: anybody; the platform's administrator; a service in its own name; or a company's user or token with a
 * permission (null: any). `inPath`: known by a secret in the path, which the gateway reads, and not by other credentials. `only` restricts the operation to one kind of company, `everyPlace` to users who are not limited to
 * places: what it reads or changes belongs to no place, or to all of them.
 */
export type Access =
  | 'public'
  | 'platform'
  | 'service'
  | {
      permission: Permission | null;
      /** Another one that is enough. */
      orPermission?: Permission;
      only?: { kind: CompanyKind; code: string; message: string };
      everyPlace?: true;
      inPath?: true;
    };

export type Context<Params, Query, Body, Resource> = {
  params: Params;
  query: Query;
  body: Body;
  /** What `load` returned. */
  resource: Resource;
  /** Set if `access` names a permission; otherwise null at runtime, and not to be read. */
  caller: Caller;
  principal: Principal | null;
  /** The check of `If-Match`, on a `versioned` route that changes something; null without the header. */
  precondition: Precondition | null;
  /** To be passed to the store that writes, so that a POST takes effect once under its Idempotency-Key; null without the header. */
  write: ProtectedWrite | null;
  requestId: string;
  req: Request;
  res: Response;
};

type Reply = {
  status: number;
  schema?: Joi.Schema;
  description?: string;
  /** The response is a file of one of these media types, not JSON. */
  file?: readonly string[];
  /** Further response headers, with their descriptions. */
  headers?: Record<string, string>;
  /** Further statuses that are not errors, with their descriptions. */
  also?: Record<number, string>;
};

/**
 * The route is deprecated: the day since which this is announced, the day on which the route is removed (at least six
 * months later), and what to call instead. Its responses say so in `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
 */
export type Deprecated = { since: string; sunset: string; instead: string };

/** A status and an error code: `404 ticket_not_found`. */
export type ErrorLine = `${4 | 5}${number} ${string}`;

type LoadContext<Params, Query> = { params: Params; query: Query; caller: Caller; req: Request };

/** `places`: those of a filter by one place, where nobody can be asked in the caller's name. */
export type SheetContext<Params, Query, Resource> = Pick<
  Context<Params, Query, never, Resource>,
  'params' | 'query' | 'caller' | 'resource' | 'req'
> & { places?: readonly string[] };

type RouteSpec<Params, Query, Body, Resource> = {
  host: Host;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As Express has it: `/api/v3.0/tickets/:ticket_id`. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  access: Access;
  /** What an API token with scopes needs on the ticket API: `tickets:read` for a GET, otherwise `tickets:write`, unless it says so here. */
  scope?: Scope;
  params?: Joi.ObjectSchema<Params>;
  /** The error code of a malformed id by parameter, if it is not `invalid_id`. */
  idCodes?: { [Name in keyof Params]?: string };
  query?: Joi.ObjectSchema<Query>;
  body?: Joi.ObjectSchema<Body>;
  /** The schema of a JSON body that the handler gets as a Buffer of at most 1 MB, unvalidated: for signatures over its bytes. */
  rawBody?: Joi.ObjectSchema;
  /** A body of this media type, which the handler gets as a Buffer of at most so many MB. */
  raw?: { type: string; maxMb: number };
  /** The schema of a multipart body, for the documentation alone: the handler reads the stream itself. */
  multipart?: Joi.ObjectSchema;
  /** Loads what the path names, before the body is validated: what the caller may not see is 404, not 422. */
  load?: (context: LoadContext<Params, Query>) => Promise<Resource>;
  reply: Reply;
  /**
   * The resource has a version: the handler calls `sendVersion`, and a change calls `precondition`. `'answer'`: a creation, which
   * replaces no version.
   */
  versioned?: true | 'answer';
  /**
   * A POST that finds what it made before by itself, by a name that the caller gave it. Repeated under an Idempotency-Key it answers
   * by what is there now, not what it answered at first. Its `write` is null.
   */
  repeatable?: true;
  deprecated?: Deprecated;
  /** Of the download of a list: the same rows part by part, for a file that is made in the background (`readSheetPage`). */
  sheet?: {
    list: List;
    /** The rows after a position; `next`: where the ones after these begin, or null. */
    read: (
      context: SheetContext<Params, Query, Resource>,
      after: string | null,
    ) => Promise<{ rows: object[]; next: string | null }>;
  };
  /** The errors of its handler: `'404 ticket_not_found'`. Those of the checks before it are added by themselves. */
  errors?: readonly ErrorLine[];
  /** Returns the body of the response, or `respond(status, body)` for another status, or `responseSent` if it has written the response. */
  handle: (context: Context<Params, Query, Body, Resource>) => Promise<unknown>;
};

/** A declared route, for `createApp` and for the documentation. */
export type Route = RouteSpec<never, never, never, never>;

/** Declares a route. The types of its schemas and of `load` are those of the handler's context. */
export function route<Params = object, Query = object, Body = object, Resource = undefined>(
  spec: RouteSpec<Params, Query, Body, Resource>,
): Route {
  return spec as unknown as Route;
}

/** The scope that an API token needs for this route; null if API tokens cannot call it. */
export function scopeOf({
  host,
  method,
  access,
  scope,
}: Pick<Route, 'host' | 'method' | 'access' | 'scope'>): Scope | null {
  if (host !== 'ticket' || access === 'public') return null;
  return scope ?? (method === 'get' ? 'tickets:read' : 'tickets:write');
}

const responses = new WeakSet<object>();
type Respond = { status: number; body: unknown };

/** A response with another status than the route's usual one. */
export function respond(status: number, body?: unknown): Respond {
  const response = { status, body };
  responses.add(response);
  return response;
}

export function isRespond(value: unknown): value is Respond {
  return typeof value === 'object' && value !== null && responses.has(value);
}

/** Returned by a handler that has written the response itself, such as a file. */
export const responseSent = Symbol('response sent');
