/**
 * From a tool's result to the answer. A result within its limits passes as it came and is stored
 * right after; a larger one is stored while it arrives and answered by its projection. One budget
 * holds for all text and for structured content that says something new.
 */

import { isUtf8 } from 'node:buffer';
import type { Call, CaptureEnd, Outcome, Policy, Processed, Spillway } from '@spillway/core';
import type { Effective } from '@spillway/core/plugin';
import { defined, sum } from '../fields.ts';
import { answerWith, withoutClaims } from './answers.ts';
import { boundedStructure } from './bounded.ts';
import type { Incoming, Large } from './incoming.ts';
import { type AnswerRules, resultMessage } from './message.ts';
import type { ToolCall } from './pending.ts';
import {
  charsOf,
  type ResultChars,
  repeatsText,
  type ScannedResult,
  scannedResult,
  writeParts,
} from './result-parts.ts';
import type { ToolDirectory } from './tool-directory.ts';
import { RESULT } from './wording.ts';

export interface ToolResultsOptions {
  readonly spillway: Spillway;
  readonly scope: string;
  readonly session: string;
  /** How the server is called, for settings by pattern (`mcp__NAME__*`). */
  readonly server: string;
  readonly strict: boolean;
  readonly tools: ToolDirectory;
  readonly storeOpens: () => Promise<boolean>;
  readonly failed: () => void;
  readonly stored?: () => Promise<void>;
}

/** Results passed on but not stored yet; beyond this, the next one waits. */
const MOST_BEHIND = 64;
/** How long a result that passed may wait for others that are stored with it. */
const TOGETHER_MS = 20;
/** Results stored and projected at a time: each takes about a megabyte meanwhile. */
const MOST_AT_ONCE = 8;
/** Up to this size, results pass whole if nothing can be stored. */
const MOST_WITHOUT_STORE = 1_000_000;
/**
 * Room for what clients add to a result with a link: `[Resource link: full output] artifact://art_…`,
 * and in Gemini CLI marks around each text.
 */
const LINK_ROOM = 200;
/** A message with little text, such as an image, is held up to this size. */
const MOST_HELD = 24 * 1024 * 1024;
/** The lowest limit that can be set. */
const LEAST_CHARS = 300;
const MOST_BOUNDED = 32 * 1024 * 1024;

interface CallSettled {
  readonly name: string;
  readonly effective: Effective;
}

export class ToolResults {
  readonly #options: ToolResultsOptions;
  readonly #behind = new Set<Promise<unknown>>();
  readonly #slots = new Slots(MOST_AT_ONCE);
  #together: Promise<void> | null = null;
  readonly #known = new WeakMap<Pick<ToolCall, 'tool' | 'policy'>, CallSettled>();

  constructor(options: ToolResultsOptions) {
    this.#options = options;
  }

  /** The policy of a call, read once. Throws if the call asks for something invalid. */
  effective(call: Pick<ToolCall, 'tool' | 'policy'>): Effective {
    return this.#settled(call).effective;
  }

