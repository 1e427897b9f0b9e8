import { answer, id, named, type Route, route } from '@app/http';
import { AppError, decodeTimeCursor, encodeTimeCursor, readPage } from '@app/kernel';
import Joi from 'joi';
import type { Connection } from '../connections/connection.ts';
import { access, orNotFound } from '../connections/connection-routes.ts';
import type { ConnectionStore } from '../connections/connection-store.ts';
import { externalIdOf, type FetchFailure, failureView } from './fetch-failure.ts';
import type { FetchFailureStore } from './fetch-failure-store.ts';
import type { JobStore } from './job-store.ts';

type Deps = {
  connections: Pick<ConnectionStore, 'find'>;
  failures: FetchFailureStore;
  jobs: Pick<JobStore, 'enqueueFetches'>;
  notifyWorker: (connectionId: string) => void;
  now: () => Date;
};
type Paging = { cursor?: string; limit: number };
type Params = { id: string; failureId: string };

const tag = 'Invoice connections';
const view = named('InvoiceFetchFailure', {
  id: Joi.string().required(),
  externalId: Joi.string().required().description("the provider's id of the invoice"),
  reason: Joi.string().allow('').required().description('why it could not be fetched, in words'),
  failedAt: Joi.string().isoDate().required(),
  retrying: Joi.boolean().required().description('it is being tried again'),
});

/** Invoices of a connection that could not be fetched, and a way to try again. */
export function fetchFailureRoutes(deps: Deps): Route[] {
  return [listRoute(deps), retryRoute(deps)];
}

function listRoute({ connections, failures }: Deps): Route {
  return route<{ id: string }, Paging, object, Connection>({
    host: 'ts',
    method: 'get',
    path: '/invoice-connections/:id/failures',
    summary: 'List the invoices of a connection that could not be fetched',
    errors: ['404 connection_not_found', '422 invalid_cursor'],
    description:
      'Of the last 30 days, until they are fetched; the oldest first. An invoice that failed on every attempt is tried again by itself once the connection works; one that the provider refused is not. 422 `invalid_cursor`.',
    tag,
    access,
    params: Joi.object<{ id: string }>({ id: id.required() }),
    query: Joi.object<Paging>({
      cursor: Joi.string().max(1_200).description('the `nextCursor` of the page before'),
      limit: Joi.number().integer().min(1).max(200).default(50),
    }),
    load: ({ params, caller }) => orNotFound(connections.find(params.id, caller.companyId)),
    reply: {
      status: 200,
      schema: answer({
        items: Joi.array().items(view).required(),
        nextCursor: Joi.string().allow(null).required(),
      }),
    },
    async handle({ resource: { id: connectionId }, query: { cursor, ...query } }) {
      const after = decodeTimeCursor(cursor, isAnyId);
      const read = (page: typeof query) => failures.list(connectionId, { ...page, after });
      const cursorOf = ({ failedAt: at, externalId: id }: FetchFailure) => encodeTimeCursor({ at, id });
      const { items, nextCursor } = await readPage(query, read, cursorOf);
      return { items: items.map(failureView), nextCursor };
    },
  });
}

function retryRoute({ connections, failures, jobs, notifyWorker, now }: Deps): Route {
  return route<Params, object, object, FetchFailure & { connectionId: string }>({
    host: 'ts',
    method: 'post',
    path: '/invoice-connections/:id/failures/:failureId/retry',
    summary: 'Try again to fetch an invoice that could not be fetched',
    errors: ['404 connection_not_found', '404 failure_not_found'],
    tag,
    access,
    params: Joi.object<Params>({
      id: id.required(),
      failureId: Joi.string()
        .pattern(/^[A-Za-z0-9_-]{1,1100}$/)
        .required(),
    }),
    async load({ params, caller }) {
      const { id: connectionId } = await orNotFound(connections.find(params.id, caller.companyId));
      const failure = await failures.find(connectionId, externalIdOf(params.failureId));
      if (failure) return { ...failure, connectionId };
      throw new AppError('not_found', 'failure_not_found', 'there is no such failure of this connection');
    },
    reply: { status: 202, schema: named('Ok', { ok: Joi.boolean().valid(true) }) },
    async handle({ resource: { connectionId, externalId } }) {
      await jobs.enqueueFetches({ connectionId, externalIds: [externalId], at: now() });
      notifyWorker(connectionId);
      return { ok: true };
    },
  });
}

/** Providers give ids of any form. */
const isAnyId = () => true;
