/** A request to the API as its handlers see it: parsed once, at the edge. */
import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

const MOST_JSON_BYTES = 1024 * 1024;

export class ApiRequest {
  /** What stands in the place of `:name` in the path of the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly #query: URLSearchParams;
  readonly #request: IncomingMessage;

  constructor(
    request: IncomingMessage,
    query: URLSearchParams,
    params: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) {
    this.#request = request;
    this.#query = query;
    this.params = params;
    this.signal = signal;
  }

  param(name: string): string {
    return this.params[name] ?? '';
  }

  text(name: string): string | undefined {
    const value = this.#query.get(name);
    return value === null || value === '' ? undefined : value;
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

  /** The body as an object. */
  async json(): Promise<Readonly<Record<string, unknown>>> {
    if (!/^application\/json\b/i.test(this.#request.headers['content-type'] ?? ''))
      throw new Problem('invalid_argument', 'The body must be application/json.');
    const bytes = await this.bytes(MOST_JSON_BYTES);
    try {
      const value: unknown = JSON.parse(bytes.toString('utf8'));
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return value as Readonly<Record<string, unknown>>;
    } catch {
      // Told below: the parser's own words would quote the body.
    }
    throw new Problem('invalid_argument', 'The body must be a JSON object.');
  }

  async bytes(most: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.#request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) throw new Problem('too_large', 'The body is too large.');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

/** A field of a body, checked. */
export function field<T>(
  body: Readonly<Record<string, unknown>>,
  name: string,
  is: (value: unknown) => value is T,
  what: string,
): T {
  const value = body[name];
  if (is(value)) return value;
  throw new Problem('invalid_argument', `${name} must be ${what}.`);
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const orNull =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is T | null =>
    value === null || is(value);
export const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
