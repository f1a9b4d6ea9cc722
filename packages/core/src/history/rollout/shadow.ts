/**
 * Runs a host's old, cutting path beside ours and tells how they really differ, result by result.
 * The old path's text is what the host goes on with; ours is only recorded and previewed. The
 * report holds numbers and names, never content.
 */
import type { NotProjected, TextResult, ToolResult } from '../../capture/result.ts';
import type { Spillway } from '../../engine.ts';
import type { MessageResult } from '../../model/message.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { SessionName } from '../../model/session.ts';
import type { WaitOptions } from '../../model/store.ts';
import { canonicalBlocks } from '../content.ts';
import { textOf } from '../message.ts';
import type { ResultOf } from '../message-input.ts';

/** The session that a shadow records to. */
export interface Recorder {
  /** Where it records. */
  readonly name: SessionName;
  /** Records a result, whole. */
  result(of: ResultOf, result: TextResult, wait: WaitOptions): Promise<{ readonly output: OutputRecord }>;
}

/** The host's way to make a result short. */
export type LegacyPath = (text: string, of: ResultOf) => string | Promise<string>;

/** How one result differs. Sizes are chars. */
export interface ShadowDifference extends Pick<MessageResult, 'callId' | 'tool' | 'output'> {
  /** Chars of the whole result. */
  readonly original_size: number;
  /** Chars that the old path made of it. */
  readonly legacy_size: number;
  /** Chars that we would show. */
  readonly our_size: number;
  /** Chars of the original that the old path lost, judged by its beginning and end. */
  readonly lost_by_legacy: number;
  /** In which ways they differ. */
  readonly what: readonly DifferenceKind[];
}

/** `json`: is JSON no more. `characters`: half a character. `error`: the first is missing. */
export type DifferenceKind = 'cut' | 'changed' | 'json' | 'characters' | 'error' | 'longer' | 'failed';

/** What the shadow saw. */
export interface ShadowReport {
  /** How many were compared. */
  readonly results: number;
  /** Results that both paths show alike. */
  readonly identical: number;
  /** Chars that the old path lost of all of them. */
  readonly lost_by_legacy: number;
  /** How many results differ in which way. */
  readonly kinds: Readonly<Record<DifferenceKind, number>>;
  /** The same things as we would show them: how many of ours have lost them. */
  readonly ours: Readonly<Record<'json' | 'characters' | 'error', number>>;
  /** The latest differences, at most 1,000. */
  readonly differences: readonly ShadowDifference[];
}

const MOST_DIFFERENCES = 1_000;

/** Both paths of one session. */
export class Shadow {
  readonly #session: Recorder;
  readonly #spillway: Pick<Spillway, 'preview' | 'contents' | 'firstError'>;
  readonly #legacy: LegacyPath;
  readonly #onCompared: (difference: ShadowDifference) => Promise<void>;
  readonly #differences: ShadowDifference[] = [];
  readonly #kinds = { cut: 0, changed: 0, json: 0, characters: 0, error: 0, longer: 0, failed: 0 };
  readonly #ours = { json: 0, characters: 0, error: 0 };
  #results = 0;
  #identical = 0;
  #lost = 0;

  constructor(
    session: Recorder,
    spillway: Pick<Spillway, 'preview' | 'contents' | 'firstError'>,
    legacy: LegacyPath,
    onCompared: (difference: ShadowDifference) => Promise<void>,
  ) {
    this.#session = session;
    this.#spillway = spillway;
    this.#legacy = legacy;
    this.#onCompared = onCompared;
  }

  /** Records the result, then returns, or throws, what the old path makes of it. */
  async result<R extends ToolResult>(
    of: ResultOf,
    result: R & NotProjected<R>,
    wait: WaitOptions = {},
  ): Promise<string> {
    const { output } = await this.#session.result(of, result as unknown as TextResult, wait);
    wait.signal?.throwIfAborted();
    const original = textOf({ blocks: await canonicalBlocks(this.#spillway, output) });
    const { scope } = this.#session.name;
    const ours = (await this.#spillway.preview({ scope, id: output.id }, wait)).text;
    this.#results++;
    let legacy: string;
    try {
      legacy = await this.#legacy(original, of);
    } catch (error) {
      await this.#note(of, output, original, ours, '', ['failed']);
      throw error;
    }
    await this.#compare(of, output, original, ours, legacy);
    return legacy;
  }

  /** What was compared so far. */
  get report(): ShadowReport {
    return {
      results: this.#results,
      identical: this.#identical,
      lost_by_legacy: this.#lost,
      kinds: { ...this.#kinds },
      ours: { ...this.#ours },
      differences: [...this.#differences],
    };
  }

  async #compare(
    of: ResultOf,
    output: OutputRecord,
    original: string,
    ours: string,
    legacy: string,
  ): Promise<void> {
    const error = await this.#spillway.firstError(output);
    for (const kind of flawsOf(original, ours, error)) this.#ours[kind]++;
    const what: DifferenceKind[] = [];
    if (legacy !== original) {
      what.push(...flawsOf(original, legacy, error));
      if (legacy.length < original.length) what.push('cut');
      else what.push(legacy.length > original.length ? 'longer' : 'changed');
    }
    await this.#note(of, output, original, ours, legacy, what);
  }

  async #note(
    { callId, tool }: ResultOf,
    { id }: OutputRecord,
    original: string,
    ours: string,
    legacy: string,
    what: readonly DifferenceKind[],
  ): Promise<void> {
    const lost = lostChars(original, legacy);
    const difference = {
      callId,
      tool,
      output: id,
      original_size: original.length,
      legacy_size: legacy.length,
      our_size: ours.length,
      lost_by_legacy: lost,
      what,
    };
    await this.#onCompared(difference);
    if (what.length === 0) {
      this.#identical++;
      return;
    }
    this.#lost += lost;
    for (const kind of what) this.#kinds[kind]++;
    this.#differences.push(difference);
    if (this.#differences.length > MOST_DIFFERENCES) this.#differences.shift();
  }
}

function flawsOf(original: string, shown: string, error: string | null): ('json' | 'characters' | 'error')[] {
  const flaws: ('json' | 'characters' | 'error')[] = [];
  if (isJson(original) && !isJson(shown)) flaws.push('json');
  if (original.isWellFormed() && !shown.isWellFormed()) flaws.push('characters');
  // An error line that was itself cut to fit is compared by its beginning.
  if (error !== null && !shown.includes(error.replace(/…$/, '').slice(0, 80))) flaws.push('error');
  return flaws;
}

/** What the beginning and the end of both have in common is kept; the rest is not. */
function lostChars(original: string, legacy: string): number {
  const most = Math.min(original.length, legacy.length);
  let start = 0;
  while (start < most && original[start] === legacy[start]) start++;
  let end = 0;
  while (end < most - start && original.at(-1 - end) === legacy.at(-1 - end)) end++;
  return original.length - start - end;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Then it is none.
    return false;
  }
}
