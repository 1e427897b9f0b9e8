import type { Caller } from '@app/contracts';
import { answer, byId, id, named, type Route, route } from '@app/http';
import { AppError, decodeTimeCursor, encodeTimeCursor, readPage } from '@app/kernel';
import type { Logger } from '@app/runtime';
import Joi from 'joi';
import type { Connection } from '../connections/connection.ts';
import { auditEvent, connectionRoute, orNotFound } from '../connections/connection-routes.ts';
import type { ConnectionStore } from '../connections/connection-store.ts';
import { externalIdOf, type FetchFailure, failureResponse } from './fetch-failure.ts';
import type { FetchFailureStore } from './fetch-failure-store.ts';
import type { JobStore } from './job-store.ts';

type Deps = {
  connections: Pick<ConnectionStore, 'find'>;
  failures: FetchFailureStore;
  jobs: Pick<JobStore, 'enqueueFetches' | 'dismiss'>;
  notifyWorker: (connectionId: string) => void;
  logger: Logger;
  now: () => Date;
};
type Paging = { cursor?: string; limit: number };
type Params = { id: string; failureId: string };
type Failed = FetchFailure & { connection: Connection };

/** As long, a poll that lists the same change again does not bring a dismissed one back. */
const keepDismissedMs = 365 * 24 * 3_600_000;

const failure = named('InvoiceFetchFailure', {
  id: Joi.string().required(),
  externalId: Joi.string().required().description("the provider's id of the invoice"),
  reason: Joi.string().allow('').required().description('why it could not be fetched, in words'),
  failedAt: Joi.string().isoDate().required().description('when its fetch was first given up'),
  retrying: Joi.boolean().required().description('it is being tried again'),
});

/** Invoices of a connection that could not be fetched: to try again, or to dismiss. */
export function fetchFailureRoutes(deps: Deps): Route[] {
  return [listRoute(deps), retryRoute(deps), dismissRoute(deps)];
}

function listRoute({ connections, failures }: Deps): Route {
  return route<{ id: string }, Paging, object, Connection>({
    ...connectionRoute,
    method: 'get',
    path: '/invoice-connections/:id/failures',
    summary: 'List the invoices of a connection that could not be fetched',
    errors: ['404 connection_not_found', '422 invalid_cursor'],
    description:
      'Of the last 30 days, until they are fetched or dismissed; the oldest first. An invoice that failed on every attempt is tried again by itself while the connection works, at last once a day; one that the provider refused is not. 422 `invalid_cursor`.',
    params: byId,
    query: Joi.object<Paging>({
      cursor: Joi.string().max(1_200).description('the `nextCursor` of the page before'),
      limit: Joi.number().integer().min(1).max(200).default(50),
    }),
    load: ({ params, caller }) => orNotFound(connections.find(params.id, caller.companyId)),
    reply: {
      status: 200,
      schema: answer({
        items: Joi.array().items(failure).required(),
        nextCursor: Joi.string().allow(null).required(),
      }),
    },
    async handle({ resource: { id: connectionId }, query: { cursor, ...query } }) {
      const after = decodeTimeCursor(cursor, isAnyId);
      const read = (page: typeof query) => failures.list(connectionId, { ...page, after });
      const cursorOf = ({ failedAt: at, externalId: id }: FetchFailure) => encodeTimeCursor({ at, id });
      const { items, nextCursor } = await readPage(query, read, cursorOf);
      return { items: items.map(failureResponse), nextCursor };
    },
  });
}

function retryRoute({ connections, failures, jobs, notifyWorker, now }: Deps): Route {
  return route<Params, object, object, Failed>({
    ...failureRoute({ connections, failures }),
    method: 'post',
    path: '/invoice-connections/:id/failures/:failureId/retry',
    summary: 'Try again to fetch an invoice that could not be fetched',
    errors: failureErrors,
    reply: { status: 202, schema: named('Ok', { ok: Joi.boolean().valid(true) }) },
    async handle({ resource: { connection, externalId } }) {
      await jobs.enqueueFetches({ connectionId: connection.id, externalIds: [externalId], at: now() });
      notifyWorker(connection.id);
      return { ok: true };
    },
  });
}

function dismissRoute({ connections, failures, jobs, logger, now }: Deps): Route {
  return route<Params, object, object, Failed>({
    ...failureRoute({ connections, failures }),
    method: 'delete',
    path: '/invoice-connections/:id/failures/:failureId',
    summary: 'Dismiss an invoice that could not be fetched',
    errors: [...failureErrors, '409 failure_in_progress'],
    description:
      'It is not tried any more, until the provider announces it again. 409 `failure_in_progress` while it is being fetched.',
    reply: { status: 204 },
    async handle({ resource: { connection, externalId }, caller: { companyId, userId }, ...request }) {
      const at = now();
      const changes = [{ field: 'dismissed_invoice', before: null, after: externalId }];
      const events = [auditEvent(connection, { action: 'invoice_connection.changed', changes, at }, request)];
      const expiresAt = new Date(at.getTime() + keepDismissedMs);
      if (!(await jobs.dismiss({ connectionId: connection.id, externalId }, { events, expiresAt }))) {
        throw new AppError('conflict', 'failure_in_progress', 'the invoice is being fetched: try again in a moment');
      }
      logger.info('fetch dismissed', { connectionId: connection.id, externalId, companyId, userId });
    },
  });
}

const failureErrors = ['404 connection_not_found', '404 failure_not_found'] as const;

/** What the routes of one failure share. */
function failureRoute({ connections, failures }: Pick<Deps, 'connections' | 'failures'>) {
  return {
    ...connectionRoute,
    params: Joi.object<Params>({
      id: id.required(),
      failureId: Joi.string()
        .pattern(/^[A-Za-z0-9_-]{1,1100}$/)
        .required(),
    }),
    async load({ params, caller }: { params: Params; caller: Caller }): Promise<Failed> {
      const connection = await orNotFound(connections.find(params.id, caller.companyId));
      const failure = await failures.find(connection.id, externalIdOf(params.failureId));
      if (failure) return { ...failure, connection };
      throw new AppError('not_found', 'failure_not_found', 'there is no such failure of this connection');
    },
  };
}

/** Providers give ids of any form. */
const isAnyId = () => true;
