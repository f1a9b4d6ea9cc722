/** Counts tokens of what does not change: each text once, by a key that names it. Holds numbers only, a bounded many. */
import type { SaidPart } from '../model/message.ts';
import type { Projection } from '../model/projection.ts';
import type { SpokenPart } from './spoken.ts';

const MOST = 10_000;
const MEDIA_TOKENS = 1_500;
/** What a message costs beside its content. */
export const MESSAGE_TOKENS = 4;

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

  /** A part of a message; `key` names its place. */
  part(key: string, part: SaidPart | SpokenPart, mediaTokens = MEDIA_TOKENS): number {
    if (part.type === 'media') return mediaTokens;
    if (part.type === 'text') return this.of(key, part.text);
    if (part.type === 'data') return this.of(key, part.json);
    return part.type === 'call' ? this.of(key, `${part.tool} ${part.callId} ${part.input}`) : 0;
  }

  /** What a projection shows. */
  projection(
    output: string,
    { text, notice, blocks, metadata }: Projection,
    mediaTokens = MEDIA_TOKENS,
  ): number {
    const media = blocks.filter(({ type }) => type === 'part').length * mediaTokens;
    const key = `${output} ${metadata.truncated_size} ${metadata.policy_hash}`;
    return this.of(key, `${notice ?? ''}${text}`) + media;
  }
}
