/**
 * A request to the API as its handlers see it: parsed once, at the edge. A handler describes its
 * body as a `Shape`; the server checks bodies by it, and the page is typed by it.
 */

import type { IncomingMessage } from 'node:http';
import { wholeOf } from '../byte-source.ts';
import { isFields, jsonIn } from '../fields.ts';
import { Problem } from './answer.ts';

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

  /** The fields of a JSON body. */
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
