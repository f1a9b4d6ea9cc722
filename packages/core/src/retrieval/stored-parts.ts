/**
 * The parts of a stored output, as they were captured: those stored one by one, then those of which
 * there were so many that they are kept in bundles. Part indexes count all of them; the index of
 * the sequence in the record is that of the first bundled one. Finding a bundled part reads the
 * sequence up to it (two or three bytes a part) and the part itself, never all of them at once.
 */
import { SpillwayError } from '../model/errors.ts';
import { NOTHING } from '../model/extent.ts';
import { partAddress, partName, readableParts } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import { asText, isShown, type PartRecord } from '../model/part.ts';
import type { StoredBytes } from '../model/store.ts';
import { PieceCutter } from '../text/pieces.ts';
import { SequenceDecoder, type SequencedPart } from '../text/sequence.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import type { FetchRequest } from './request.ts';
import { RangeReader, StoredPartReader } from './stored-part-reader.ts';

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
      if (found === undefined) throw new SpillwayError('invalid_argument', REFUSED_ARGUMENT.cursorOfArtifact);
      if (part !== null && part !== found.part.name && part !== String(found.ordinal))
        throw new SpillwayError('invalid_argument', REFUSED_ARGUMENT.cursorOfOtherPart);
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
    throw new SpillwayError('invalid_argument', REFUSED_ARGUMENT.noSuchPart(this.#names));
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
          else if ('bytes' in entry.size) bundle.skip(entry.size.bytes);
          if ('stored' in entry.size) mentioned.add(entry.size.stored);
          index++;
        }
      }
    } finally {
      await bundles.text.close();
      await bundles.binary.close();
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

  #bundle(kind: 'text' | 'binary'): BundleReader {
    const part = this.#output.parts.find((one) => one.bundle === true && one.kind === kind);
    return new BundleReader(part === undefined ? null : new RangeReader(this.open({ part })));
  }

  async #part(
    entry: SequencedPart,
    index: number,
    bundle: BundleReader,
  ): Promise<Pick<StoredPart, 'part' | 'bytes' | 'stored'>> {
    const { spec, notes, size } = entry;
    if ('stored' in size) {
      const record = this.#output.parts[size.stored];
      if (record !== undefined) return { part: { ...record, index }, stored: size.stored };
    }
    const bytes = await bundle.take('bytes' in size ? size.bytes : 0);
    const cutter = new PieceCutter(spec.kind);
    for (const _ of cutter.push(bytes));
    for (const _ of cutter.finish());
    return { part: { ...spec, ...cutter.totals(notes), index }, bytes };
  }
}

class BundleReader {
  readonly #reader: RangeReader | null;
  #at = 0;

  constructor(reader: RangeReader | null) {
    this.#reader = reader;
  }

  skip(count: number): void {
    this.#at += count;
  }

  /** Fewer if a crash cut the bundle off. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = await this.#reader?.read(this.#at, this.#at + count);
    this.#at += count;
    return bytes ?? new Uint8Array(0);
  }

  async close(): Promise<void> {
    await this.#reader?.close();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
