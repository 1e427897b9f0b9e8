import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { failSpan, idsOf } from './span.ts';

/** The span of a request that is answered. */
export type RequestSpan = ReturnType<typeof startRequestSpan>;

const tracer = trace.getTracer('facility-platform');

/**
 * Starts the span of a request, which continues the trace of its caller (W3C `traceparent`) and ends with its response. It holds no
 * path and no query: they may hold private data.
 */
export function startRequestSpan(req: IncomingMessage, res: ServerResponse) {
  const { method = 'GET' } = req;
  const caller = propagation.extract(ROOT_CONTEXT, req.headers);
  const attributes = { 'http.request.method': method, 'network.protocol.version': req.httpVersion };
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, caller);
  const inside = trace.setSpan(caller, span);
  if (span.isRecording()) {
    res.once('close', () => {
      // 499, as nginx has it: the client left before there was a response.
      const status = res.headersSent ? res.statusCode : 499;
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) failSpan(span, String(status));
      span.end();
    });
  }
  return {
    /** Runs the handling of the request; spans made in it become children of this one. */
    run: <T>(work: () => T): T => context.with(inside, work),
    /** The pattern of its path, once it is known: the span is named by it. */
    setRoute(pattern: string): void {
      span.updateName(`${method} ${pattern}`);
      span.setAttribute('http.route', pattern);
    },
    setAttribute: (name: string, value: string): void => void span.setAttribute(name, value),
    /** As logs name it; null if it is not recorded. */
    ids: idsOf(span),
  };
}
