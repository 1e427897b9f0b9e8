import { durationHistogram } from '@app/runtime';
import { currentIds } from '@app/runtime/tracing';
import type { Response } from 'express';

const requests = durationHistogram({
  name: 'http_request_duration_seconds',
  help: 'Time to answer a request, by route and status',
  labelNames: ['method', 'route', 'status'],
});

/** Measures the response being written to `res`. `route` is the pattern of the path, so that ids create no new series. */
export function observe(res: Response, route: string): void {
  const started = performance.now();
  const ids = currentIds();
  res.on('finish', () => {
    // A stream lasts as long as somebody listens.
    if (res.getHeader('content-type') === 'text/event-stream') return;
    const seconds = (performance.now() - started) / 1000;
    requests.observe({ method: res.req.method, route, status: res.statusCode }, seconds, ids);
  });
}
