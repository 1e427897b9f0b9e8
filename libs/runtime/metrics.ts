import { collectDefaultMetrics, Registry } from 'prom-client';

/** The process's metrics, in the form that Prometheus reads (docs/metrics.md). */
export const metrics = new Registry();
/** In ms. The default of 10 would cost each idle process nearly 1 % of a processor. */
const eventLoopMonitoringPrecision = 50;
collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision });
