/**
 * Metrics for Prometheus: a small server with `/metrics`, or a handler for a server that is there.
 * The server listens on this machine only, unless told. A request to it must name this machine as
 * its host, so that a web page cannot read it under a name that it made point here.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { LedgerEvent } from '@spillway/core';
import { isLoopback, listening, namesLoopback } from '../loopback.ts';
import { type Attributes, type InstrumentOptions, ledgerMetrics, type MeterLike } from './metrics.ts';

const LOCAL = '127.0.0.1';

/** Metrics that Prometheus can read. */
export interface PrometheusMetrics {
  /** Measures an event; pass it as `onEvent`. */
  readonly note: (event: LedgerEvent) => void;
  /** Answers a request for the metrics, on a server of the caller's. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Starts a server of its own with `/metrics`; port 0 is any that is free. */
  serve(where: { readonly port: number; readonly host?: string }): Promise<{ readonly url: string }>;
  /** Ends the server and the measuring. */
  close(): Promise<void>;
}

/** Begins to measure. */
export function prometheusMetrics(): PrometheusMetrics {
  const meter = prometheusMeter({ service_name: 'spillway' });
  const handle = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': PROMETHEUS_CONTENT_TYPE }).end(meter.text());
  };
  let local = true;
  const server = createServer((request, response) => {
    const refuse = (status: number, why: string) =>
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`${why}\n`);
    if (local && !namesLoopback(request.headers.host)) return refuse(403, 'This host is not served here.');
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics')
      return refuse(404, 'Metrics are at /metrics.');
    return handle(request, response);
  });
  return {
    note: ledgerMetrics(meter),
    handle,
    async serve({ port, host = LOCAL }) {
      local = isLoopback(host);
      const own = await listening(server, port, host);
      // Metrics are no reason to go on when everything else has ended.
      server.unref();
      return { url: `http://${host}:${own}/metrics` };
    },
    async close() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// A meter whose numbers are read as Prometheus text (exposition format 0.0.4). It knows what the
// ledger's metrics need: sums that only grow, and histograms with fixed bounds. Each instrument
// holds at most `MAX_SERIES` sets of labels. Later ones are counted together, so that a peer with
// endless tool names cannot fill the memory.

/** The content type of the text. */
const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

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
