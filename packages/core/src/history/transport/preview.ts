/**
 * What a screen or a stream gets of a result that is too long for it: a limited preview, flagged as
 * such, for display only. It is given nothing it could write with, and its previews cannot be
 * recorded: the canonical writer knows them by their flag and by their handle. Invariant: results
 * of one stream add up to at most `totalChars`; once nothing is left only flags are sent. Units:
 * chars.
 */

import { Spillway } from '../../engine.ts';
import type { ArtifactId } from '../../model/artifact.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { SessionName } from '../../model/session.ts';
import type { Store, WaitOptions } from '../../model/store.ts';
import { previewHeading } from '../../wording/history.ts';
import { checkAmount } from '../check-message.ts';
import { hasContent, isMadeOf } from '../provenance.ts';

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

export const RESULT_CHARS = 8_000;
export const TOTAL_CHARS = 100_000;
/** Below this nothing can be shown with its notice. */
const LEAST_CHARS = 300;
/** For what the flags take as JSON. */
const FLAGS_CHARS = 160;

/** The canonical result: by its handle, or the latest of a call. */
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
    checkAmount(limits.resultChars, 'resultChars', 0);
    checkAmount(limits.totalChars, 'totalChars', 0);
    this.#reader = reader;
    this.#wait = { signal: limits.signal };
    this.#name = name;
    this.#resultChars = limits.resultChars ?? RESULT_CHARS;
    this.#left = limits.totalChars ?? TOTAL_CHARS;
  }

  /** The content itself where it fits, else a preview of it. `most` is a share of what is left. */
  async of(
    which: Which,
    content: unknown,
    most = this.#left,
  ): Promise<{ readonly content: unknown; readonly limited: boolean }> {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const room = Math.min(this.#resultChars, this.#left, most);
    if (text === undefined || text.length <= room) {
      this.#left -= text?.length ?? 0;
      return { content, limited: false };
    }
    const record = await this.#find(which, content);
    const preview = await this.#limited(record, text, room);
    this.#left -= Math.min(this.#left, JSON.stringify(preview).length);
    return { content: preview, limited: true };
  }

  /** The same where only a text can stand. */
  async text(which: Which, text: string, most = this.#left): Promise<string> {
    const room = Math.min(this.#resultChars, this.#left, most);
    if (text.length <= room) {
      this.#left -= text.length;
      return text;
    }
    const record = await this.#find(which, text);
    const heading = previewHeading(text.length, record?.id ?? null);
    const body = await this.#cut(record, text, room - heading.length - 1);
    const shown = body === '' ? heading : `${heading}\n${body}`;
    this.#left -= Math.min(this.#left, shown.length);
    return shown;
  }

  async #limited(record: OutputRecord | null, text: string, room: number): Promise<LimitedPreview> {
    // Escapes make JSON longer than its text: what does not fit is shown in proportion.
    for (let chars = room - FLAGS_CHARS; ; ) {
      const made = flagged(text, record, asValue(await this.#cut(record, text, chars), text));
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
    // An id that is used again may stand for another output by now.
    const [made] =
      record !== null && hasContent(record, { kind: 'text', text })
        ? await this.#reader.spillway.projectTogether([record], {
            audience: 'transport',
            policy,
            ...this.#wait,
          })
        : [
            await this.#storeless.process(
              { tool: 'preview', ...this.#name },
              { kind: 'text', text },
              { policy },
            ),
          ];
    return made?.projection.text ?? '';
  }

  /** Null where the id is used again and now stands for another output. */
  async #find(which: Which, content: unknown): Promise<OutputRecord | null> {
    const { scope } = this.#name;
    const found = await this.#reader.store.find(
      'id' in which ? { scope, id: which.id } : { ...this.#name, ...which },
      this.#wait,
    );
    if (found === undefined || 'purgedAt' in found) return null;
    return 'id' in which || isMadeOf(found, content) ? found : null;
  }
}

function flagged(text: string, record: OutputRecord | null, preview: unknown): LimitedPreview {
  return {
    limited: true,
    display_only: true,
    original_size: text.length,
    artifact_id: record?.id ?? null,
    preview,
  };
}

/** A value stays a value where the shortened text still is one. */
function asValue(shown: string, original: string): unknown {
  if (!/^\s*[[{]/.test(original)) return shown;
  try {
    return JSON.parse(shown);
  } catch {
    // A text that is no JSON any more is shown as text.
    return shown;
  }
}
