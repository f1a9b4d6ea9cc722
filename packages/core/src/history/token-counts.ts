/**
 * Counts tokens of what does not change: each text once, by a key that names it. Holds numbers
 * only, a bounded many, in our own count; what comes out is what the model of a session would count.
 */
import type { ShapeExtras } from '../model/message.ts';
import type { Projection } from '../model/projection.ts';
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

/** How far the first estimate may be off: the factor, and the fixed part by itself and as a share. */
const FACTOR_SPREAD = 0.3;
const FIXED_SPREAD = { share: 0.5, tokens: 200 };
/** What a report may differ from a perfect model, as a share of it. */
const NOISE = 0.015;
/** How much the factor may move from one request to the next, as content changes. */
const DRIFT = 0.02;
const LEAST_FACTOR = 0.45;
const MOST_FACTOR = 2.5;
/** What a provider may add to a request by itself. */
const MOST_ADDED = 2_000;

interface SentEstimate {
  readonly messages: number;
  readonly beside: number;
  /** Names the summary that it begins with: after a compaction it is another. */
  readonly opening: string;
}

type Covariance = readonly [fixed: number, both: number, factor: number];

export class Calibration {
  #factor = 1;
  #fixed = 0;
  #spread: Covariance | null = null;
  #sent: SentEstimate | null = null;
  #beside = 0;

  /** What a token of our own count is worth. */
  get factor(): number {
    return this.#factor;
  }

  /** What is sent beside messages really takes, in place of our own count of it. */
  fixed(beside: number): number {
    // Tools and prompts that were added since the last report count as they are estimated.
    return this.#spread === null ? beside : Math.max(0, this.#fixed + beside - this.#beside);
  }

  /** Our count of the reported messages that a request with this opening begins with; else 0. */
  reported(opening: string): number {
    return this.#spread === null || this.#sent?.opening !== opening ? 0 : this.#sent.messages;
  }

  /** What the last request is expected to take. */
  get expected(): number {
    const { messages, beside } = this.#sent ?? { messages: 0, beside: 0 };
    return this.fixed(beside) + this.#factor * messages;
  }

  /** A request is sent: the next report is about it. */
  sent(estimate: SentEstimate): void {
    this.#sent = estimate;
  }

  /** Takes a report; gives what of it counts, or null where it cannot be about the last request. */
  learn(inputTokens: number): number | null {
    const sent = this.#sent;
    if (sent === null || !Number.isFinite(inputTokens) || inputTokens <= 0) return null;
    const { messages, beside } = sent;
    const whole = messages + beside;
    // No tokenizer needs so few: a figure like this leaves out what a cache held, or is made up.
    if (inputTokens < LEAST_FACTOR * whole) return null;
    const believed = Math.min(inputTokens, MOST_FACTOR * whole + MOST_ADDED);
    let [a, b, c] = this.#spread ?? [
      (FIXED_SPREAD.share * beside + FIXED_SPREAD.tokens) ** 2,
      0,
      FACTOR_SPREAD ** 2,
    ];
    const fixed = this.fixed(beside);
    c += DRIFT ** 2;
    // The filter in two dimensions: the request weighs the fixed part by 1 and the factor by its size.
    const [u, v] = [a + b * messages, b + c * messages];
    const variance = u + v * messages + (NOISE * believed) ** 2;
    const miss = believed - (fixed + this.#factor * messages);
    this.#fixed = Math.max(0, fixed + (u / variance) * miss);
    const factor = this.#factor + (v / variance) * miss;
    this.#factor = Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, factor));
    a -= (u * u) / variance;
    b -= (u * v) / variance;
    c -= (v * v) / variance;
    this.#spread = [a, b, c];
    this.#beside = beside;
    return believed;
  }
}
