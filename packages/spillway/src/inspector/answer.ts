/**
 * Answers of the inspector: JSON, lines of JSON, bytes, files. Every one carries the same headers:
 * nothing is sniffed, the page may load and run its own files only, and nothing is cached but files
 * whose name changes with their content.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { PageFile } from './page-files.ts';
import type { Problem } from './problem.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

/** What a handler answers with, beside plain data, which becomes JSON: lines of JSON, or bytes. */
export interface Lines<T = unknown> {
  readonly jsonLines: AsyncIterable<T>;
}
/** A line that tells how far the work is: bytes that have been read, of how many. */
export interface Progress {
  readonly type: 'progress';
  readonly done: number;
  readonly of: number;
}
export interface Bytes {
  readonly rawBytes: AsyncIterable<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
}

export function setHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

export function sendProblem(response: ServerResponse, problem: Problem): void {
  sendJson(response, problem.status, problem.answer);
}

/** Files with a hash in their name are kept by the browser, and compressed unless they are fonts. */
export function sendFile(response: ServerResponse, { type, body, isFixed }: PageFile, status = 200): void {
  const { method, headers } = response.req;
  const isZipped =
    isFixed && !type.startsWith('font/') && /\bgzip\b/.test(String(headers['accept-encoding']));
  const sent = isZipped ? gzipSync(body) : body;
  response.writeHead(status, {
    'content-type': type,
    'content-length': sent.length,
    ...(isFixed ? { 'cache-control': 'private, max-age=31536000, immutable', vary: 'accept-encoding' } : {}),
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(method === 'HEAD' ? undefined : sent);
}

/** Sends as fast as it is read; whoever goes away ends the work. */
export async function sendStream(response: ServerResponse, streamed: Lines | Bytes): Promise<void> {
  if ('jsonLines' in streamed) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
    for await (const item of streamed.jsonLines) await write(response, `${JSON.stringify(item)}\n`);
  } else {
    response.writeHead(200, streamed.headers);
    for await (const chunk of streamed.rawBytes) await write(response, chunk);
  }
  response.end();
}

const PROGRESS_MS = 100;

/** Waits for work, and tells now and then how far it is. */
export async function* withProgress<T>(
  work: Promise<T>,
  of: number,
  done: () => number,
): AsyncGenerator<Progress, T> {
  for (let reported = 0; ; reported = done()) {
    if (await Promise.race([work.then(() => true), delay(PROGRESS_MS, false)])) return work;
    if (done() > reported) yield { type: 'progress', done: done(), of };
  }
}

async function write(response: ServerResponse, chunk: string | Uint8Array): Promise<void> {
  if (response.destroyed) throw new DOMException('The reader has gone.', 'AbortError');
  if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
}
