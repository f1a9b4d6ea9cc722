/**
 * Metrics for Prometheus: a small server with `/metrics`, or a handler for a server that is there. Made with OpenTelemetry's own meter and exporter. Listens on this machine only,
 * unless told.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { LedgerEvent } from '@spillway/core';
import { ledgerMetrics } from './metrics.ts';

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
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    exporter.getMetricsRequestHandler(request, response);
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url?.split('?')[0] === '/metrics')
      return handle(request, response);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Metrics are at /metrics.\n');
  });
  return {
    note: ledgerMetrics(provider.getMeter('spillway')),
    handle,
    async serve({ port, host = LOCAL }) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, host, resolve);
      });
      // Metrics are no reason to go on when everything else has ended.
      server.unref();
      const { port: listening } = server.address() as AddressInfo;
      return { url: `http://${host}:${listening}/metrics` };
    },
    async close() {
      await new Promise((resolve) => server.close(resolve));
      await provider.shutdown();
    },
  };
}
