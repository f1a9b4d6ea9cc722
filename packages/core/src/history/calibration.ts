/**
 * Learns how a model counts tokens, from the usage that its provider reports. What a request takes
 * is `fixed + factor × estimate`: the fixed part is what is sent beside messages (system prompt,
 * tools, what the provider adds), the factor belongs to its tokenizer. Both begin at our estimate
 * and follow the reports like a Kalman filter, so that a few requests are enough and a change of
 * model or content is followed. A report that is too low to be true is ignored, one that is too high
 * is clamped. Units: tokens.
 */

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

/** A request as it was estimated. */
export interface SentEstimate {
  /** Messages and results, in our own count. */
  readonly messages: number;
  /** What is sent beside them, in our own count. */
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
    this.#factor = clamp(this.#factor + (v / variance) * miss);
    a -= (u * u) / variance;
    b -= (u * v) / variance;
    c -= (v * v) / variance;
    this.#spread = [a, b, c];
    this.#beside = beside;
    return believed;
  }
}

function clamp(factor: number): number {
  return Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, factor));
}
