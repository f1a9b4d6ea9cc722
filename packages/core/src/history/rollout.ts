/**
 * Brings a history into a host that already has one: which sessions it is switched on for, a shadow
 * that compares the host's old path with ours, filling in what old records had lost, and what a
 * screen shows after a reload.
 */
import { createHash } from 'node:crypto';
import type { NotProjected, Source, TextResult, ToolResult } from '../capture/result.ts';
import { invalidArgument, SpillwayError } from '../model/errors.ts';
import type { MessageResult } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import type { SessionName } from '../model/session.ts';
import type { WaitOptions } from '../model/store.ts';
import { SYNTHETIC_MARK } from '../wording/history.ts';
import type { CanonicalWriter } from './canonical.ts';
import { canonicalBlocks } from './content.ts';
import { forCall, type SessionContext } from './context.ts';
import { type Message, type ResultOf, type SentPart, type SentResult, textOf } from './message.ts';
import { messagesAbove } from './read-session.ts';
import { parsed } from './shapes/json.ts';

/** `off`: the host's old path. `shadow`: both, and the old one answers. `on`: ours. */
export type RolloutMode = 'off' | 'shadow' | 'on';

/** Who gets what. */
export interface RolloutOptions {
  /** Share of sessions that are on, from 0 to 1. Default: 0. */
  readonly on?: number;
  /** Share of sessions that run both, next to those that are on. Default: 0. */
  readonly shadow?: number;
  /** Sessions by name, whatever their share says. */
  readonly sessions?: Readonly<Record<string, RolloutMode>>;
}

/** What a session gets. */
export function rolloutMode({ scope, session }: SessionName, options: RolloutOptions): RolloutMode {
  const { on = 0, shadow = 0, sessions = {} } = options;
  for (const [name, share] of Object.entries({ on, shadow })) {
    if (!(share >= 0 && share <= 1))
      throw invalidArgument(`The share \`${name}\` must be a number from 0 to 1.`);
  }
  if (Object.hasOwn(sessions, session)) return sessions[session] ?? 'off';
  const hash = createHash('sha256')
    .update(JSON.stringify(['', scope, session]))
    .digest();
  const bucket = hash.readUIntBE(0, 6) / 2 ** 48;
  if (bucket < on) return 'on';
  // Shadows come from the other end, so that growing `on` takes sessions out of `off` first.
  return bucket >= 1 - shadow ? 'shadow' : 'off';
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

type RecordResult = (
  of: ResultOf,
  result: TextResult,
  wait: WaitOptions,
) => Promise<{ readonly output: OutputRecord }>;

/** Both paths of one session. */
export class Shadow {
  readonly #context: SessionContext;
  readonly #record: RecordResult;
  readonly #legacy: LegacyPath;
  readonly #report = {
    results: 0,
    identical: 0,
    lost_by_legacy: 0,
    kinds: { cut: 0, changed: 0, json: 0, characters: 0, error: 0, longer: 0, failed: 0 },
    ours: { json: 0, characters: 0, error: 0 },
    differences: [] as ShadowDifference[],
  };

  /** @internal */
  constructor(context: SessionContext, record: RecordResult, legacy: LegacyPath) {
    this.#context = context;
    this.#record = record;
    this.#legacy = legacy;
  }

  /** Records the result, then returns, or throws, what the old path makes of it. */
  async result<R extends ToolResult>(
    of: ResultOf,
    result: R & NotProjected<R>,
    wait: WaitOptions = {},
  ): Promise<string> {
    const { output } = await this.#record(of, result as unknown as TextResult, wait);
    wait.signal?.throwIfAborted();
    const { spillway, name } = this.#context;
    const original = textOf({ blocks: await canonicalBlocks({ spillway, wait }, output) });
    const ours = (await spillway.preview({ scope: name.scope, id: output.id }, wait)).text;
    this.#report.results++;
    const difference = {
      callId: of.callId,
      tool: of.tool,
      output: output.id,
      original_size: original.length,
      our_size: ours.length,
    };
    let legacy: string;
    try {
      legacy = await this.#legacy(original, of);
    } catch (error) {
      const lost = { legacy_size: 0, lost_by_legacy: original.length };
      await this.#note({ ...difference, ...lost, what: ['failed'] });
      throw error;
    }
    const error = await spillway.firstError(output, wait);
    for (const kind of flawsOf(original, ours, error)) this.#report.ours[kind]++;
    const what: DifferenceKind[] = legacy === original ? [] : flawsOf(original, legacy, error);
    if (legacy.length < original.length) what.push('cut');
    else if (legacy !== original) what.push(legacy.length > original.length ? 'longer' : 'changed');
    const lost = { legacy_size: legacy.length, lost_by_legacy: lostChars(original, legacy) };
    await this.#note({ ...difference, ...lost, what });
    return legacy;
  }

  /** What was compared so far. */
  get report(): ShadowReport {
    return structuredClone(this.#report);
  }

  async #note(difference: ShadowDifference): Promise<void> {
    const { tool, output, what, lost_by_legacy } = difference;
    const data = {
      original_chars: difference.original_size,
      legacy_chars: difference.legacy_size,
      our_chars: difference.our_size,
      lost_chars: lost_by_legacy,
      what: what.join(' '),
    };
    await this.#context.ledger.note('compared', this.#context.name, { tool, output, data });
    const { kinds, differences } = this.#report;
    if (what.length === 0) this.#report.identical++;
    else if (differences.push(difference) > MOST_DIFFERENCES) differences.shift();
    this.#report.lost_by_legacy += lost_by_legacy;
    for (const kind of what) kinds[kind]++;
  }
}

