/**
 * What we say when a request does not fit its window: the numbers, the largest piece, and what to
 * do about it. Pinned by a test. Units: tokens.
 */
import { named } from './history.ts';

interface RequestSize {
  readonly tokens: number;
  /** Null where no window was given. */
  readonly window: number | null;
  readonly hard: number | null;
}

export interface Weight {
  readonly kind: 'reserve' | 'system' | 'summary' | 'message' | 'result';
  /** The ordinal of a message, or the tool of a result. */
  readonly name: string;
  readonly tokens: number;
}

export function refusal(numbers: RequestSize, weights: readonly Weight[]): string {
  const { tokens, window, hard } = numbers;
  const advice =
    standing(weights) > (hard ?? 0)
      ? wayOut(largest(weights.filter(stays)), numbers)
      : 'Make it with `session.request`, which compacts the session as far as needed.';
  return `The request has ${tokens} tokens and the window ${window}: over hard_at, which is ${hard} tokens. The largest part is ${described(largest(weights))}. ${advice}`;
}

export function impossible(numbers: RequestSize, weights: readonly Weight[]): string {
  const { tokens, window, hard } = numbers;
  const culprit = largest(standing(weights) > (hard ?? 0) / 2 ? weights.filter(stays) : weights);
  return `The request cannot be made to fit: compacted as far as possible it has ${tokens} tokens, and hard_at of the window of ${window} is ${hard} tokens. The largest part is ${described(culprit)}. ${wayOut(culprit, numbers)}`;
}

function stays({ kind }: Weight): boolean {
  return kind === 'reserve' || kind === 'system';
}

function standing(weights: readonly Weight[]): number {
  return weights.filter(stays).reduce((sum, { tokens }) => sum + tokens, 0);
}

function largest(weights: readonly Weight[]): Weight {
  return weights.reduce((most, weight) => (weight.tokens > most.tokens ? weight : most), NOTHING);
}

const NOTHING: Weight = { kind: 'message', name: '', tokens: 0 };

function described({ kind, name, tokens }: Weight): string {
  const what = {
    reserve: '`reserve`',
    system: 'a system message',
    summary: 'the summary',
    message: `message ${name}`,
    result: `a result of ${named(name)}`,
  }[kind];
  return `${what} (${tokens} tokens)`;
}

function wayOut({ kind }: Weight, { tokens, window, hard }: RequestSize): string {
  const needed = Math.ceil((tokens * (window ?? 0)) / Math.max(1, hard ?? 1));
  const larger = `use a window of at least ${needed} tokens`;
  if (kind === 'reserve') return `Lower \`reserve\`, or ${larger}.`;
  if (kind === 'system') return `Shorten the system messages, or ${larger}.`;
  return `U${larger.slice(1)}.`;
}
