/**
 * From a tool's result to the answer. A result within its limits passes as it came and is stored
 * right after; a larger one is stored while it arrives and answered by its projection. One budget
 * holds for all text and for structured content that says something new.
 */
import type {
  Call,
  CaptureEnd,
  OpenCapture,
  OpenPart,
  Outcome,
  Policy,
  Processed,
  Spillway,
} from '@spillway/core';
import type { Effective } from '@spillway/core/plugin';
import { answerWith } from './answers.ts';
import { boundedStructure } from './bounded.ts';
import { type AnswerRules, resultMessage } from './message.ts';
import type { ToolCall } from './pending.ts';
import { repeats } from './repeats.ts';
import { ResultScan } from './result-scan.ts';
import { ENVELOPE, type ScanStep } from './scan-steps.ts';
import type { Structured, ToolDirectory } from './tool-directory.ts';
import { withoutClaims } from './upstream-claims.ts';
import { RESULT } from './wording.ts';

export interface ToolResultsOptions {
  readonly spillway: Spillway;
  readonly scope: string;
  readonly session: string;
  /** How the server is called, for settings by pattern (`mcp__NAME__*`). */
  readonly server: string;
  readonly structured: Structured;
  readonly strict: boolean;
  readonly tools: ToolDirectory;
  readonly storeOpens: () => Promise<boolean>;
  readonly failed: () => void;
  readonly stored?: () => Promise<void>;
}

/** Results passed on but not stored yet; beyond this, the next one waits. */
const MOST_BEHIND = 64;
/** Results stored and projected at a time: each takes about a megabyte meanwhile. */
const MOST_AT_ONCE = 8;
/** Up to this size, results pass whole if nothing can be stored. */
const MOST_WITHOUT_STORE = 1_000_000;
/**
 * Room for what Claude Code appends to a result with a link: `[Resource link: full output]
 * artifact://art_…`.
 */
const LINK_ROOM = 80;
/** A message with little text, such as an image, is held up to this size. */
const MOST_HELD = 24 * 1024 * 1024;
/** The lowest limit that can be set. */
const LEAST_CHARS = 300;
const MOST_BOUNDED = 32 * 1024 * 1024;

type Steps = readonly ScanStep[];

interface CallSettled {
  readonly name: string;
  readonly effective: Effective;
}

export class ToolResults {
  readonly #options: ToolResultsOptions;
  readonly #behind = new Set<Promise<unknown>>();
  readonly #slots = new Slots(MOST_AT_ONCE);
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

