/**
 * The parts of a stored output, as they were captured: those stored one by one, then those of which
 * there were so many that they are kept in bundles. Part indexes count all of them; the index of
 * the sequence in the record is that of the first bundled one. Finding a bundled part reads the
 * sequence up to it (two or three bytes a part) and the part itself, never all of them at once.
 */
import { invalidArgument } from '../model/errors.ts';
import { type Extent, NOTHING, sum } from '../model/extent.ts';
import { partAddress, partName, readableParts } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import { asText, isShown, type PartRecord } from '../model/part.ts';
import type { ReadFrom, Reading, StoredBytes, WaitOptions } from '../model/store.ts';
import type { StoredText } from '../model/stored-text.ts';
import { PieceCutter } from '../text/pieces.ts';
import { SequenceDecoder, type SequencedPart } from '../text/sequence.ts';
import { advance, measure, offsetOfChar } from '../text/utf8.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import type { FetchRequest } from './request.ts';

/** A part with its number among the texts; `bytes` of a bundled one are there already. */
export interface StoredPart {
  readonly part: PartRecord;
  /** Null if it is not text. */
  readonly ordinal: number | null;
  readonly isLate: boolean;
  readonly bytes?: Uint8Array;
  /**
   * Index under which its text is stored: of a part that lies behind the first ones, or of one in
   * another encoding.
   */
  readonly stored?: number;
}

export interface KnownPart {
  readonly name: string;
  readonly index: number;
  /** Null if it is not text, 0 if it only repeats another. */
  readonly ordinal: number | null;
}

const REPEATED = 0;
const NO_BYTES = new Uint8Array(0);

/** Whether a request that names no part reads it. */
export function isRead({ ordinal }: Pick<KnownPart, 'ordinal'>): boolean {
  return ordinal !== null && ordinal !== REPEATED;
}

export class StoredParts {
  readonly #store: StoredBytes;
  readonly #output: OutputRecord;
  readonly #early: readonly PartRecord[];
  readonly #sequence: PartRecord | undefined;
  readonly #decoded: ReadonlyMap<number | undefined, PartRecord>;

  constructor(store: StoredBytes, output: OutputRecord) {
    this.#store = store;
    this.#output = output;
    this.#sequence = output.parts.find(({ role, name }) => role === 'order' && name === 'sequence');
    const decoded = output.parts.filter(({ role }) => role === 'decoded');
    this.#decoded = new Map(decoded.map((part) => [part.of, part]));
    this.#early = this.#sequence === undefined ? output.parts : output.parts.slice(0, this.#sequence.index);
  }

