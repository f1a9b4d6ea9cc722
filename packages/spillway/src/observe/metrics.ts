/**
 * Metrics from the events of the ledger, as they happen: numbers by tool and by how things went,
 * never anything that was captured. What measures is given: a meter of OpenTelemetry, or anything
 * of its shape.
 */

import type { LedgerEvent } from '@spillway/core';
import { numberOf } from '../fields.ts';

/** Labels of a measurement. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Describes an instrument. */
export interface InstrumentOptions {
  /** What it counts, in a sentence. */
  readonly description: string;
  /** A unit of UCUM, such as `By`. */
  readonly unit?: string;
  /** The upper bounds of a histogram's buckets, in its unit. */
  readonly advice?: { readonly explicitBucketBoundaries: number[] };
}

/** What is used of a meter of `@opentelemetry/api`. */
export interface MeterLike {
  /** Makes a counter. */
  createCounter(name: string, options: InstrumentOptions): CounterLike;
  /** Makes a histogram. */
  createHistogram(name: string, options: InstrumentOptions): HistogramLike;
}

/** A sum that only grows. */
export interface CounterLike {
  /** Adds to the sum. */
  add(value: number, attributes: Attributes): void;
}

/** Values and how often they come. */
export interface HistogramLike {
  /** Adds a value. */
  record(value: number, attributes: Attributes): void;
}

/** From 1 KiB to 1 GiB, each four times the last: outputs are of all these sizes. */
const OUTPUT_SIZES = Array.from({ length: 11 }, (_, power) => 1_024 * 4 ** power);

/** Outputs whose projection is still to come; more are not remembered. */
const MOST_OPEN = 10_000;

/** Measures every event it is told; pass it as `onEvent`. */
export function ledgerMetrics(meter: MeterLike): (event: LedgerEvent) => void {
  const counter = (name: string, description: string, unit?: string) =>
    meter.createCounter(`spillway.${name}`, { description, ...(unit === undefined ? {} : { unit }) });
  const outputs = counter('outputs', 'Outputs that were captured.');
  const bytes = counter('output.bytes', 'Bytes that were captured.', 'By');
  const sizes = meter.createHistogram('spillway.output.size', {
    description: 'Bytes of an output.',
    unit: 'By',
    advice: { explicitBucketBoundaries: OUTPUT_SIZES },
  });
  const projections = counter('projections', 'Outputs that were shown, whole or cut.');
  const failures = counter(
    'strategy.failures',
    'Outputs of which plain ends were shown because a strategy failed.',
  );
  const shown = counter('projection.chars', 'Chars that were shown.');
  const saved = counter('chars.saved', 'Chars that were captured but not shown.');
  const fetches = counter('fetches', 'Pages of stored outputs that were fetched.');
  const fetched = counter('fetched.chars', 'Chars that were fetched.');
  const again = counter('reexecutions', 'Calls that were made again with the same input.');
  const notStored = counter('not_stored', 'Outputs that could not be stored.');
  const rendered = counter('rendered_writes', 'Texts of our own that were offered as results of tools.');
  const missing = counter('missing_results', 'Calls that had no result when a request was made.');
  const overflows = counter('overflows_avoided', 'Requests that were refused or reduced to fit the window.');
  const compared = counter('shadow.results', 'Results of which a shadow compared two texts.');
  const lost = counter('shadow.lost.chars', 'Chars of results that the compared old texts do not have.');
  const retired = counter('retired', 'Handles that were retired and outputs that were purged.');
  // Their target is 0, so they are there from the start.
  for (const target of [rendered, missing, overflows]) target.add(0, {});
  const captured = new Map<string, number>();

  const measure: Partial<Record<LedgerEvent['type'], (event: LedgerEvent, tool: string) => void>> = {
    captured({ output = '', data = {} }, tool) {
      outputs.add(1, { tool, status: String(data.status ?? 'ok') });
      bytes.add(numberOf(data.bytes), { tool });
      sizes.record(numberOf(data.bytes), { tool });
      if (captured.size >= MOST_OPEN) captured.clear();
      captured.set(output, numberOf(data.chars));
    },
    projected({ output = '', data = {} }, tool) {
      projections.add(1, { tool, cut: data.cut === true, strategy: String(data.strategy ?? '') });
      if (data.error !== undefined) failures.add(1, { tool, error: String(data.error) });
      shown.add(numberOf(data.chars), { tool });
      saved.add(Math.max(0, (captured.get(output) ?? 0) - numberOf(data.chars)), { tool });
      captured.delete(output);
    },
    fetched({ data = {} }, tool) {
      fetches.add(1, { tool, by: String(data.by ?? '') });
      fetched.add(numberOf(data.chars), { tool });
    },
    reexecuted: ({ data = {} }, tool) => again.add(1, { tool, after_cut: data.cut === true }),
    not_stored: (_, tool) => notStored.add(1, { tool }),
    rendered_write: (_, tool) => rendered.add(1, { tool }),
    missing_result: (_, tool) => missing.add(1, { tool }),
    overflow_avoided: ({ data = {} }) => overflows.add(1, { how: String(data.how ?? '') }),
    compared({ data = {} }, tool) {
      compared.add(1, { tool, differs: data.what !== '' });
      lost.add(numberOf(data.lost_chars), { tool });
    },
    revoked: ({ data = {} }) => retired.add(numberOf(data.outputs), { how: 'revoked' }),
    purged: ({ data = {} }) => retired.add(numberOf(data.outputs ?? 1), { how: 'purged' }),
  };
  return (event) => measure[event.type]?.(event, event.tool ?? '');
}
