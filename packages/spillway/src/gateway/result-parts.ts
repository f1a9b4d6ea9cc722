/**
 * A tool's result as the parts of an output: texts decoded, other blocks and structured content as
 * written, and the *envelope*, the message itself with a reference where a part holds the bytes.
 * `\x01r3:120\x02` stands for the next 120 bytes of part 3, `\x01t3:120\x02` for the same as the
 * body of a JSON string in the spelling of that letter (json-body.ts), and `\x01s3:120\x02` for
 * nothing: how those bytes were written follows as it was. Neither \x01 nor \x02 can occur in valid
 * JSON. original.ts puts the message together again.
 */

import type { OpenCapture, OpenPart } from '@spillway/core';
import { type Fields, fieldsIn } from '../fields.ts';
import { type Incoming, piecesOf, type Source } from './incoming.ts';
import { decodeBody, spellingOf, wholeChars } from './json-body.ts';
import { type ByteRange, membersOf } from './json-edit.ts';
import { MessageScan, type Piece } from './message-scan.ts';

/** A message that may hold a tool's result, and where things lie in it. */
export interface ScannedResult {
  readonly source: Source;
  readonly scan: MessageScan;
  readonly valid: boolean;
}

const MOST_FRAME = 16 * 1024 * 1024;
const PIECE = 16_384;
const ENVELOPE_BYTES = 65_536;

export function scannedResult(source: Incoming): ScannedResult {
  const scan = Buffer.isBuffer(source) ? scanned(source, source.length) : source.scan;
  const outside = scan.holes.reduce((sum, { start, end }) => sum - (end - start), source.length);
  const complete = Buffer.isBuffer(source) || source.complete;
  const valid = complete && scan.valid && outside <= MOST_FRAME;
  // Of what is not JSON, the part before that is.
  return { source, scan: scan.possible ? scan : scanned(source, scan.position), valid };
}

function scanned(source: Source, to: number): MessageScan {
  const scan = new MessageScan();
  for (const piece of piecesOf(source, 0, to)) scan.push(piece);
  scan.finish();
  return scan;
}

/**
 * The message without its blocks and its structured content (an empty list and null in their
 * places).
 */
export function frameOf({ source, scan: { holes } }: ScannedResult): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, by } of holes.toSorted((a, b) => a.start - b.start)) {
    pieces.push(source.subarray(at, start), Buffer.from(by));
    at = end;
  }
  return Buffer.concat([...pieces, source.subarray(at, source.length)]);
}

export interface WrittenParts {
  /** Parts of the scan by their index in the output. */
  readonly scanned: ReadonlyMap<number, number>;
  /** As much as may be captured has come. */
  readonly full: boolean;
}

/** `copies`: structured content is noted as a copy of a text. */
export async function writeParts(
  capture: OpenCapture,
  { source, scan }: ScannedResult,
  copies: boolean,
): Promise<WrittenParts> {
  const envelope = new Envelope(
    capture.part({ role: 'envelope', kind: 'binary', name: 'message', alone: true }),
  );
  const parts = new Map<number, OpenPart>();
  let full = false;
  let at = 0;
  for (const [i, piece] of scan.pieces.entries()) {
    await envelope.add(piecesOf(source, at, piece.start));
    const part = parts.get(piece.part) ?? capture.part({ alone: true, ...specOf(piece, source) });
    parts.set(piece.part, part);
    for (const { bytes, how, body } of writtenIn(piece, source)) {
      full = (await part.write(bytes)) === false || full;
      await envelope.add([`\x01${how}${piece.part}:${bytes.length}\x02`, body]);
    }
    at = piece.end;
    const goesOn = scan.pieces[i + 1]?.part === piece.part;
    if (!goesOn) await part.end(piece.name === 'structured' && copies ? ['copy'] : []);
    if (full) break;
  }
  await envelope.add(piecesOf(source, at));
  await envelope.flush();
  return { scanned: new Map([...parts].map(([scanned, { index }]) => [index, scanned])), full };
}

/**
 * Small pieces are written together. They are held as a string: a small buffer is part of a pool of
 * 64 KB, and keeps all of it.
 */
class Envelope {
  readonly #part: OpenPart;
  #held = '';

  constructor(part: OpenPart) {
    this.#part = part;
  }

