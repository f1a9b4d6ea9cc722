/**
 * Who is told what happens, by the environment: `SPILLWAY_LOG` (a level) and `SPILLWAY_LOG_FILE`
 * for logs; in programs that run long, `SPILLWAY_METRICS_PORT` and `SPILLWAY_METRICS_HOST` for
 * Prometheus, and OpenTelemetry where the host has set it up. Nothing is loaded that is not asked
 * for.
 */

import { type LedgerEvent, SpillwayError } from '@spillway/core';
import { didYouMean } from '@spillway/core/plugin';
import { portOf } from '../loopback.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Observers {
  readonly note: (event: LedgerEvent) => void;
  close(): Promise<void>;
}

/** How long the program is going to run. */
type Stay = 'short' | 'long';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export async function observersOf(env: Environment, stay: Stay): Promise<Observers> {
  const found = [
    await logOf(env),
    ...(stay === 'long' ? [await prometheusOf(env), await openTelemetry()] : []),
  ];
  const observers = found.filter((one) => one !== null);
  return {
    note(event) {
      for (const { note } of observers) {
        try {
          note(event);
        } catch {
          // A failing observer, such as a log on a full disk, must not fail the call.
        }
      }
    },
    async close() {
      for (const { close } of observers)
        await Promise.resolve()
          .then(close)
          .catch(() => undefined);
    },
  };
}

interface Observer {
  readonly note: (event: LedgerEvent) => void;
  readonly close: () => Promise<void> | void;
}

async function logOf({
  SPILLWAY_LOG: asked = '',
  SPILLWAY_LOG_FILE: file = '',
}: Environment): Promise<Observer | null> {
  if (asked === '') return null;
  const level = LEVELS.find((one) => one === asked);
  if (level === undefined)
    throw new SpillwayError(
      'invalid_policy',
      `SPILLWAY_LOG is one of ${LEVELS.join(', ')}.${didYouMean(asked, LEVELS)}`,
    );
  const { eventLog } = await import('./log.ts');
  return eventLog({ level, ...(file === '' ? {} : { file }) });
}

async function prometheusOf({
  SPILLWAY_METRICS_PORT: asked = '',
  SPILLWAY_METRICS_HOST: host = '',
}: Environment): Promise<Observer | null> {
  if (asked === '') return null;
  const port = portOf(asked);
  if (port === null)
    throw new SpillwayError(
      'invalid_policy',
      'SPILLWAY_METRICS_PORT is a number up to 65535; 0 is any that is free.',
    );
  const { prometheusMetrics } = await import('./prometheus.ts');
  const metrics = prometheusMetrics();
  await metrics.serve({ port, ...(host === '' ? {} : { host }) }).catch((error: NodeJS.ErrnoException) => {
    throw new SpillwayError(
      'invalid_policy',
      `Metrics cannot be served on port ${port} (${error.code}): set SPILLWAY_METRICS_PORT to one that is free.`,
    );
  });
  return metrics;
}

/** The meter and the tracer of the host's OpenTelemetry. A host that has none did not install its API. */
async function openTelemetry(): Promise<Observer | null> {
  // Bundlers leave it alone, as they must where it is not installed.
  const api = await import(/* webpackIgnore: true */ '@opentelemetry/api').catch(() => null);
  if (api === null) return null;
  const { metrics, trace } = api;
  const { ledgerMetrics } = await import('./metrics.ts');
  const { ledgerSpans } = await import('./spans.ts');
  const [measure, span] = [
    ledgerMetrics(metrics.getMeter('spillway')),
    ledgerSpans(trace.getTracer('spillway')),
  ];
  return {
    note(event) {
      measure(event);
      span(event);
    },
    close() {},
  };
}
