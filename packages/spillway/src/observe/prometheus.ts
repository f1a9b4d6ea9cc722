/**
 * Metrics for Prometheus: a small server with `/metrics`, or a handler for a server that is there.
 * The server listens on this machine only, unless told. A request to it must name this machine as
 * its host, so that a web page cannot read it under a name that it made point here.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { LedgerEvent } from '@spillway/core';
import { isLoopback, listening, namesLoopback } from '../loopback.ts';
import { ledgerMetrics } from './metrics.ts';
import { PROMETHEUS_CONTENT_TYPE, prometheusMeter } from './prometheus-meter.ts';

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
