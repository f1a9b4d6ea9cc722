/**
 * Counts tokens of what does not change: each text once, by a key that names it. Holds numbers
 * only, a bounded many.
 */
import type { ShapeExtras } from '../model/message.ts';
import type { Projection } from '../model/projection.ts';

const MOST = 10_000;
/** What a message costs beside its content. */
export const MESSAGE_TOKENS = 4;
/** What an image costs that is not very large. */
const MEDIA_TOKENS = 1_500;
/**
 * Bytes that a token stands for. Providers scale images down; documents are read page by page, and
 * texts as texts.
 */
const BYTES_A_TOKEN = { image: 1_000, sound: 500, text: 3, document: 25 };

/** An image, sound or file that is sent. */
export interface WeighedMedia {
  readonly mediaType: string;
  /** Of the content itself, not of its base64. */
  readonly bytes: number;
}

export class TokenCounts {
  /** Tokens of a text that is counted once only. */
  readonly count: (text: string) => number;
  readonly #known = new Map<string, number>();

  constructor(count: (text: string) => number) {
    this.count = count;
  }

  /** `key` names the text for ever. */
  of(key: string, text: string): number {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST) this.#known.clear();
    const tokens = this.count(text);
    this.#known.set(key, tokens);
    return tokens;
  }

  /** What a framework keeps beside a message or part (reasoning, metadata): it is sent along. */
  extras(key: string, extras: ShapeExtras | undefined): number {
    return extras === undefined ? 0 : this.of(`${key} foreign`, JSON.stringify(extras));
  }

  /** What a projection shows, without its media. */
  projection(output: string, { text, notice, metadata }: Projection): number {
    const key = `${output} ${metadata.truncated_size} ${metadata.policy_hash}`;
    return this.of(key, `${notice ?? ''}${text}`);
  }
}

/**
 * What media costs: as much as the host says, else by its kind and size, rather too much than too
 * little.
 */
export function mediaTokens({ mediaType, bytes }: WeighedMedia, counted: number | undefined): number {
  if (counted !== undefined) return counted;
  if (/^text\/|\b(?:json|xml|yaml|javascript)\b/.test(mediaType))
    return Math.ceil(bytes / BYTES_A_TOKEN.text);
  const kind = mediaType.startsWith('image/')
    ? 'image'
    : /^(?:audio|video)\//.test(mediaType)
      ? 'sound'
      : 'document';
  return Math.max(MEDIA_TOKENS, Math.ceil(bytes / BYTES_A_TOKEN[kind]));
}