  /** Strings have a byte in each char. */
  async add(pieces: Iterable<Buffer | string>): Promise<void> {
    for (const piece of pieces) {
      this.#held += typeof piece === 'string' ? piece : piece.toString('latin1');
      if (this.#held.length >= ENVELOPE_BYTES) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#held, 'latin1');
    this.#held = '';
    if (bytes.length > 0) await this.#part.write(bytes);
  }
}

function specOf(piece: Piece, source: Source) {
  const { as, name } = piece;
  if (as === 'body' || name === 'text') {
    const mediaType = piece.before === undefined ? undefined : mediaTypeIn(source, piece.before);
    return { kind: 'text', name, ...(mediaType === undefined ? {} : { mediaType }) } as const;
  }
  const kind = name === 'block' ? 'binary' : 'json';
  return { kind, name, mediaType: 'application/json' } as const;
}

interface WrittenPiece {
  readonly bytes: Uint8Array;
  /** The letter of the reference to them. */
  readonly how: string;
  /** How they were written, where no reference says so; a byte in each char. */
  readonly body: string;
}

function* writtenIn({ as, start, end }: Piece, source: Source): Generator<WrittenPiece> {
  let held = '';
  for (const chunk of piecesOf(source, start, end)) {
    if (as === 'written' || (held === '' && !chunk.includes(0x5c))) {
      yield { bytes: chunk, how: 'r', body: '' };
      continue;
    }
    held += chunk.toString('latin1');
    while (held.length >= PIECE) {
      const body = held.slice(0, wholeChars(held.slice(0, PIECE)) || PIECE);
      held = held.slice(body.length);
      yield decoded(body);
    }
  }
  if (held !== '') yield decoded(held);
}

function decoded(body: string): WrittenPiece {
  const text = decodeBody(body);
  const bytes = Buffer.from(text, 'latin1');
  if (text === body) return { bytes, how: 'r', body: '' };
  const spelling = spellingOf(text, body);
  return spelling === undefined ? { bytes, how: 's', body } : { bytes, how: spelling, body: '' };
}

// The media type that a content block names for its text, from what stands before the text:
// `{"type":"resource","resource":{"uri":"file:///sales.csv","mimeType":"text/csv","text":"`. The
// file name of the URI becomes the parameter `name`: `text/csv; name="sales.csv"`. A server that
// names them behind the text is not heard, since the text is on its way into the store by then.

const MOST_BEFORE = 64 * 1024;
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}/;
const FILE_NAME = /([\w.-]{1,200}\.\w{1,12})(?:[?#][\s\S]*)?$/;

function mediaTypeIn(
  source: Source,
  { start, end, depth }: NonNullable<Piece['before']>,
): string | undefined {
  if (end - start > MOST_BEFORE) return undefined;
  const block = fieldsIn(`${source.subarray(start, end)}"${'}'.repeat(depth)}`);
  const { mimeType, uri } = { ...block, ...(block.resource as Fields | undefined) };
  const type = typeof mimeType === 'string' ? TYPE.exec(mimeType)?.[0] : undefined;
  const name = typeof uri === 'string' ? FILE_NAME.exec(uri.slice(-300))?.[1] : undefined;
  return name === undefined ? type : `${type ?? 'text/plain'}; name="${name}"`;
}

export interface ResultChars {
  readonly texts: number;
  readonly structured: number;
  readonly illFormed: boolean;
}

/** What a model would read of a message that is held. */
export function charsOf({ source, scan }: ScannedResult): ResultChars {
  let [texts, structured, illFormed] = [0, 0, false];
  for (const piece of scan.pieces) {
    if (piece.name === 'block') continue;
    const text = textIn(source, piece, piece.end);
    if (text.includes('\uFFFD')) illFormed = true;
    if (piece.name === 'structured') structured += text.length;
    else texts += text.length;
  }
  return { texts, structured, illFormed };
}

function textIn(source: Source, { as, start }: Piece, end: number): string {
  const bytes = source.subarray(start, end);
  if (as === 'written' || !bytes.includes(0x5c)) return bytes.toString('utf8');
  return Buffer.from(decodeBody(bytes.toString('latin1')), 'latin1').toString('utf8');
}

// Structured content that only repeats a text: the same JSON, the text as a string inside, or
// either in a small wrapper. Compares the first 64 KB.

const SAMPLE_BYTES = 65_536;
/** Bytes that may stand beside the copy. */
const BESIDE_BYTES = 200;

export function repeatsText({ source, scan }: ScannedResult): boolean {
  const { structured } = scan;
  if (structured === undefined) return false;
  const opening = source.subarray(
    structured.start,
    Math.min(structured.end, structured.start + SAMPLE_BYTES),
  );
  const isWhole = opening.length === structured.end - structured.start;
  const copies = copiesIn(opening, isWhole).map((json) => bare(unescaped(json.toString('utf8'))));
  return scan.pieces.some((piece) => {
    const { start, end, name } = piece;
    if (start === end || (name !== 'text' && name !== 'content')) return false;
    const text = textIn(source, piece, Math.min(end, start + SAMPLE_BYTES));
    const forms = [bare(text), bare(unescaped(text))];
    return copies.some((copy) => forms.some((form) => begins(form, copy)));
  });
}

/** All of it, or its one large member. */
function copiesIn(json: Buffer, isWhole: boolean): readonly Buffer[] {
  if (!isWhole) return [json, json.subarray(json.indexOf(0x3a) + 1)];
  const members = [...(membersOf(json)?.values() ?? [])].filter(
    ({ whole }) => json.length - (whole.end - whole.start) <= BESIDE_BYTES,
  );
  return [json, ...members.map(({ value }) => json.subarray(value.start, value.end))];
}

/** Equal as far as both were seen, apart from closing brackets. */
function begins(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  const longest = Math.max(one.length, other.length);
  if (length < 2 || one.slice(0, length - 2) !== other.slice(0, length - 2)) return false;
  return longest - length <= 2 || length > SAMPLE_BYTES / 4;
}

function bare(text: string): string {
  return text.replace(/[\s"\\]/g, '');
}

function unescaped(text: string): string {
  return Buffer.from(decodeBody(Buffer.from(text).toString('latin1')), 'latin1').toString('utf8');
}

export function bytesIn({ source }: ScannedResult, { start, end }: ByteRange): string {
  return source.subarray(start, end).toString('utf8');
}
