import { collectDefaultMetrics, Registry } from 'prom-client';

/** The process's metrics, in the form that Prometheus reads (docs/metrics.md). */
export const metrics = new Registry();
/** Every 10 ms, the library's own default, would cost each idle process nearly 1 % of a processor; no lag below 50 ms is worth a look. */
const eventLoopMonitoringPrecision = 50;
collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision });
