/**
 * The public surface of `spillway/observe`: logs, metrics and spans of what happens. Apart from the rest,
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
export {
  ledgerSpans,
  type SpanLike,
  type SpanOptions,
  type SpanOptionsLike,
  type TracerLike,
} from './spans.ts';
