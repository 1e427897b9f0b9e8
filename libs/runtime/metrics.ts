import { collectDefaultMetrics, Gauge, Histogram, Registry, type RegistryContentType, register } from 'prom-client';
import { currentIds, type SpanIds } from './tracing/index.ts';
import { withTimeout } from './with-timeout.ts';

/** The process's metrics (docs/metrics.md), in the OpenMetrics format: Prometheus's older one has no exemplars. */
export const metrics: Registry<RegistryContentType> = register;
metrics.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
/** In ms. The default of 10 would cost each idle process nearly 1 % of a processor. */
const eventLoopMonitoringPrecision = 50;
collectDefaultMetrics({ eventLoopMonitoringPrecision });

/** Buckets in seconds, from 5 ms to the 10 s of a timeout. */
export const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type DurationHistogram<Label extends string> = {
  /** `ids`: the span in which it was measured, by default the current one. */
  observe(labels: Partial<Record<Label, string | number>>, seconds: number, ids?: SpanIds | null): void;
};

type HistogramOptions<Label extends string> = {
  name: string;
  help: string;
  labelNames?: readonly Label[];
  /** `durationBuckets` by default. */
  buckets?: number[];
};

/** A histogram of seconds. Each bucket names the trace of its newest value as an exemplar, if that trace is recorded. */
export function durationHistogram<Label extends string = never>(
  options: HistogramOptions<Label>,
): DurationHistogram<Label> {
  const { labelNames = [], buckets = durationBuckets, ...named } = options;
  const histogram = new Histogram({ ...named, labelNames, buckets, enableExemplars: true });
  return {
    observe(labels, value, ids = currentIds()) {
      const exemplarLabels = ids ? { trace_id: ids.trace_id } : {};
      histogram.observe({ labels, value, exemplarLabels } as Parameters<typeof histogram.observe>[0]);
    },
  };
}

type ScrapedGauge<Label extends string> = {
  name: string;
  help: string;
  labelNames?: readonly Label[];
  /** Reads the present values. It runs at each scrape, so its queries must be bounded. */
  read(): Promise<{ labels?: Partial<Record<Label, string>>; value: number }[]>;
};

const readWithinMs = 2_000;

/**
 * A gauge that is read from the database when Prometheus asks. A value that cannot be read within 2 s is NaN, or missing if there are
 * labels; the other metrics are not affected. A gauge of the same name is replaced.
 */
export function gaugeOnScrape<Label extends string = never>(gauge: ScrapedGauge<Label>): void {
  const { name, help, labelNames = [], read } = gauge;
  metrics.removeSingleMetric(name);
  new Gauge<Label>({
    name,
    help,
    labelNames,
    async collect() {
      const values = await withTimeout(read(), { ms: readWithinMs, what: name }).catch(() => null);
      this.reset();
      if (values === null && labelNames.length === 0) this.set(Number.NaN);
      for (const { labels, value } of values ?? []) this.set(labels ?? {}, value);
    },
  });
}
