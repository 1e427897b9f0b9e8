import { randomUUID } from 'node:crypto';
import { context, propagation, TraceFlags, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseKeyPairsIntoRecord, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

export type TracingOptions = {
  /** `service.name` of every span. */
  service: string;
  version: string;
  /** Base address of a collector (OTLP over HTTP), `http://collector:4318`; spans are POSTed to `/v1/traces` there. */
  endpoint: string;
  /** Headers of each export, `name=value,name=value`: a collector may want a key. */
  headers?: string | undefined;
  /** The share of the traces begun here that is recorded, 0 to 1. */
  sampledShare: number;
  /** Called if spans could not be sent and are lost; at most once a minute. */
  onLost: (reason: string) => void;
};

/** Spans that wait to be sent, some 2 KB each; more are dropped. */
const maxQueueSize = 4_096;
const sendEveryMs = 1_000;
const sendTimeoutMs = 5_000;
const lostReportedEveryMs = 60_000;

/** Makes the SDK record the spans of this process; see `startTracing`. */
export function registerSdk(options: TracingOptions): () => Promise<void> {
  const { service, version, endpoint, headers = '', sampledShare, onLost } = options;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`,
    headers: parseKeyPairsIntoRecord(headers),
    timeoutMillis: sendTimeoutMs,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': service,
        'service.version': version,
        'service.instance.id': randomUUID(),
      }),
    ),
    sampler: new ParentBasedSampler({ root: new LinkSampler(new TraceIdRatioBasedSampler(sampledShare)) }),
    spanLimits: { attributeValueLengthLimit: 500, attributeCountLimit: 32, linkCountLimit: 32 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendTimeoutMs,
      }),
    ],
  });
  let reportedAt = Number.NEGATIVE_INFINITY;
  setGlobalErrorHandler((error) => {
    if (performance.now() - reportedAt < lostReportedEveryMs) return;
    reportedAt = performance.now();
    onLost(error instanceof Error ? error.message : String(error));
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
}

/** Records a trace if the trace that it links to was recorded. Without a link, `other` decides. */
class LinkSampler implements Sampler {
  readonly #other: Sampler;

  constructor(other: Sampler) {
    this.#other = other;
  }

  shouldSample(...args: Parameters<Sampler['shouldSample']>): ReturnType<Sampler['shouldSample']> {
    const links = args[5];
    if (links.length === 0) return this.#other.shouldSample(...args);
    const isRecorded = links.some((link) => (link.context.traceFlags & TraceFlags.SAMPLED) !== 0);
    return { decision: isRecorded ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `LinkSampler{${this.#other}}`;
  }
}
