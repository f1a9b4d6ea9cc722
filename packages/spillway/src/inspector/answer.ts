/**
 * Answers of the inspector: JSON, lines of JSON, bytes, files, refusals. Every one carries the same
 * headers: nothing is sniffed, the page may load and run its own files only, and nothing is cached
 * but files whose name changes with their content. The files of the built page are read once and
 * served by their names, so that no path can lead out of their folder.
 */

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { SpillwayError } from '@spillway/core';
import { wholeOf } from '../byte-source.ts';
import { isFields, jsonIn } from '../fields.ts';

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

const STATUS = {
  invalid_argument: 400,
  invalid_policy: 400,
  not_started: 401,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  changed: 409,
  gone: 410,
  too_large: 413,
  too_often: 429,
  corrupt: 500,
  failed: 500,
  store_unavailable: 503,
};

export type ProblemCode = keyof typeof STATUS;

/** What every refusal looks like. `message` is a sentence for people. */
export interface ApiProblem {
  readonly error: {
    readonly code: ProblemCode;
    readonly message: string;
    /** Of a purged output (410). */
    readonly purged_at?: number;
  };
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly purgedAt: number | undefined;

  constructor(code: ProblemCode, message: string, purgedAt?: number) {
    super(message);
    this.code = code;
    this.purgedAt = purgedAt;
  }

  get status(): number {
    return STATUS[this.code];
  }

  get answer(): ApiProblem {
    const { code, message, purgedAt } = this;
    return { error: { code, message, ...(purgedAt === undefined ? {} : { purged_at: purgedAt }) } };
  }
}

/** What a failure is for the page: sentences of ours are passed on, others are not. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof SpillwayError))
    return new Problem('failed', 'Something went wrong in the inspector.');
  const { code, message } = error;
  if (code === 'invalid_id') return new Problem('invalid_argument', message);
  if (code === 'conflict') return new Problem('changed', message);
  return code in STATUS ? new Problem(code as ProblemCode, message) : new Problem('failed', message);
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
};

const NOT_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Spillway</title></head><body>
<h1>Spillway inspector</h1><p>The page of the inspector was not built. In a checkout, run <code>npm run build</code>, then load this page again.</p></body></html>
`;

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** Its name holds a hash of its content: browsers may keep it. */
  readonly isFixed: boolean;
}

export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(folder: string) {
    this.#files = filesIn(folder);
  }

  /** A file of the page by its path, as requests name it. */
  find(path: string): PageFile | undefined {
    return path === '/index.html' ? undefined : this.#files.get(path);
  }

  /** The page itself, with tags added to its head. */
  page(meta: Readonly<Record<string, string>> = {}): PageFile {
    const html = this.#files.get('/index.html')?.body.toString('utf8') ?? NOT_BUILT;
    const tags = Object.entries(meta).map(
      ([name, content]) => `<meta name="${name}" content="${inHtml(content)}">`,
    );
    return {
      type: TYPES['.html'] ?? '',
      isFixed: false,
      body: Buffer.from(html.replace('</head>', () => `${tags.join('')}</head>`)),
    };
  }
}

function filesIn(folder: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) return [];
    const address = `/${relative(folder, path).split(sep).join('/')}`;
    return [[address, { type, body: readFileSync(path), isFixed: address.startsWith('/assets/') }] as const];
  });
  return new Map(files);
}

export function inHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

// A request to the API as its handlers see it: parsed once, at the edge. A handler describes its
// body as a `Shape`; the server checks bodies by it, and the page is typed by it.

const MOST_JSON_BYTES = 1024 * 1024;

/** A test of one field, and what the field must be in words. */
export interface Check<T> {
  readonly what: string;
  readonly is: (value: unknown) => value is T;
}

export type Shape = Readonly<Record<string, Check<unknown>>>;
export type BodyOf<S> = { readonly [K in keyof S]: S[K] extends Check<infer T> ? T : never };

export class ApiRequest<S = Shape> {
  /** What stands in the place of `:id` in the path of the route. */
  readonly id: string;
  readonly signal: AbortSignal;
  readonly #query: URLSearchParams;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, query: URLSearchParams, id: string, signal: AbortSignal) {
    this.#request = request;
    this.#query = query;
    this.id = id;
    this.signal = signal;
  }

  text(name: string): string | undefined {
    return this.#query.get(name) || undefined;
  }

  /** A text to look for, on one line. */
  sought(): string {
    const text = this.text('q');
    if (text !== undefined && !/[\r\n]/.test(text)) return text;
    throw new Problem('invalid_argument', 'q takes the text to look for, on one line.');
  }

  number(name: string, least: number, most: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new Problem('invalid_argument', `${name} takes a whole number from ${least} to ${most}.`);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = values.find((value) => value === text);
    if (found !== undefined) return found;
    throw new Problem('invalid_argument', `${name} takes one of ${values.join(', ')}.`);
  }

  /** The part that a route of an output needs. */
  part(): number {
    const part = this.number('part', 0, 1e9);
    if (part === undefined) throw new Problem('invalid_argument', 'part takes the index of a part.');
    return part;
  }

  async body(shape: S): Promise<BodyOf<S>> {
    if (!/^application\/json\b/i.test(this.#request.headers['content-type'] ?? ''))
      throw new Problem('invalid_argument', 'The body must be application/json.');
    const given = jsonIn((await this.bytes(MOST_JSON_BYTES)).toString('utf8'));
    if (!isFields(given)) throw new Problem('invalid_argument', 'The body must be a JSON object.');
    const fields = Object.entries(shape as Shape).map(([name, { is, what }]) => {
      if (is(given[name])) return [name, given[name]];
      throw new Problem('invalid_argument', `${name} must be ${what}.`);
    });
    return Object.fromEntries(fields) as BodyOf<S>;
  }

  async bytes(most: number): Promise<Buffer> {
    const bytes = await wholeOf(this.#request, most);
    if (bytes === null) throw new Problem('too_large', 'The body is too large.');
    return bytes;
  }
}

export type Scalar = string | number | boolean | null;

export function check<T>(what: string, is: (value: unknown) => value is T): Check<T> {
  return { what, is };
}

export const text = check('a text', (value) => typeof value === 'string');
export const flag = check('true or false', (value) => typeof value === 'boolean');
export const count = check(
  'a whole number from 0',
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const scalar = check(
  'a text, a number, true, false or null',
  (value): value is Scalar => value === null || ['string', 'number', 'boolean'].includes(typeof value),
);

export function orNull<T>({ what, is }: Check<T>): Check<T | null> {
  return check(`${what}, or null`, (value): value is T | null => value === null || is(value));
}

export function oneOf<T extends string>(...values: readonly T[]): Check<T> {
  return check(values.join(' or '), (value): value is T => values.includes(value as T));
}