type Flaw = 'json' | 'characters' | 'error';

function flawsOf(original: string, shown: string, error: string | null): Flaw[] {
  const flaws: Flaw[] = [];
  if (isJson(original) && !isJson(shown)) flaws.push('json');
  if (original.isWellFormed() && !shown.isWellFormed()) flaws.push('characters');
  // An error line that was itself cut to fit is compared by its beginning.
  if (error !== null && !shown.includes(error.replace(/…$/, '').slice(0, 80))) flaws.push('error');
  return flaws;
}

function lostChars(original: string, legacy: string): number {
  const most = Math.min(original.length, legacy.length);
  let start = 0;
  while (start < most && original[start] === legacy[start]) start++;
  let end = 0;
  while (end < most - start && original.at(-1 - end) === legacy.at(-1 - end)) end++;
  return original.length - start - end;
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && parsed(text, () => undefined) !== undefined;
}

/** What came of it. */
export interface Backfilled {
  /** `taken`: it counts from now on. `differs`: another text. `not_longer`: it has nothing more. */
  readonly verdict: 'taken' | 'differs' | 'not_longer';
  /** The output that counts now; null unless it was taken. */
  readonly output: OutputRecord | null;
}

const SAME_CHARS = 200;

/** Takes the source as the result of a call; one that is given up is kept as cancelled. */
export async function backfill(
  session: SessionContext,
  writer: CanonicalWriter,
  callId: string,
  source: Source,
  wait: WaitOptions,
): Promise<Backfilled> {
  const context = forCall(session, wait);
  const { name } = context;
  const result = await latestResult(context, callId);
  const kept = await context.store.find({ scope: name.scope, id: result.output });
  if (kept === undefined || 'purgedAt' in kept) throw noResult();
  const before = textOf({ blocks: await canonicalBlocks(context, kept) });
  const { tool } = result;
  // Whether it is the call's result is only known once it was read.
  const candidate = { ...name, tool, callId: `backfill/${callId}` };
  const { record } = await context.spillway.record(
    candidate,
    { kind: 'text', text: source },
    { outcome: kept.outcome, ...wait },
  );
  wait.signal?.throwIfAborted();
  const chars = record.parts.reduce((sum, part) => sum + part.chars, 0);
  if (chars <= before.length && kept.parts.some(({ hash }) => hash === record.parts[0]?.hash))
    return { verdict: 'not_longer', output: null };
  if (!(await beginsAlike(context, record, before))) return { verdict: 'differs', output: null };
  const part: MessageResult = {
    type: 'result',
    callId,
    tool,
    output: record.id,
    status: result.status,
    stage: 'backfilled',
  };
  await writer.say([{ id: `backfill/${callId}/${record.id}`, role: 'tool', parts: [part] }]);
  return { verdict: 'taken', output: record };
}

async function latestResult({ store, name }: SessionContext, callId: string): Promise<MessageResult> {
  let found: MessageResult | undefined;
  for await (const { parts } of messagesAbove({ store, name }, 0))
    for (const part of parts) if (part.type === 'result' && part.callId === callId) found = part;
  if (found === undefined) throw noResult();
  return found;
}

/** Up to where the old text says that it was cut, or for a while. */
async function beginsAlike(
  { spillway, wait }: SessionContext,
  record: OutputRecord,
  before: string,
): Promise<boolean> {
  const opening = before.slice(0, SAME_CHARS).split(/\n?(?:\.{3}|…|\[)/)[0] ?? '';
  if (opening.trim() === '') return false;
  for await (const { bytes } of spillway.contents(record, undefined, wait)) {
    let text = '';
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for await (const piece of bytes) {
      text += decoder.decode(piece, { stream: true });
      if (text.length >= SAME_CHARS) break;
    }
    return text.startsWith(opening);
  }
  return false;
}

function noResult(): SpillwayError {
  return new SpillwayError(
    'not_found',
    'The session has no kept result of that call: there is nothing to fill in.',
  );
}

/** Messages as they are kept, with what only the screen `held` before, previews among it. */
export function hydrate(kept: readonly Message[], held: readonly Message[]): Message[] {
  const real = new Map<string, SentResult | null>();
  for (const { id, parts } of held)
    for (const part of parts) {
      if (part.type !== 'result' || !isReal(part)) continue;
      real.set(keyOf(id, part), part);
      // An id that was used again does not say whose result it is.
      real.set(part.callId, real.has(part.callId) ? null : part);
    }
  const hydrated = kept.map((message) => ({
    ...message,
    parts: message.parts.map((part) => better(message.id, part, real)),
  }));
  const known = new Set(kept.map(({ id }) => id));
  const calls = new Set(
    kept.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []))),
  );
  // A result of a call that is kept has its place there already.
  const answers = (part: SentPart) => part.type === 'result' && calls.has(part.callId);
  const onlyHeld = held.filter(({ id, parts }) => !known.has(id) && !parts.every(answers));
  return [...hydrated, ...onlyHeld];
}

function better(id: string, part: SentPart, real: ReadonlyMap<string, SentResult | null>): SentPart {
  if (part.type !== 'result' || part.synthetic === null) return part;
  return real.get(keyOf(id, part)) ?? real.get(part.callId) ?? part;
}

function keyOf(id: string, { callId }: SentResult): string {
  return JSON.stringify([id, callId]);
}

function isReal(result: SentResult): boolean {
  const { preview } = result as { readonly preview?: unknown };
  if (result.synthetic !== null || preview !== undefined || result.blocks.length === 0) return false;
  return !textOf(result).startsWith(SYNTHETIC_MARK);
}
