// Traces are made where they enter, leave or wait, by calls to this folder. OpenTelemetry's instrumentations need a loader hook for ES
// modules in every command line, and do not know the outbox. Spans hold ids, routes and codes, never paths or queries: those may hold
// what people wrote.
export { type RequestSpan, startRequestSpan } from './request-span.ts';
export {
  type BatchMember,
  batchMember,
  currentIds,
  currentTraceparent,
  detached,
  failSpan,
  inBatchSpan,
  inSpan,
  isTracing,
  type Span,
  type SpanIds,
  type SpanOptions,
  startChildSpan,
  traceHeaders,
} from './span.ts';
export { startTracing } from './start-tracing.ts';
