/**
 * A JavaScript value as JSON text, made once. What JSON cannot say gets a tagged form,
 * `{"$spillway":"bigint","value":"123"}`, and a note, so that nothing is silently dropped: BigInt,
 * NaN and infinities, -0, undefined and functions inside, cycles, Map, Set, bytes, errors, dates
 * that are none, what throws when it is read (`unreadable`), instances of a class that have nothing
 * to read, such as a Response (`instance`, with the name of the class). An object that itself has a
 * `$spillway` key is tagged too, so a tag is never ambiguous. Works without recursion: depth is
 * bounded by memory only.
 */
import type { ValueKind } from '../model/part.ts';
import { pauseAtTimes } from './pause.ts';

const TAG = '$spillway';
/** Stands for what threw when it was read. */
const UNREADABLE = Symbol('unreadable');

export interface ValueText {
  readonly text: string;
  readonly kind: ValueKind;
  readonly notes: readonly string[];
}

/** The same in pieces: `notes` are complete once the last piece was taken. */
export interface ValueChunks {
  readonly chunks: string | AsyncIterable<string>;
  readonly kind: ValueKind;
  readonly notes: readonly string[];
}

/** Chars that are written without a pause. */
const PIECE_CHARS = 65_536;
/** A value with no more chars than this is written at once. */
const AT_ONCE_CHARS = 262_144;

export function valueToJson(value: unknown): ValueText {
  if (value === undefined) return { text: '', kind: 'undefined', notes: [] };
  if (typeof value === 'string') return { text: value, kind: 'string', notes: [] };
  const writer = new JsonWriter(value);
  return { text: writer.take(Number.POSITIVE_INFINITY), kind: kindOf(value), notes: writer.sortedNotes };
}

/**
 * The same text; of a large value piece by piece, so that writing it does not block the event
 * loop.
 */
export function valueChunks(value: unknown): ValueChunks {
  if (value === undefined || typeof value === 'string') {
    const { text, kind, notes } = valueToJson(value);
    return { chunks: text, kind, notes };
  }
  const kind = kindOf(value);
  const writer = new JsonWriter(value);
  const first = writer.take(AT_ONCE_CHARS);
  if (writer.isDone) return { chunks: first, kind, notes: writer.sortedNotes };
  const notes: string[] = [];
  return { chunks: piecesOf(writer, first, notes), kind, notes };
}

async function* piecesOf(writer: JsonWriter, first: string, notes: string[]): AsyncGenerator<string> {
  yield first;
  while (!writer.isDone) {
    await pauseAtTimes();
    yield writer.take(PIECE_CHARS);
  }
  notes.push(...writer.sortedNotes);
}

function kindOf(value: unknown): ValueKind {
  if (value === null) return 'null';
  const type = typeof value;
  return type === 'number' || type === 'boolean' || type === 'object' || type === 'bigint' ? type : 'other';
}

/** One open container: what is left to write of it and how it ends. */
interface Open {
  readonly object: object | null;
  readonly entries: Iterator<readonly [key: string | null, value: unknown]>;
  readonly close: string;
  empty: boolean;
}

class JsonWriter {
  readonly #notes = new Set<string>();
  #out: string[] = [];
  /** Chars in `#out`. */
  #chars = 0;
  readonly #stack: Open[] = [];
  readonly #ancestors = new Set<object>();

  constructor(root: unknown) {
    this.#value(root, '');
  }

  get isDone(): boolean {
    return this.#stack.length === 0;
  }

