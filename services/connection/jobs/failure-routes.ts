import { id, type Route, route } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import type { Connection } from '../connections/connection.ts';
import { access, existing } from '../connections/connection-routes.ts';
import type { ConnectionStore } from '../connections/connection-store.ts';
import { cursorOf, externalIdOf, type FetchFailure, failureView, positionOf } from './failure.ts';
import type { FailureStore } from './failure-store.ts';
import type { JobStore } from './job-store.ts';

type Deps = {
  connections: Pick<ConnectionStore, 'find'>;
  failures: FailureStore;
  jobs: Pick<JobStore, 'want'>;
  wakeWorker: (connectionId: string) => void;
  now: () => Date;
};
type Paging = { cursor?: string; limit: number };
type Params = { id: string; failureId: string };

const tag = 'Invoice connections';
const view = Joi.object({
  id: Joi.string().required(),
  externalId: Joi.string().required().description("the provider's id of the invoice"),
  reason: Joi.string().allow('').required().description('why it could not be fetched, in words'),
  failedAt: Joi.string().isoDate().required(),
  retrying: Joi.boolean().required().description('it is being tried again'),
}).label('InvoiceFetchFailure');

/** Invoices of a connection that could not be fetched, and a way to try again. */
export function failureRoutes({ connections, failures, jobs, wakeWorker, now }: Deps): Route[] {
  return [
    route<{ id: string }, Paging, object, Connection>({
      host: 'ts',
      method: 'get',
      path: '/invoice-connections/:id/failures',
      summary: 'List the invoices of a connection that could not be fetched',
      description:
        'Of the last 30 days, until they are fetched; the oldest first. What failed again and again is tried anew by itself once the connection works; what the provider refused is not. 422 `invalid_cursor`.',
      tag,
      access,
      params: Joi.object<{ id: string }>({ id: id.required() }),
      query: Joi.object<Paging>({
        cursor: Joi.string().max(1_200).description('the `nextCursor` of the page before'),
        limit: Joi.number().integer().min(1).max(200).default(50),
      }),
      load: ({ params, caller }) => existing(connections.find(params.id, caller.companyId)),
      reply: {
        status: 200,
        schema: Joi.object({
          items: Joi.array().items(view).required(),
          nextCursor: Joi.string().allow(null).required(),
        }),
      },
      async handle({ resource: { id: connectionId }, query: { cursor, limit } }) {
        const after = cursor === undefined ? null : positionOf(cursor);
        if (cursor !== undefined && after === null) {
          throw new AppError('unprocessable', 'invalid_cursor', 'this cursor is none that was given');
        }
        const read = await failures.list(connectionId, { after, limit: limit + 1 });
        const items = read.slice(0, limit);
        const last = items.at(-1);
        return { items: items.map(failureView), nextCursor: last && read.length > limit ? cursorOf(last) : null };
      },
    }),
    route<Params, object, object, FetchFailure & { connectionId: string }>({
      host: 'ts',
      method: 'post',
      path: '/invoice-connections/:id/failures/:failureId/retry',
      summary: 'Try again to fetch an invoice that could not be fetched',
      tag,
      access,
      params: Joi.object<Params>({
        id: id.required(),
        failureId: Joi.string()
          .pattern(/^[A-Za-z0-9_-]{1,1100}$/)
          .required(),
      }),
      async load({ params, caller }) {
        const { id: connectionId } = await existing(connections.find(params.id, caller.companyId));
        const failure = await failures.find(connectionId, externalIdOf(params.failureId));
        if (failure) return { ...failure, connectionId };
        throw new AppError('not_found', 'failure_not_found', 'there is no such failure of this connection');
      },
      reply: { status: 202, schema: Joi.object({ ok: Joi.boolean().required() }) },
      async handle({ resource: { connectionId, externalId } }) {
        await jobs.want({ connectionId, externalIds: [externalId], at: now() });
        wakeWorker(connectionId);
        return { ok: true };
      },
    }),
  ];
}
