/**
 * What a screen or a stream gets of a result that is too long for it: a limited preview, flagged as
 * such, for display only. It is given nothing it could write with, and the canonical writer refuses
 * its previews by their flag and their handle. Invariant: results of one stream or list add up to at
 * most `totalChars`; once nothing is left only flags are sent. Units: chars.
 */
import { Spillway } from '../../engine.ts';
import type { ArtifactId } from '../../model/artifact.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { SessionName } from '../../model/session.ts';
import type { Store, WaitOptions } from '../../model/store.ts';
import { allocate } from '../../text/allocate.ts';
import { previewHeading } from '../../wording/history.ts';
import { checkAmount } from '../check-message.ts';
import {
  type Derived,
  type Message,
  type ResultBlock,
  type SentMedia,
  type SentPart,
  textOf,
} from '../message.ts';
import { hasContent, isMadeOf } from '../provenance.ts';
import { parsed } from '../shapes/json.ts';

/** How much may be shown. */
export interface TransportLimits {
  /** The most of one result. Default: 8,000. */
  readonly resultChars?: number;
  /** The most of all results of one stream or list together. Default: 100,000. */
  readonly totalChars?: number;
}

/** What transport is given: nothing that writes. */
export interface TransportReader {
  /** Finds the canonical result of a call. */
  readonly store: Pick<Store, 'find'>;
  /** Makes the preview. */
  readonly spillway: Pick<Spillway, 'projectTogether'>;
}

/** Stands in place of a result that is too long to be shown. */
export interface LimitedPreview {
  readonly limited: true;
  readonly display_only: true;
  /** Chars of the whole result. */
  readonly original_size: number;
  /** The canonical result; null where none with this content is recorded. */
  readonly artifact_id: ArtifactId | null;
  /** A text, or the value it was, shortened. */
  readonly preview: unknown;
}

const RESULT_CHARS = 8_000;
const TOTAL_CHARS = 100_000;
/** Below this nothing can be shown with its notice. */
const LEAST_CHARS = 300;
/** For what the flags take as JSON. */
const FLAGS_CHARS = 160;

type Which = { readonly id: ArtifactId } | { readonly callId: string };

export class Previews {
  readonly #reader: TransportReader;
  readonly #wait: WaitOptions;
  readonly #name: SessionName;
  readonly #resultChars: number;
  /** Projects what is not recorded; it has no store, so nothing can be kept by it. */
  readonly #storeless = new Spillway({ store: null });
  #left: number;

  constructor(reader: TransportReader, name: SessionName, limits: TransportLimits & WaitOptions) {
    const { resultChars = RESULT_CHARS, totalChars = TOTAL_CHARS, signal } = limits;
    checkAmount(resultChars, 'resultChars', 0);
    checkAmount(totalChars, 'totalChars', 0);
    this.#reader = reader;
    this.#wait = { signal };
    this.#name = name;
    this.#resultChars = resultChars;
    this.#left = totalChars;
  }

  /** The value itself where it fits, else a preview of it. */
  async value(which: Which, value: unknown): Promise<unknown> {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text === undefined || text.length <= this.#room()) return this.#taken(value, text?.length ?? 0);
    const record = await this.#find(which, value);
    const made = await this.#limited(record, text, this.#room());
    return this.#taken(made, JSON.stringify(made).length);
  }

  /** The same where only a text can stand. `most` is a share of what is left. */
  async text(which: Which, text: string, most = this.#left): Promise<string> {
    const room = Math.min(this.#room(), most);
    if (text.length <= room) return this.#taken(text, text.length);
    const record = await this.#find(which, text);
    const heading = previewHeading(text.length, record?.id ?? null);
    const body = await this.#cut(record, text, room - heading.length - 1);
    const shown = body === '' ? heading : `${heading}\n${body}`;
    return this.#taken(shown, shown.length);
  }

  #room(): number {
    return Math.min(this.#resultChars, this.#left);
  }

  #taken<T>(shown: T, chars: number): T {
    this.#left -= Math.min(this.#left, chars);
    return shown;
  }

