import { collectDefaultMetrics, Registry } from 'prom-client';

/** The process's metrics, in the form that Prometheus reads (docs/metrics.md). */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics });
