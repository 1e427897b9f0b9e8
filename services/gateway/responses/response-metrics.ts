import type { IncomingMessage, ServerResponse } from 'node:http';
import { durationHistogram } from '@app/runtime';
import type { RequestSpan } from '@app/runtime/tracing';

const durations = durationHistogram({
  name: 'gateway_request_duration_seconds',
  help: 'Time to answer a request, by the service that answers, its route and the status',
  labelNames: ['method', 'service', 'route', 'status'],
});

type Answered = {
  req: IncomingMessage;
  res: ServerResponse;
  /** A service, or the gateway itself. */
  service: string;
  /** The pattern of the path; null if no service has it. */
  route: string | null;
  /** In ms, by `performance.now()`. */
  startedAt: number;
  span: RequestSpan;
};

/** Measures a response that was sent, with its trace as an exemplar. */
export function measureResponse({ req, res, service, route, startedAt, span }: Answered): void {
  const labels = { method: req.method ?? '', service, route: route ?? '', status: res.statusCode };
  durations.observe(labels, (performance.now() - startedAt) / 1000, span.ids);
}