  get sortedNotes(): string[] {
    return [...this.#notes].sort();
  }

  /**
   * Goes on writing, and gives what was written since the last time: at least so many chars, or all
   * that is left.
   */
  take(chars: number): string {
    for (
      let open = this.#stack.at(-1);
      open !== undefined && this.#chars < chars;
      open = this.#stack.at(-1)
    ) {
      const next = open.entries.next();
      if (next.done === true) {
        this.#push(open.close);
        if (open.object !== null) this.#ancestors.delete(open.object);
        this.#stack.pop();
        continue;
      }
      const [key, value] = next.value;
      if (!open.empty) this.#push(',');
      open.empty = false;
      if (key !== null) this.#push(`${JSON.stringify(key)}:`);
      this.#value(value, key ?? '');
    }
    const text = this.#out.join('');
    [this.#out, this.#chars] = [[], 0];
    return text;
  }

  #push(text: string): void {
    this.#out.push(text);
    this.#chars += text.length;
  }

  #value(given: unknown, key: string): void {
    const value = attempt(() => this.#plain(given, key));
    if (value === UNREADABLE) this.#tagged('unreadable', undefined);
    else if (value === null || typeof value === 'boolean' || typeof value === 'string')
      this.#push(JSON.stringify(value));
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'object') {
      if (attempt(() => this.#object(value)) === UNREADABLE) this.#tagged('unreadable', undefined);
    } else this.#tagged(typeof value, typeof value === 'bigint' ? String(value) : undefined);
  }

  /** What `toJSON` makes of it, as JSON.stringify would. */
  #plain(value: unknown, key: string): unknown {
    if (value === null || typeof value !== 'object') return value;
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== 'function' || value instanceof Uint8Array) return value;
    if (value instanceof Date && Number.isNaN(value.getTime())) return value;
    return toJSON.call(value, key);
  }

  #number(value: number): void {
    if (Number.isFinite(value) && !Object.is(value, -0)) this.#push(String(value));
    else this.#tagged('number', Object.is(value, -0) ? '-0' : String(value));
  }

  #object(value: object): void {
    if (this.#ancestors.has(value)) this.#tagged('cycle', undefined);
    else if (Array.isArray(value)) this.#open(value, '[', ']', elements(value));
    else if (value instanceof Map) this.#wrap(value, 'map', [...value.entries()]);
    else if (value instanceof Set) this.#wrap(value, 'set', [...value.values()]);
    else if (ArrayBuffer.isView(value))
      this.#tagged('bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'));
    else if (value instanceof ArrayBuffer) this.#tagged('bytes', Buffer.from(value).toString('base64'));
    else if (value instanceof Error)
      this.#wrap(value, 'error', {
        ...value,
        name: value.name,
        message: value.message,
        stack: value.stack ?? null,
      });
    else if (value instanceof RegExp || value instanceof Date)
      this.#tagged(value instanceof Date ? 'date' : 'regexp', String(value));
    else if (bareClass(value) !== undefined) this.#tagged('instance', bareClass(value));
    else if (Object.hasOwn(value, TAG)) this.#wrap(value, 'object', [...entries(value)]);
    else this.#open(value, '{', '}', entries(value));
  }

  #open(object: object | null, opening: string, close: string, entries: Open['entries']): void {
    this.#push(opening);
    if (object !== null) this.#ancestors.add(object);
    this.#stack.push({ object, entries, close, empty: true });
  }

  /** A tagged form whose value is written like any other. */
  #wrap(object: object, tag: string, value: unknown): void {
    this.#notes.add(tag);
    const entries: [string, unknown][] = [
      [TAG, tag],
      ['value', value],
    ];
    this.#open(object, '{', '}', entries[Symbol.iterator]());
  }

  #tagged(tag: string, text: string | undefined): void {
    this.#notes.add(tag);
    const form = text === undefined ? { [TAG]: tag } : { [TAG]: tag, value: text };
    this.#push(JSON.stringify(form));
  }
}

/** The class of a value of which nothing can be read: Promise, Response, Generator. */
function bareClass(value: object): string | undefined {
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return name !== 'Object' && Object.keys(value).length === 0 ? name : undefined;
}

/** Holes count as undefined. */
function* elements(array: readonly unknown[]): Generator<readonly [null, unknown]> {
  for (let i = 0; i < array.length; i++) yield [null, attempt(() => array[i])];
}

/**
 * The keys are read at once, so that an object without any is known before it is begun; each value
 * when its turn comes.
 */
function entries(object: object): IterableIterator<readonly [string, unknown]> {
  const keys = Object.keys(object);
  return keys.values().map((key) => [key, attempt(() => (object as Record<string, unknown>)[key])] as const);
}

/**
 * What tools return may run code of theirs when it is read; that it fails must not lose the rest.
 */
function attempt<T>(read: () => T): T | typeof UNREADABLE {
  try {
    return read();
  } catch {
    return UNREADABLE;
  }
}
