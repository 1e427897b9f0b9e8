import { durationBuckets, metrics } from '@app/runtime';
import type { Response } from 'express';
import { Histogram } from 'prom-client';

const requests = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time to answer a request, by route and status',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: durationBuckets,
  registers: [metrics],
});

/** Measures the response being written to `res`. `route` is the pattern of the path, so that ids create no new series. */
export function observe(res: Response, route: string): void {
  const started = performance.now();
  res.on('finish', () => {
    requests.observe({ method: res.req.method, route, status: res.statusCode }, (performance.now() - started) / 1000);
  });
}
