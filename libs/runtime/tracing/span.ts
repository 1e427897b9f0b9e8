import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

export type { Span } from '@opentelemetry/api';

/** Without `startTracing` these functions do nothing: only OpenTelemetry's API is loaded. */
const tracer = trace.getTracer('facility-platform');

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

export type SpanOptions = {
  /** One of few values: it never contains an id. */
  name: string;
  /** `internal` by default. */
  kind?: keyof typeof kinds;
  /**
   * Names by OpenTelemetry's semantic conventions; our own begin with `app.`. Values may be ids, but nothing that
   * people wrote.
   */
  attributes?: Attributes;
  /** W3C `traceparent` of the parent; by default the current span. */
  parent?: string | undefined;
  /** W3C `traceparent` of an earlier cause: the span begins a trace of its own with a link to that one. */
  follows?: string | undefined;
};

/** Whether spans are recorded anywhere. */
export function isTracing(): boolean {
  return propagation.fields().length > 0;
}

/** Runs work in a span that ends with it. If the work fails, the span says so with the code of the error. */
export function inSpan<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { parent, follows } = options;
  const before = follows === undefined ? contextFrom(parent) : ROOT_CONTEXT;
  const span = start(options, before, follows === undefined ? [] : linksTo([remoteContext(follows)]));
  return runIn(span, before, work);
}

/**
 * Starts a child of the current span, for work that is not a promise; the caller ends it. Null if the current span is
 * not recorded.
 */
export function startChildSpan(options: Omit<SpanOptions, 'parent' | 'follows'>): Span | null {
  return trace.getActiveSpan()?.isRecording() ? start(options, context.active(), []) : null;
}

/** Marks a span as failed. `type` has few values: a code, never a message. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The trace context of a caller that waits for a batch. */
export type BatchMember = Context;

/** Call it when the caller begins to wait. */
export function batchMember(): BatchMember {
  return context.active();
}

/**
 * Runs the work of several callers in one span: a child of the first caller that is recorded, with links to the
 * others. A single caller needs no span.
 */
export function inBatchSpan<T>(name: string, members: readonly BatchMember[], work: () => Promise<T>): Promise<T> {
  const recorded = members.filter((member) => trace.getSpan(member)?.isRecording());
  const [first = ROOT_CONTEXT, ...others] = recorded;
  if (members.length === 1 || first === ROOT_CONTEXT) return context.with(first, work);
  const attributes = { 'app.batch_size': members.length };
  return runIn(start({ name, attributes }, first, linksTo(others)), first, work);
}

/** Runs work outside the current span: a loop, a timer, or the claim of other work that the span only triggered. */
export function detached<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

/** The current span as a W3C `traceparent`; undefined if there is none. */
export function currentTraceparent(): string | undefined {
  return traceHeaders()['traceparent'];
}

/** The headers by which a callee continues the trace of this span, by default the current one; none without tracing. */
export function traceHeaders(span?: Span | null): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(span ? trace.setSpan(context.active(), span) : context.active(), headers);
  return headers;
}

/** As logs and exemplars name a span. */
export type SpanIds = { trace_id: string; span_id: string };

/** The ids of the current span; null if there is none, or it is not recorded. */
export function currentIds(): SpanIds | null {
  const span = trace.getActiveSpan();
  return span ? idsOf(span) : null;
}

/** The ids of a span; null if it is not recorded. */
export function idsOf(span: Span): SpanIds | null {
  if (!span.isRecording()) return null;
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}

function start({ name, kind = 'internal', attributes = {} }: SpanOptions, parent: Context, links: Link[]): Span {
  return tracer.startSpan(name, { kind: kinds[kind], attributes, links }, parent);
}

function runIn<T>(span: Span, before: Context, work: (span: Span) => Promise<T>): Promise<T> {
  return context.with(trace.setSpan(before, span), async () => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, errorType(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

function errorType(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'error');
}

function contextFrom(traceparent: string | undefined): Context {
  return traceparent === undefined ? context.active() : remoteContext(traceparent);
}

function remoteContext(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

function linksTo(contexts: readonly Context[]): Link[] {
  return contexts.flatMap((one) => {
    const linked = trace.getSpanContext(one);
    return linked && isSpanContextValid(linked) ? [{ context: linked }] : [];
  });
}