  /** Only the wanted ones are read from bundles. */
  async *content(wanted: (known: KnownPart) => boolean): AsyncGenerator<StoredPart> {
    let ordinals = 0;
    for (const part of this.#early) {
      if (part.role !== 'content') continue;
      const ordinal = part.kind === 'binary' ? null : isShown(part) ? ++ordinals : REPEATED;
      if (!wanted({ name: part.name, index: part.index, ordinal })) continue;
      const decoded = this.#decoded.get(part.index);
      if (decoded === undefined) yield { part, ordinal, isLate: false };
      else yield { part: asText(part, decoded), ordinal, isLate: false, stored: decoded.index };
    }
    if (this.#sequence !== undefined) yield* this.#bundled(this.#sequence.index, ordinals, wanted);
  }

  async first(wanted: (known: KnownPart) => boolean): Promise<StoredPart | undefined> {
    for await (const found of this.content((known) => known.ordinal !== null && wanted(known))) return found;
    return undefined;
  }

  address({ part, ordinal }: StoredPart): string | undefined {
    return this.#sequence === undefined ? partAddress(this.#early, part.index) : String(ordinal ?? 1);
  }

  get #names(): readonly string[] {
    const readable = readableParts(this.#early);
    if (readable.length < 2) return ['1'];
    return readable.slice(0, 20).map(({ index }) => partName(readable, index));
  }

  open({ part, bytes, stored = part.index }: Omit<StoredPart, 'ordinal' | 'isLate'>): StoredPartReader {
    if (bytes !== undefined)
      return new StoredPartReader(part, async () => ({ at: NOTHING, pieces: once(bytes) }));
    return new StoredPartReader(part, (from, wait) => this.#store.read(this.#output.id, stored, from, wait));
  }

  async at(index: number): Promise<StoredPartReader | null> {
    const input = this.#output.parts.find((part) => part.index === index && part.role === 'input');
    if (input !== undefined) return this.open({ part: input });
    for await (const found of this.content((known) => known.index === index)) return this.open(found);
    return null;
  }

  async choose({ part, want }: Pick<FetchRequest, 'part' | 'want'>): Promise<StoredPart | undefined> {
    const cursor = 'cursor' in want ? want.cursor : null;
    if (cursor !== null) {
      const found = await this.first(({ index }) => index === cursor.part);
      if (found === undefined) throw invalidArgument(REFUSED_ARGUMENT.cursorOfArtifact);
      if (part !== null && part !== found.part.name && part !== String(found.ordinal))
        throw invalidArgument(REFUSED_ARGUMENT.cursorOfOtherPart);
      return found;
    }
    if (part === null) {
      for await (const found of this.content(isRead)) if (found.part.bytes > 0) return found;
      return this.first(() => true);
    }
    const found =
      (await this.first(({ name }) => name === part)) ??
      (/^\d+$/.test(part) ? await this.first(({ ordinal }) => ordinal === Number(part)) : undefined);
    if (found !== undefined) return found;
    throw invalidArgument(REFUSED_ARGUMENT.noSuchPart(this.#names));
  }

  async *#bundled(
    sequence: number,
    ordinalsBefore: number,
    wanted: (known: KnownPart) => boolean,
  ): AsyncGenerator<StoredPart> {
    const bundles = { text: this.#bundle('text'), binary: this.#bundle('binary') };
    const decoder = new SequenceDecoder();
    const { pieces } = await this.#store.read(this.#output.id, sequence, { bytes: 0 });
    let index = sequence;
    let ordinals = ordinalsBefore;
    const mentioned = new Set<number>();
    try {
      for await (const piece of pieces) {
        for (const entry of decoder.push(piece)) {
          const { name, kind } = entry.spec;
          const shown = isShown({ role: 'content', notes: entry.notes });
          const ordinal = kind === 'binary' ? null : shown ? ++ordinals : REPEATED;
          const bundle = bundles[ordinal === null ? 'binary' : 'text'];
          if (wanted({ name, index, ordinal }))
            yield { ...(await this.#part(entry, index, bundle)), ordinal, isLate: true };
          else if ('bytes' in entry.size) bundle.at += entry.size.bytes;
          if ('stored' in entry.size) mentioned.add(entry.size.stored);
          index++;
        }
      }
    } finally {
      await bundles.text.reader?.close();
      await bundles.binary.reader?.close();
    }
    // After a crash, parts being written are missing in the sequence.
    for (const part of this.#output.complete ? [] : this.#output.parts.slice(sequence + 1)) {
      if (part.role !== 'content' || part.bundle === true || mentioned.has(part.index)) continue;
      const ordinal = part.kind === 'binary' ? null : ++ordinals;
      const known = { name: part.name, index: index++, ordinal };
      if (wanted(known))
        yield { part: { ...part, index: known.index }, ordinal, isLate: true, stored: part.index };
    }
  }

  #bundle(kind: 'text' | 'binary'): Bundle {
    const part = this.#output.parts.find((one) => one.bundle === true && one.kind === kind);
    return { reader: part === undefined ? null : new RangeReader(this.open({ part })), at: 0 };
  }

  async #part(
    entry: SequencedPart,
    index: number,
    bundle: Bundle,
  ): Promise<Pick<StoredPart, 'part' | 'bytes' | 'stored'>> {
    const { spec, notes, size } = entry;
    if ('stored' in size) {
      const record = this.#output.parts[size.stored];
      if (record !== undefined) return { part: { ...record, index }, stored: size.stored };
    }
    const end = bundle.at + ('bytes' in size ? size.bytes : 0);
    // Fewer if a crash cut the bundle off.
    const bytes = (await bundle.reader?.read(bundle.at, end)) ?? NO_BYTES;
    bundle.at = end;
    const cutter = new PieceCutter(spec.kind);
    for (const _ of cutter.push(bytes));
    for (const _ of cutter.finish());
    return { part: { ...spec, ...cutter.totals(notes), index }, bytes };
  }
}

/** Small parts one behind the other, and where the next one begins. */
interface Bundle {
  readonly reader: RangeReader | null;
  at: number;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

interface PlacedPiece {
  readonly at: Extent;
  readonly bytes: Uint8Array;
}

/** One stored part, opened: reads it from any place, and finds the line of a byte. */
export class StoredPartReader implements StoredText {
  readonly part: PartRecord;
  readonly #read: (from: ReadFrom, wait: WaitOptions) => Promise<Reading>;
  /** Cached: nearby positions cost one reading. */
  #last: PlacedPiece | null = null;

  constructor(part: PartRecord, read: (from: ReadFrom, wait: WaitOptions) => Promise<Reading>) {
    this.part = part;
    this.#read = read;
  }

  get byteLength(): number {
    return this.part.bytes;
  }

  read(from: ReadFrom, signal?: AbortSignal): Promise<Reading> {
    return this.#read(from, signal === undefined ? {} : { signal });
  }

  /**
   * The same from exactly that place on. `startIn`: where it lies in a piece that begins at `at`;
   * behind the piece if it comes later.
   */
  async exactly(
    from: ReadFrom,
    signal?: AbortSignal,
    startIn: (piece: Uint8Array, at: Extent) => number = (piece, at) => positionIn(piece, at, from),
  ): Promise<Reading> {
    const { at, pieces } = await this.read(from, signal);
    const rest = pieces[Symbol.asyncIterator]();
    for (let start = at; ; ) {
      const next = await rest.next();
      if (next.done === true) return { at: start, pieces: after(null, rest) };
      const skipped = startIn(next.value, start);
      const isHere = skipped < next.value.length;
      start = sum(start, measure(next.value, 0, Math.min(skipped, next.value.length)));
      if (isHere) return { at: start, pieces: after(next.value.subarray(skipped), rest) };
    }
  }

  async *from(byte: number): AsyncGenerator<Uint8Array> {
    yield* (await this.exactly({ bytes: byte })).pieces;
  }

  /** A run of bytes; shorter at the end of the part. */
  async bytes(start: number, end: number): Promise<Uint8Array> {
    const reader = new RangeReader(this);
    try {
      return await reader.read(start, end);
    } finally {
      await reader.close();
    }
  }

  /** Null behind the last. */
  async pieceAt(byte: number): Promise<PlacedPiece | null> {
    const last = this.#last;
    if (last !== null && byte >= last.at.bytes && byte < last.at.bytes + last.bytes.length) return last;
    const { at, pieces } = await this.read({ bytes: byte });
    let start = at;
    for await (const bytes of pieces) {
      this.#last = { at: start, bytes };
      if (byte < start.bytes + bytes.length) return this.#last;
      start = sum(start, measure(bytes));
    }
    return null;
  }

  /** The line that a byte belongs to. A line end belongs to the line it ends. */
  async lineOf(byte: number): Promise<number> {
    const piece = await this.pieceAt(byte);
    if (piece === null) return this.part.lines;
    const at = byte - piece.at.bytes;
    const isInsideEnd = piece.bytes[at] === 10 && piece.bytes[at - 1] === 13;
    return piece.at.breaks + measure(piece.bytes, 0, isInsideEnd ? at - 1 : at).breaks + 1;
  }
}

/** Where a position lies in a piece that begins at `at`; its length or more if it comes later. */
export function positionIn(piece: Uint8Array, at: Extent, from: ReadFrom): number {
  if ('bytes' in from) return Math.max(0, from.bytes - at.bytes);
  if ('chars' in from) return offsetOfChar(piece, from.chars - at.chars);
  return advance(piece, 0, Number.POSITIVE_INFINITY, Math.max(0, from.breaks - at.breaks)).bytes;
}

async function* after(first: Uint8Array | null, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first !== null) yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Up to here, reading on is cheaper than opening the part again. */
const READ_ON_BYTES = 262_144;

/** Reads runs of bytes of a part, mostly forwards. */
export class RangeReader {
  readonly #part: StoredPartReader;
  #pieces: AsyncGenerator<Uint8Array> | null = null;
  #held: Uint8Array = NO_BYTES;
  #heldAt = 0;

  constructor(part: StoredPartReader) {
    this.#part = part;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const ahead = start - this.#heldAt - this.#held.length;
    if (this.#pieces === null || start < this.#heldAt || ahead > READ_ON_BYTES) await this.#open(start);
    while (this.#heldAt + this.#held.length < end && (await this.#more(start)));
    return this.#held.subarray(start - this.#heldAt, end - this.#heldAt);
  }

  async close(): Promise<void> {
    await this.#pieces?.return(undefined);
    this.#pieces = null;
  }

  async #open(byte: number): Promise<void> {
    await this.close();
    this.#pieces = this.#part.from(byte);
    this.#held = NO_BYTES;
    this.#heldAt = byte;
  }

  async #more(start: number): Promise<boolean> {
    const next = await this.#pieces?.next();
    if (next === undefined || next.done === true) return false;
    const passed = Math.min(this.#held.length, start - this.#heldAt);
    const rest = this.#held.subarray(passed);
    this.#heldAt += passed;
    this.#held = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  }
}