  async #limited(record: OutputRecord | null, text: string, room: number): Promise<LimitedPreview> {
    const flags = { limited: true, display_only: true, original_size: text.length } as const;
    // Escapes make JSON longer than its text: what does not fit is shown in proportion.
    for (let chars = room - FLAGS_CHARS; ; ) {
      const shown = await this.#cut(record, text, chars);
      // A value stays a value where the shortened text still is one.
      const preview = /^\s*[[{]/.test(text) ? parsed(shown) : shown;
      const made = { ...flags, artifact_id: record?.id ?? null, preview };
      const { length } = JSON.stringify(made);
      if (chars < LEAST_CHARS || length <= room) return made;
      chars = Math.floor(Math.min(0.97, room / length) * (chars - 20));
    }
  }

  async #cut(record: OutputRecord | null, text: string, chars: number): Promise<string> {
    if (chars < LEAST_CHARS) return '';
    const policy = {
      inlineLimit: chars,
      artifactThreshold: Math.max(chars, 50_000),
      failingFactor: 1,
      notice: 'metadata',
    } as const;
    const result = { kind: 'text', text } as const;
    // An id that is used again may stand for another output by now.
    if (record === null || !hasContent(record, result)) {
      const call = { tool: 'preview', ...this.#name };
      return (await this.#storeless.process(call, result, { policy })).projection.text;
    }
    const options = { audience: 'transport', policy, ...this.#wait } as const;
    const [made] = await this.#reader.spillway.projectTogether([record], options);
    return made?.projection.text ?? '';
  }

  /** Null where the id is used again and now stands for another output. */
  async #find(which: Which, content: unknown): Promise<OutputRecord | null> {
    const key = 'id' in which ? { scope: this.#name.scope, ...which } : { ...this.#name, ...which };
    const found = await this.#reader.store.find(key, this.#wait);
    if (found === undefined || 'purgedAt' in found) return null;
    return 'id' in which || isMadeOf(found, content) ? found : null;
  }
}

/** A result that is shown by a preview. The flags say what is missing. */
export type TransportPart = SentPart & {
  /** Set where it is a preview. */ readonly preview?: Omit<LimitedPreview, 'preview'>;
};

/** A message for a screen. */
export interface TransportMessage extends Omit<Message, 'parts'>, Derived {
  /** Its parts, with long results as previews. */
  readonly parts: readonly TransportPart[];
}

/** Limits results, sharing the room by need. Ids, order and errors stay. */
export async function limitMessages(
  reader: TransportReader,
  name: SessionName,
  messages: readonly Message[],
  limits: TransportLimits & WaitOptions = {},
): Promise<TransportMessage[]> {
  const { resultChars: limit = RESULT_CHARS, totalChars = TOTAL_CHARS, signal } = limits;
  signal?.throwIfAborted();
  const previews = new Previews(reader, name, limits);
  const results = messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'result');
  const texts = results.map(textOf);
  const shares = allocate(
    totalChars,
    texts.map(({ length: size }) => ({ size, limit, preferred: false })),
  );
  // Images and files in what the texts leave, in order; whole or not at all.
  let left = totalChars - shares.reduce((sum, share) => sum + share, 0);
  const hasRoom = (block: ResultBlock): boolean => {
    if (block.type !== 'media') return true;
    if (sizeOf(block) > left) return false;
    left -= sizeOf(block);
    return true;
  };
  const limited = new Map<SentPart, TransportPart>();
  for (const [i, result] of results.entries()) {
    const { output: artifact_id, callId, blocks } = result;
    const text = texts[i] ?? '';
    const kept = blocks.filter(hasRoom);
    const which = artifact_id === null ? { callId } : { id: artifact_id };
    const shown = await previews.text(which, text, shares[i] ?? 0);
    if (shown === text && kept.length === blocks.length) continue;
    const media = blocks.filter((block) => block.type === 'media');
    const original_size = text.length + media.reduce((sum, block) => sum + sizeOf(block), 0);
    const files = kept.filter((block) => block.type === 'media');
    limited.set(result, {
      ...result,
      blocks: shown === text ? kept : [{ type: 'text', text: shown }, ...files],
      preview: { limited: true, display_only: true, original_size, artifact_id },
    });
  }
  const shown: Omit<TransportMessage, keyof Derived>[] = messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => limited.get(part) ?? part),
  }));
  return shown as TransportMessage[];
}

function sizeOf({ data }: SentMedia): number {
  return 'url' in data ? data.url.length : data.base64.length;
}
