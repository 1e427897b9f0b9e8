import { oneOf } from '@app/contracts';
import { answer, moment, type Route, route } from '@app/http';
import { ValidationError } from '@app/kernel';
import Joi from 'joi';

import { endpointErrors, endpointParams, endpointRouteBase, loadEndpoint } from '../endpoints/endpoint-routes.ts';
import type { EndpointStore } from '../endpoints/endpoint-store.ts';
import {
  type BucketName,
  bucketsMs,
  countPoints,
  maxPoints,
  periodStart,
  pointsOf,
  storedPeriodFor,
} from './attempt-statistics.ts';
import type { AttemptStatisticsStore } from './attempt-statistics-store.ts';

type StatisticsRouteDeps = {
  endpoints: Pick<EndpointStore, 'find'>;
  statistics: Pick<AttemptStatisticsStore, 'list'>;
  now: () => Date;
};

const dayMs = 24 * 3600_000;

type Query = { since?: Date; until?: Date; bucket: BucketName };
const query = Joi.object<Query>({
  since: moment.description('an ISO date or milliseconds; a day ago by default'),
  until: moment.description('the same; now by default'),
  bucket: oneOf(Object.keys(bucketsMs))
    .default('1h')
    .description('the length of a period; its start is a multiple of it, in UTC'),
});

const point = answer({
  at: Joi.string().isoDate().description('the start of the period'),
  succeeded: Joi.number().description('attempts that were answered 2xx'),
  failed: Joi.number().description('attempts that failed, with another to follow'),
  exhausted: Joi.number().description('attempts that failed as the last one of their delivery'),
  p95Ms: Joi.number()
    .allow(null)
    .description('95 % of the attempts were as quick, or up to a fifth quicker; null without any'),
});

export function statisticsRoutes({ endpoints, statistics, now }: StatisticsRouteDeps): Route[] {
  return [
    route({
      ...endpointRouteBase,
      method: 'get',
      path: '/webhooks/endpoints/:id/stats',
      summary: 'Attempts of an endpoint over time',
      description: `Attempts, tests left out, of each period, those without any too: at most ${maxPoints} periods, of the last 90 days. They are counted once a second, from this release on.`,
      errors: endpointErrors,
      params: endpointParams,
      load: loadEndpoint(endpoints),
      query,
      reply: { status: 200, schema: Joi.array().items(point) },
      async handle({ resource: endpoint, query: { bucket, since: given, until = now() } }) {
        const since = given ?? new Date(until.getTime() - dayMs);
        const bucketMs = bucketsMs[bucket];
        const range = { since, until, bucketMs };
        if (countPoints(range) > maxPoints) {
          const message = `"bucket" is too short: from since until until there are more than ${maxPoints}`;
          throw new ValidationError([{ path: 'bucket', message }]);
        }
        const periodMs = storedPeriodFor(bucketMs);
        const from = periodStart(since, bucketMs);
        const stored = await statistics.list({ endpointId: endpoint.id, periodMs }, { since: from, until });
        return pointsOf(stored, range).map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts }));
      },
    }),
  ];
}
