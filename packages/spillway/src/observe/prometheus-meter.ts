/**
 * A meter whose numbers are read as Prometheus text (exposition format 0.0.4). It knows what the
 * ledger's metrics need: sums that only grow, and histograms with fixed bounds.
 * Each instrument holds at most `MAX_SERIES` sets of labels. Later ones are counted together, so
 * that a peer with endless tool names cannot fill the memory.
 */
import type { Attributes, InstrumentOptions, MeterLike } from './metrics.ts';

/** The content type of the text. */
export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const MAX_SERIES = 2_000;
/** The label that OpenTelemetry gives to the series that counts what is over the limit. */
const OVERFLOW: Attributes = { otel_metric_overflow: true };
const DEFAULT_BOUNDS = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

export interface PrometheusMeter extends MeterLike {
  /** Everything that was measured so far, as Prometheus reads it. */
  text(): string;
}

/** `labels` describe the whole program, in the family `target_info`. */
export function prometheusMeter(labels: Attributes): PrometheusMeter {
  const families: (() => string[])[] = [
    () => [
      '# HELP target_info Target metadata',
      '# TYPE target_info gauge',
      sample('target_info', labels, 1),
    ],
  ];
  return {
    createCounter(name, options) {
      const family = `${familyName(name)}_total`;
      const sums = new Series(() => ({ sum: 0 }));
      families.push(() => [
        ...head(family, 'counter', options),
        ...sums.all().map(([attributes, { sum }]) => sample(family, attributes, sum)),
      ]);
      return {
        add(value, attributes) {
          sums.of(attributes).sum += value;
        },
      };
    },
    createHistogram(name, options) {
      const family = familyName(name);
      const bounds = options.advice?.explicitBucketBoundaries ?? DEFAULT_BOUNDS;
      const series = new Series(() => ({ sum: 0, counts: new Array<number>(bounds.length + 1).fill(0) }));
      families.push(() => [
        ...head(family, 'histogram', options),
        ...series.all().flatMap(([attributes, held]) => histogram(family, attributes, bounds, held)),
      ]);
      return {
        record(value, attributes) {
          const held = series.of(attributes);
          const over = bounds.findIndex((bound) => value <= bound);
          const index = over < 0 ? bounds.length : over;
          held.sum += value;
          held.counts[index] = (held.counts[index] ?? 0) + 1;
        },
      };
    },
    text: () => `${families.flatMap((lines) => lines()).join('\n')}\n`,
  };
}

/** What is held for each set of labels. */
class Series<Held> {
  readonly #held = new Map<string, readonly [Attributes, Held]>();
  readonly #empty: () => Held;

  constructor(empty: () => Held) {
    this.#empty = empty;
  }

  of(attributes: Attributes): Held {
    const key = JSON.stringify(Object.entries(attributes).sort());
    const found = this.#held.get(key);
    if (found !== undefined) return found[1];
    if (this.#held.size >= MAX_SERIES && attributes !== OVERFLOW) return this.of(OVERFLOW);
    const held = this.#empty();
    this.#held.set(key, [attributes, held]);
    return held;
  }

  all(): (readonly [Attributes, Held])[] {
    return [...this.#held.values()];
  }
}

interface HistogramState {
  readonly sum: number;
  readonly counts: readonly number[];
}

/** Counts of a histogram are cumulative: each includes all smaller values. */
function histogram(
  family: string,
  attributes: Attributes,
  bounds: readonly number[],
  { sum, counts }: HistogramState,
): string[] {
  let count = 0;
  const buckets = counts.map((own, index) => {
    count += own;
    return sample(`${family}_bucket`, { ...attributes, le: String(bounds[index] ?? '+Inf') }, count);
  });
  return [...buckets, sample(`${family}_sum`, attributes, sum), sample(`${family}_count`, attributes, count)];
}

/** `spillway.output.bytes` becomes `spillway_output_bytes`. */
function familyName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_:]/g, '_');
}

function head(family: string, type: string, { description }: InstrumentOptions): string[] {
  const help = description.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return [`# HELP ${family} ${help}`, `# TYPE ${family} ${type}`];
}

function sample(name: string, attributes: Attributes, value: number): string {
  const labels = Object.entries(attributes).map(([key, label]) => `${key}="${escapeLabel(String(label))}"`);
  return `${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${value}`;
}

function escapeLabel(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
