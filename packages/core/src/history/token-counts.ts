/**
 * Counts tokens of what does not change: each text once, by a key that names it. Holds numbers
 * only, a bounded many, in our own count; what comes out is what the model of a session would count.
 */
import type { ShapeExtras } from '../model/message.ts';
import type { Projection } from '../model/projection.ts';
import { Calibration } from './calibration.ts';
import { SHAPES } from './shapes/index.ts';
import type { Shape } from './shapes/shape.ts';

const MOST = 10_000;
/** What a message costs beside its content. */
export const MESSAGE_TOKENS = 4;
/** What an image costs that is not very large. */
const MEDIA_TOKENS = 1_500;
/** Bytes per token: providers scale images down and read documents page by page. */
const BYTES_A_TOKEN = { image: 1_000, sound: 500, text: 3, document: 25 };

/** An image, sound or file that is sent. */
export interface WeighedMedia {
  readonly mediaType: string;
  /** Of the content itself, not of its base64. */
  readonly bytes: number;
}

export class TokenCounts {
  readonly #estimate: (text: string) => number;
  readonly #known: Map<string, number>;
  readonly calibration: Calibration;

  constructor(
    estimate: (text: string) => number,
    calibration = new Calibration(),
    known = new Map<string, number>(),
  ) {
    this.#estimate = estimate;
    this.#known = known;
    this.calibration = calibration;
  }

  /** The same counts as another model gives them. */
  calibratedBy(calibration: Calibration): TokenCounts {
    return new TokenCounts(this.#estimate, calibration, this.#known);
  }

  /** Tokens of a text that is counted once only. */
  readonly count = (text: string): number => this.#calibrated(this.#estimate(text));

  /** `key` names the text for ever. */
  of(key: string, text: string): number {
    let tokens = this.#known.get(key);
    if (tokens === undefined) {
      if (this.#known.size >= MOST) this.#known.clear();
      tokens = this.#estimate(text);
      this.#known.set(key, tokens);
    }
    return this.#calibrated(tokens);
  }

  /** What a framework keeps beside a message or part, as far as a model is sent it. */
  extras(key: string, extras: ShapeExtras | undefined): number {
    if (extras === undefined) return 0;
    const sent = sentExtras(extras);
    return sent === '' ? 0 : this.of(`${key} foreign`, sent);
  }

  /** What a projection shows, without its media. */
  projection(output: string, { text, notice, metadata }: Projection): number {
    const key = `${output} ${metadata.truncated_size} ${metadata.policy_hash}`;
    return this.of(key, `${notice ?? ''}${text}`);
  }

  #calibrated(tokens: number): number {
    return Math.round(tokens * this.calibration.factor);
  }
}

/** The fields that requests hold, without those a framework keeps to itself and our own. */
function sentExtras(extras: ShapeExtras): string {
  const shapes = SHAPES as Readonly<Record<string, Shape>>;
  const sent = Object.entries(extras).flatMap(([name, fields]) => {
    const unsent = shapes[name]?.unsent ?? [];
    const json = JSON.stringify(fields, (key, value) =>
      isNothing(value) || unsent.includes(key) || /^\$(?!\$)/.test(key) ? undefined : value,
    );
    return json === undefined || json === '{}' ? [] : [json];
  });
  return sent.join('');
}

function isNothing(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Tokens of media: as the host says, else by kind and size, rather too many. */
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