  /** Settings may name a tool by its own name or by the one hosts give it. */
  #settled(call: Pick<ToolCall, 'tool' | 'policy'>): CallSettled {
    const known = this.#known.get(call);
    if (known !== undefined) return known;
    const { spillway, session, server } = this.#options;
    const hosted = `mcp__${server}__${call.tool}`;
    const isHosted = Object.values(spillway.explain(hosted).origins).some(({ level }) => level === 'tool');
    const name = isHosted ? hosted : call.tool;
    const policy = call.policy === undefined ? {} : { policy: call.policy };
    const settled = { name, effective: spillway.explain(name, { session, ...policy }) };
    this.#known.set(call, settled);
    return settled;
  }

  /** `bytes` is JSON. Synchronous if the message passes as it is. */
  whole(call: ToolCall, rules: AnswerRules, bytes: Buffer): Buffer | Promise<Buffer> {
    const { policy } = this.effective(call);
    const mayPass = !this.#options.strict && policy.redact === 'off';
    const mayStay = mayPass && hasOnlyChars(policy);
    if (mayStay && isSurelySmall(bytes, policy)) return this.#passed(call, bytes);
    const result = scannedResult(bytes);
    if (!result.valid) return bytes;
    const chars = charsOf(result);
    const isLong = isOver(result, chars, policy, this.#isRead(call));
    if (mayStay && !isLong && staysAsItIs(result, chars)) return this.#passed(call, bytes);
    return this.#slots.run(async () => {
      const isSmall = mayPass && bytes.length <= MOST_WITHOUT_STORE;
      if (isSmall && !(await this.#options.storeOpens())) return withoutClaims(bytes);
      const captured = await this.#capture(
        call,
        result,
        endOf(result),
        rules.links && isLong ? LINK_ROOM : 0,
      );
      return this.#answer(call, rules, result, captured);
    });
  }

  /** `broken`: how the message ended, if it is incomplete. */
  large(
    call: ToolCall,
    rules: AnswerRules,
    id: string,
    large: Large,
    broken: Broken | null,
  ): Promise<Buffer> {
    return this.#slots.run(async () => {
      const result = scannedResult(large);
      const bad = broken ?? (result.valid ? null : NOT_JSON);
      const end = bad === null ? endOf(result) : { outcome: bad.outcome, complete: false };
      const captured = await this.#capture(call, result, end, rules.links ? LINK_ROOM : 0);
      const why = captured.full ? RESULT.tooLarge : bad?.why;
      if (why !== undefined) return this.#partial(rules, id, captured.processed, why);
      return this.#answer(call, rules, result, captured);
    });
  }

  /** What came for a call that is not known any more. */
  async keep(incoming: Incoming): Promise<void> {
    const call = { tool: this.#options.server, input: undefined, inputText: undefined, policy: undefined };
    const end: CaptureEnd = { outcome: { status: 'crashed' }, complete: false };
    await this.#capture(call, scannedResult(incoming), end);
  }

  async settled(): Promise<void> {
    while (this.#behind.size > 0) await Promise.allSettled(this.#behind);
  }

  #passed(call: ToolCall, bytes: Buffer): Buffer | Promise<Buffer> {
    const passed = withoutClaims(bytes);
    if (this.effective(call).policy.exclude !== 'nothing') return passed;
    const { failed } = this.#options;
    const stored = this.#soon().then(() => this.#store(call, bytes));
    const tracked = stored.catch(failed).finally(() => this.#behind.delete(tracked));
    this.#behind.add(tracked);
    return this.#behind.size <= MOST_BEHIND ? passed : tracked.then(() => passed);
  }

  /** Answers go first, and results that follow each other closely share a commit. */
  #soon(): Promise<void> {
    this.#together ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#together = null;
        resolve();
      }, TOGETHER_MS);
    });
    return this.#together;
  }

  async #store(call: ToolCall, bytes: Buffer): Promise<void> {
    const { spillway, failed, stored } = this.#options;
    const result = scannedResult(bytes);
    const { processed } = await this.#capture(call, result, endOf(result));
    if ((await spillway.sealed(processed)) === null) failed();
    else await stored?.();
  }

  async #answer(
    call: ToolCall,
    rules: AnswerRules,
    result: ScannedResult,
    { processed, scanned }: Captured,
  ): Promise<Buffer> {
    const { source } = result;
    const { projection } = processed;
    const { metadata } = projection;
    const { blocks, structured } = result.scan;
    const tooLarge = blocks.some((block) => block.kind === 'other' && !block.inPlace);
    const isOther = metadata.artifact_id !== null || metadata.ill_formed || metadata.redacted !== undefined;
    const cut = metadata.was_truncated || isOther || tooLarge;
    const repeated =
      structured !== undefined &&
      this.#isRead(call) &&
      structured.end - structured.start > this.effective(call).policy.inlineLimit;
    const mayBeHeld = Buffer.isBuffer(source) || source.length <= MOST_HELD;
    if (!cut && !repeated && mayBeHeld) return withoutClaims(source.subarray(0, source.length));
    const record = await this.#options.spillway.sealed(processed);
    const stored = record?.parts.filter(({ role, notes }) => role === 'content' && !notes.includes('copy'));
    const parts = {
      result,
      projection,
      rules,
      structured: this.#structured(call, result),
      scanned,
      storedBytes: sum(stored ?? [], ({ bytes }) => bytes),
    };
    return answerWith(parts, metadata.was_truncated && mayBeHeld ? source.length : null);
  }

  /** Otherwise a view or a program reads it. */
  #isRead({ tool }: Pick<ToolCall, 'tool'>): boolean {
    const { tools } = this.#options;
    return tools.structured !== 'keep' && tools.get(tool)?.feedsView !== true;
  }

  /** All of it if no model reads it; a bounded form if asked for; else none. */
  #structured(call: ToolCall, { source, scan: { structured: at } }: ScannedResult) {
    const { tools } = this.#options;
    const isRead = this.#isRead(call);
    if (isRead && tools.structured === 'omit') return null;
    if (at === undefined || at.end - at.start > MOST_BOUNDED) return null;
    const written = source.subarray(at.start, at.end).toString('utf8');
    if (!isRead) return { json: written };
    return boundedStructure(
      written,
      tools.get(call.tool)?.outputSchema,
      this.effective(call).policy.inlineLimit,
    );
  }

  async #partial(rules: AnswerRules, id: string, { projection }: Processed, why: string): Promise<Buffer> {
    await this.#options.spillway.sealed({ projection });
    const { artifact_id: artifact, original_size: size } = projection.metadata;
    const texts = size > 0 || artifact !== null ? [why, projection.text] : [why];
    return resultMessage(id, rules, {
      content: texts.map((text) => ({ type: 'text', text })),
      isError: true,
    });
  }

  /** `room`: chars left for what the client adds. */
  async #capture(call: ToolCall, result: ScannedResult, end: CaptureEnd, room = 0): Promise<Captured> {
    const { spillway, scope, session, server } = this.#options;
    const { input, inputText, callId } = call;
    const { inlineLimit } = this.effective(call).policy;
    const less = room === 0 ? {} : { inlineLimit: Math.max(LEAST_CHARS, inlineLimit - room) };
    const described: Call = {
      tool: this.#settled(call).name,
      session,
      scope,
      server,
      ...defined({ callId, input, inputText }),
    };
    const capture = await spillway.open(described, { policy: { ...call.policy, ...less } });
    const isCopy = !this.#isRead(call) || repeatsText(result);
    const { scanned, full } = await writeParts(capture, result, isCopy);
    return { scanned, full, processed: await capture.finish(full ? { ...end, complete: false } : end) };
  }
}

