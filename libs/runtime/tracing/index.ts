// Why it is so: docs/decisions/traces-at-our-own-seams.md
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