  /** Synchronous if the message passes as it is. */
  whole(call: ToolCall, rules: AnswerRules, bytes: Buffer): Buffer | Promise<Buffer> {
    const scan = new ResultScan();
    const steps = [...scan.push(bytes), ...scan.finish()];
    if (!scan.valid) return bytes;
    const { policy } = this.effective(call);
    const mayPass = !this.#options.strict && policy.redact === 'off';
    if (mayPass && staysAsItIs(scan, steps, policy, this.#isRead(call))) {
      const stored = this.#store(call, scan, steps);
      const passed = withoutClaims(bytes);
      return this.#behind.size <= MOST_BEHIND ? passed : stored.then(() => passed);
    }
    return this.#slots.run(async () => {
      const isSmall = mayPass && bytes.length <= MOST_WITHOUT_STORE;
      if (isSmall && !(await this.#options.storeOpens())) return withoutClaims(bytes);
      const isLinked = rules.links && isOver(scan, steps, policy, this.#isRead(call));
      const capture = await this.#open(call, isLinked ? LINK_ROOM : 0);
      await capture.take(steps);
      const processed = await capture.finish(scan, endOf(scan), this.#isRead(call));
      return this.#answer(call, rules, scan, capture, processed, bytes);
    });
  }

  async streamed(
    call: ToolCall,
    rules: AnswerRules,
    id: string,
    chunks: AsyncIterable<Uint8Array>,
    end: () => StreamEnd,
  ): Promise<Buffer> {
    const scan = new ResultScan();
    const { policy } = this.effective(call);
    const capture = await this.#open(call, rules.links ? LINK_ROOM : 0);
    // A char has at most four bytes, and structured content may repeat it.
    const mostText = policy.strategy === 'none' ? Number.POSITIVE_INFINITY : policy.inlineLimit * 8;
    /** The message, as long as it may still pass as it came. */
    let held: Uint8Array[] | null = [];
    let bytes = 0;
    for await (const chunk of chunks) {
      const steps = scan.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_HELD || scan.textBytes > mostText) held = null;
      held?.push(Buffer.from(chunk));
      await capture.take(steps);
      if (capture.full) break;
    }
    await capture.take(scan.finish());
    const ended = end();
    const complete = scan.valid && ended.complete && !capture.full;
    const outcome: Outcome = ended.complete ? { status: scan.isError ? 'error' : 'ok' } : ended.outcome;
    const processed = await capture.finish(scan, { outcome, complete }, this.#isRead(call));
    if (complete)
      return this.#answer(call, rules, scan, capture, processed, held === null ? null : Buffer.concat(held));
    const why = !ended.complete ? ended.why : capture.full ? RESULT.tooLarge : RESULT.notJson;
    return this.#partial(rules, id, processed, why);
  }

  async keep(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const scan = new ResultScan();
    const call = { tool: this.#options.server, input: undefined, inputText: undefined, policy: undefined };
    const capture = await this.#open(call);
    for await (const chunk of chunks) await capture.take(scan.push(chunk));
    await capture.take(scan.finish());
    await capture.finish(scan, { outcome: { status: 'crashed' }, complete: false }, true);
  }

  async settled(): Promise<void> {
    while (this.#behind.size > 0) await Promise.allSettled(this.#behind);
  }

  #store(call: ToolCall, scan: ResultScan, steps: Steps): Promise<void> {
    if (this.effective(call).policy.exclude !== 'nothing') return Promise.resolve();
    const { spillway, failed, stored } = this.#options;
    const storing = this.#slots
      .run(async () => {
        const capture = await this.#open(call);
        await capture.take(steps);
        const processed = await capture.finish(scan, endOf(scan), this.#isRead(call));
        if ((await spillway.sealed(processed)) === null) failed();
        else await stored?.();
      })
      .catch(failed);
    const tracked = storing.finally(() => this.#behind.delete(tracked));
    this.#behind.add(tracked);
    return tracked;
  }

  async #answer(
    call: ToolCall,
    rules: AnswerRules,
    scan: ResultScan,
    capture: ResultCapture,
    processed: Processed,
    bytes: Buffer | null,
  ): Promise<Buffer> {
    const { projection } = processed;
    const { metadata } = projection;
    const tooLarge = scan.blocks.some((block) => block.kind === 'other' && block.json === null);
    const isOther = metadata.artifact_id !== null || metadata.ill_formed || metadata.redacted !== undefined;
    const cut = metadata.was_truncated || isOther || tooLarge;
    const structuredBytes = this.#isRead(call) ? (scan.structured?.sample.bytes ?? 0) : 0;
    const repeated = structuredBytes > this.effective(call).policy.inlineLimit;
    if (!cut && !repeated && bytes !== null) return withoutClaims(bytes);
    const record = await this.#options.spillway.sealed(processed);
    const stored = record?.parts.filter(({ role, notes }) => role === 'content' && !notes.includes('copy'));
    const parts = {
      scan,
      projection,
      rules,
      structured: await this.#structured(call, scan, record?.id ?? null),
      scanned: capture.scanned(),
      storedBytes: stored?.reduce((sum, part) => sum + part.bytes, 0) ?? 0,
    };
    return answerWith(parts, metadata.was_truncated && bytes !== null ? bytes.length : null);
  }

  /** Otherwise a view or a program reads it. */
  #isRead({ tool }: Pick<ToolCall, 'tool'>): boolean {
    const { structured, tools } = this.#options;
    return structured !== 'keep' && tools.get(tool)?.feedsView !== true;
  }

  /** All of it if no model reads it; a bounded form if asked for; else none. */
  async #structured(call: ToolCall, scan: ResultScan, id: string | null) {
    const { structured, tools, spillway, scope } = this.#options;
    const isRead = this.#isRead(call);
    if (isRead && structured === 'omit') return null;
    if (scan.structured === null || scan.structured.sample.bytes > MOST_BOUNDED) return null;
    const written = scan.structured.sample.whole
      ? scan.structured.sample.prefix.toString('utf8')
      : id === null
        ? null
        : await textOf(await spillway.readRaw({ artifact_id: id, part: 'structured' }, scope));
    if (written === null) return null;
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
  async #open(call: ToolCall, room = 0): Promise<ResultCapture> {
    const { spillway, scope, session, server } = this.#options;
    const { input, inputText, callId } = call;
    const { inlineLimit } = this.effective(call).policy;
    const less = room === 0 ? {} : { inlineLimit: Math.max(LEAST_CHARS, inlineLimit - room) };
    const policy = { ...call.policy, ...less };
    const described: Call = {
      tool: this.#settled(call).name,
      session,
      scope,
      server,
      ...(callId === undefined ? {} : { callId }),
      ...(input === undefined ? {} : { input }),
      ...(inputText === undefined ? {} : { inputText }),
    };
    return new ResultCapture(await spillway.open(described, { policy }));
  }
}

/**
 * One tool result on its way into the store: scan steps become parts of an output. Structured
 * content is closed last, once it is known whether it repeats a text.
 */
class ResultCapture {
  readonly #capture: OpenCapture;
  readonly #parts = new Map<number, OpenPart>();
  #structured: OpenPart | null = null;
  full = false;

  constructor(capture: OpenCapture) {
    this.#capture = capture;
    const envelope = { role: 'envelope', kind: 'binary', name: 'message', alone: true } as const;
    this.#parts.set(ENVELOPE, capture.part(envelope));
  }

  async take(steps: Steps): Promise<void> {
    for (const step of steps) {
      const part = this.#parts.get(step.part);
      if (step.step === 'begin') this.#begin(step);
      else if (step.step === 'write') this.full = (await part?.write(step.bytes)) === false || this.full;
      else if (part !== this.#structured) await part?.end();
    }
  }

  /**
   * Closes the output and returns what to show. `isRead`: whether a model reads structured content,
   * too.
   */
  async finish(scan: ResultScan, end: CaptureEnd, isRead: boolean): Promise<Processed> {
    const copy = scan.structured !== null && (!isRead || repeats(scan.texts, scan.structured.sample));
    await this.#structured?.end(copy ? ['copy'] : []);
    return this.#capture.finish(end);
  }

  scanned(): ReadonlyMap<number, number> {
    return new Map([...this.#parts].map(([scanned, { index }]) => [index, scanned]));
  }

  #begin({ part, kind, name, mediaType }: Extract<ScanStep, { step: 'begin' }>): void {
    const type = kind === 'text' ? mediaType : 'application/json';
    const media = type === undefined ? {} : { mediaType: type };
    const opened = this.#capture.part({ kind, name, alone: true, ...media });
    if (name === 'structured') this.#structured = opened;
    this.#parts.set(part, opened);
  }
}

export type StreamEnd =
  | { readonly complete: true }
  | { readonly complete: false; readonly outcome: Outcome; readonly why: string };

function endOf(scan: ResultScan): CaptureEnd {
  return { outcome: { status: scan.isError || scan.errorPart !== null ? 'error' : 'ok' }, complete: true };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
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

function staysAsItIs(scan: ResultScan, steps: Steps, policy: Policy, isRead: boolean): boolean {
  if (policy.clean === 'always') return false;
  if (policy.maxLines !== null || policy.maxTokens !== null || policy.perPartLimit !== null) return false;
  if (scan.blocks.some((block) => block.kind === 'other' && block.json === null)) return false;
  return !charsOf(scan, steps).illFormed && !isOver(scan, steps, policy, isRead);
}

function isOver(
  scan: ResultScan,
  steps: Steps,
  { strategy, inlineLimit: limit }: Policy,
  isRead: boolean,
): boolean {
  const { texts, structured } = charsOf(scan, steps);
  if (strategy === 'none') return false;
  if (texts > limit) return true;
  if (!isRead || texts + structured <= limit) return false;
  return structured > limit || scan.structured === null || !repeats(scan.texts, scan.structured.sample);
}

function charsOf(
  scan: ResultScan,
  steps: Steps,
): { readonly texts: number; readonly structured: number; readonly illFormed: boolean } {
  const others = new Set(scan.blocks.flatMap(({ kind, part }) => (kind === 'other' ? [part] : [])));
  let texts = 0;
  let structured = 0;
  let illFormed = false;
  for (const step of steps) {
    if (step.step !== 'write' || step.part < 0 || others.has(step.part)) continue;
    const text = Buffer.from(step.bytes.buffer, step.bytes.byteOffset, step.bytes.length).toString('utf8');
    if (text.includes('\uFFFD')) illFormed = true;
    if (step.part === scan.structured?.part) structured += text.length;
    else texts += text.length;
  }
  return { texts, structured, illFormed };
}