interface Captured {
  readonly scanned: ReadonlyMap<number, number>;
  readonly full: boolean;
  readonly processed: Processed;
}

export interface Broken {
  readonly outcome: Outcome;
  readonly why: string;
}

const NOT_JSON: Broken = { outcome: { status: 'crashed' }, why: RESULT.notJson };

function endOf({ scan: { isError, pieces } }: ScannedResult): CaptureEnd {
  const failed = isError || pieces.some(({ name }) => name === 'error');
  return { outcome: { status: failed ? 'error' : 'ok' }, complete: true };
}

/** Limits how many tasks run at a time; others wait in order. */
export class Slots {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    // A freed slot passes to the next waiter without being counted again.
    if (this.#running < this.#most) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

/** Whether the policy asks for nothing but a number of chars. */
function hasOnlyChars({ clean, maxLines, maxTokens, perPartLimit }: Policy): boolean {
  return clean !== 'always' && maxLines === null && maxTokens === null && perPartLimit === null;
}

/** A message has no more chars than bytes. Escapes may be ill-formed text. */
function isSurelySmall(bytes: Buffer, { inlineLimit }: Policy): boolean {
  return bytes.length <= inlineLimit && isUtf8(bytes) && !bytes.includes('\\u') && !bytes.includes('\uFFFD');
}

function staysAsItIs({ scan }: ScannedResult, { illFormed }: ResultChars): boolean {
  return !illFormed && scan.blocks.every((block) => block.kind === 'text' || block.inPlace);
}

function isOver(
  result: ScannedResult,
  { texts, structured }: ResultChars,
  { strategy, inlineLimit: limit }: Policy,
  isRead: boolean,
): boolean {
  if (strategy === 'none') return false;
  if (texts > limit) return true;
  if (!isRead || texts + structured <= limit) return false;
  return structured > limit || !repeatsText(result);
}
