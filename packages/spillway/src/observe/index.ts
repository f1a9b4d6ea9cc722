/**
 * The public surface of `spillway/observe`: logs and metrics of what happens. Apart from the rest,
 * because what measures is large.
 */
export { type EventLog, type EventLogOptions, eventLog } from './log.ts';
export {
  type Attributes,
  type CounterLike,
  type HistogramLike,
  type InstrumentOptions,
  ledgerMetrics,
  type MeterLike,
} from './metrics.ts';
export { type PrometheusMetrics, prometheusMetrics } from './prometheus.ts';
