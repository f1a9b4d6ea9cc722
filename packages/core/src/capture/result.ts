/**
 * What a host hands over: a text, a value, the blocks of a message, or what a command did. Each
 * becomes a list of parts, in order, each a spec and the chunks it is made of. Nothing is cut,
 * cleaned or decoded here.
 */
import { invalidArgument, type SpillwayError } from '../model/errors.ts';
import { OK, type Outcome, reasonOfFailure } from '../model/outcome.ts';
import type { Call } from '../model/output.ts';
import type { PartSpec } from '../model/part.ts';
import type { ProjectedText, Projection } from '../model/projection.ts';
import { abortable } from '../text/abortable.ts';
import { nearest } from '../text/nearest.ts';
import { valueChunks } from '../text/value.ts';
/** A piece of text or bytes. */
export type Chunk = string | Uint8Array;

/** Text or bytes: at once, or as they come. */
export type Source = Chunk | Iterable<Chunk> | AsyncIterable<Chunk>;

/** A text, or the bytes of one. */
export interface TextResult {
  readonly kind: 'text';
  /** A string, bytes, or a stream of either. */
  readonly text: Source;
}

/**
 * A JavaScript value. A string is text as it is; anything else becomes JSON, a large value piece by
 * piece: leave it as it is until it is recorded.
 */
export interface ValueResult {
  readonly kind: 'value';
  /** Anything; what JSON cannot say (BigInt, NaN, cycles) gets a tagged form. */
  readonly value: unknown;
}

/** The blocks of a message: text, images, anything else. */
export interface BlocksResult {
  readonly kind: 'blocks';
  /** All at once, or as they come. */
  readonly blocks: Iterable<ContentBlock> | AsyncIterable<ContentBlock>;
}

/**
 * A block of a message: a text, an image or sound (base64 or bytes), a JSON value, or `other`, which
 * is JSON text that is kept as it is.
 */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly mediaType?: string }
  | { readonly type: 'image' | 'audio'; readonly data: string | Uint8Array; readonly mimeType: string }
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'other'; readonly json: string; readonly mediaType?: string };

/** What a command did. Its streams are read at the same time. */
export interface ExecResult {
  readonly kind: 'exec';
  /** What it printed. */
  readonly stdout?: Source;
  /** What it printed to standard error. */
  readonly stderr?: Source;
  /** The exit code; null if it was ended by a signal. */
  readonly exitCode?: number | null;
  /** The name of the signal that ended it. */
  readonly signal?: string | null;
  /** Whether it was ended because its time was up. */
  readonly timedOut?: boolean;
  /** Whether it was cancelled by its caller. */
  readonly cancelled?: boolean;
  /** How long it ran. */
  readonly durationMs?: number;
  /** The time that was up, if it timed out. */
  readonly timeoutMs?: number;
}

/** What an interpreter did: what it printed, the value it returned, the error it stopped with. */
export interface ReplResult {
  readonly kind: 'repl';
  /** What it printed, as it was written. */
  readonly printed?: Source;
  /** The value that it returned. */
  readonly value?: unknown;
  /** What it stopped with. */
  readonly error?: string;
  /** In place of `printed`: what each call of `print` said, a line each. */
  readonly printOutput?: readonly string[];
  /** In place of `value`. */
  readonly output?: unknown;
}

/** What a tool returned, in the shape the host has it. */
export type ToolResult = TextResult | ValueResult | BlocksResult | ExecResult | ReplResult;

/**
 * `never` for anything that came out of our renderer: a projection cannot be recorded as if a tool
 * had said it. Members that a result of its kind does not have are `never` too.
 */
export type NotProjected<R> = R extends ProjectedText | Projection | { readonly text: ProjectedText }
  ? never
  : R & NoOthers<R>;

type NoOthers<R> = R extends { readonly kind: infer K }
  ? { readonly [M in Exclude<keyof R, keyof Extract<ToolResult, { readonly kind: K }>>]?: never }
  : unknown;

type Check = (value: unknown, path: string) => void;

/** Every member of a result, by kind, and what it must be. A stream may come as a text or blocks. */
const MEMBERS: { readonly [K in ToolResult['kind']]: Readonly<Record<string, Check>> } = {
  text: { text: isText },
  value: { value: isHere },
  blocks: { blocks: areBlocks },
  exec: {
    stdout: mayBeText,
    stderr: mayBeText,
    exitCode: mayBeWhole,
    signal: isHere,
    timedOut: isHere,
    cancelled: isHere,
    durationMs: mayBeNumber,
    timeoutMs: mayBeNumber,
  },
  repl: { printed: mayBeText, value: isHere, error: mayBeText, printOutput: isHere, output: isHere },
} satisfies { [R in ToolResult as R['kind']]: { [M in Exclude<keyof R, 'kind'>]-?: Check } };

const BLOCKS: { readonly [T in ContentBlock['type']]: Readonly<Record<string, Check>> } = {
  text: { text: isText, mediaType: isHere },
  image: { data: isText, mimeType: isHere },
  audio: { data: isText, mimeType: isHere },
  json: { value: isHere },
  other: { json: isText, mediaType: isHere },
};

/**
 * Refuses unknown members, promises and values that are not text before anything is recorded: a
 * mistake of the host is not a crash of its tool.
 */
export function checkedResult<R extends ToolResult>(result: R): ToolResult {
  if (result === null || typeof result !== 'object' || !Object.hasOwn(MEMBERS, result.kind))
    throw invalidArgument('A result is of kind text, value, blocks, exec or repl.');
  const { kind, ...given } = result;
  checkMembers(`A result of kind ${kind}`, given, MEMBERS[kind], '');
  return result.kind === 'repl' ? withOwnNames(result) : result;
}

/** `at` is the path to what is checked. */
function checkMembers(
  what: string,
  given: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, Check>>,
  at: string,
): void {
  const names = Object.keys(members);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || names.includes(name)) continue;
    const near = nearest(name, names);
    const known = near === undefined ? `it has ${names.join(', ')}.` : `did you mean ${near}?`;
    throw invalidArgument(`${what} has no \`${name.slice(0, 60)}\`: ${known} Nothing was stored.`);
  }
  for (const [name, check] of Object.entries(members)) check(given[name], `${at}${name}`);
}

function withOwnNames({ printOutput, output, ...result }: ReplResult): ReplResult {
  for (const [name, own, isBoth] of [
    ['printOutput', 'printed', printOutput !== undefined && result.printed !== undefined],
    ['output', 'value', output !== undefined && result.value !== undefined],
  ] as const)
    if (isBoth) throw invalidArgument(`Give ${name} or ${own}, not both. Nothing was stored.`);
  if (printOutput !== undefined && !Array.isArray(printOutput))
    throw invalidArgument('`printOutput` is a list of texts. Nothing was stored.');
  return {
    ...result,
    ...(printOutput === undefined ? {} : { printed: printOutput.join('\n') }),
    ...(output === undefined ? {} : { value: output }),
  };
}

export interface PartSource {
  readonly spec: PartSpec;
  readonly chunks: Source;
  /** Complete after the last chunk. */
  readonly notes: readonly string[];
}

export function partsOf(result: ToolResult): readonly PartSource[] | AsyncIterable<PartSource> {
  if (result.kind === 'text')
    return [{ spec: { role: 'content', kind: 'text', name: 'text' }, chunks: result.text, notes: [] }];
  if (result.kind === 'value') return [valuePart(result.value, 'value', 'content')];
  if (result.kind === 'blocks') return blockParts(result.blocks);
  if (result.kind === 'exec')
    return [streamPart('stdout', result.stdout), streamPart('stderr', result.stderr)];
  return replParts(result);
}

/** The arguments of a call as a part of its output: as they were written, where that is known. */
export function inputPart(input: unknown, written: string | undefined): PartSource {
  const part = valuePart(input, 'input', 'input');
  return written === undefined ? part : { spec: { ...part.spec, kind: 'json' }, chunks: written, notes: [] };
}

export function failurePart(failure: unknown): PartSource {
  return streamPart('error', reasonOfFailure(failure));
}

export function outcomeOf(result: ToolResult): Outcome {
  if (result.kind === 'repl') return result.error === undefined ? OK : { status: 'error' };
  if (result.kind !== 'exec') return OK;
  const { exitCode, signal, timedOut, cancelled, durationMs, timeoutMs } = result;
  const status =
    timedOut === true
      ? 'timeout'
      : cancelled === true
        ? 'cancelled'
        : (exitCode ?? 0) !== 0 || signal
          ? 'error'
          : 'ok';
  return {
    status,
    ...(typeof exitCode === 'number' ? { exitCode } : {}),
    ...(signal ? { signal } : {}),
    ...(typeof durationMs === 'number' ? { durationMs } : {}),
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
  };
}

function areBlocks(blocks: unknown, path: string): void {
  isHere(blocks, path);
  if (typeof blocks !== 'object' || blocks === null)
    throw invalidArgument(`\`${path}\` must be a list of blocks. Nothing was stored.`);
  // Streamed blocks are checked when they come.
  if (Array.isArray(blocks)) for (const [i, block] of blocks.entries()) isBlock(block, `${path}[${i}]`);
}

function isBlock(given: unknown, path: string): void {
  isHere(given, path);
  const { type, ...block } = (given ?? {}) as ContentBlock;
  if (!Object.hasOwn(BLOCKS, type))
    throw invalidArgument(`A block is of type ${Object.keys(BLOCKS).join(', ')}.`);
  checkMembers(`A block of type ${type}`, block, BLOCKS[type], `${path}.`);
}

function mayBeText(value: unknown, path: string): void {
  isText(value ?? '', path);
}

function mayBeWhole(value: unknown, path: string): void {
  mayBeNumber(value, path, Number.isInteger, 'a whole number');
}

function mayBeNumber(value: unknown, path: string, isRight = Number.isFinite, what = 'a number'): void {
  isHere(value, path);
  if ((value ?? null) === null || isRight(value)) return;
  throw invalidArgument(`\`${path}\` must be ${what}. Nothing was stored.`);
}

function isText(value: unknown, path: string): void {
  isHere(value, path);
  if (!isSource(value)) throw notText();
}

function isHere(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  if (typeof (value as { readonly then?: unknown }).then !== 'function') return;
  throw invalidArgument(`\`${path}\` is a promise: await it first. Nothing was stored.`);
}

function replParts({ printed, value, error }: ReplResult): PartSource[] {
  const returned = valuePart(value, 'value', 'content');
  return [
    streamPart('printed', printed),
    { ...returned, spec: { ...returned.spec, labelled: true } },
    streamPart('error', error),
  ];
}

function streamPart(name: string, chunks: Source = ''): PartSource {
  return { spec: { role: 'content', kind: 'text', name, labelled: true }, chunks, notes: [] };
}

function valuePart(value: unknown, name: string, role: PartSpec['role']): PartSource {
  const { chunks, kind, notes } = valueChunks(value);
  const isText = kind === 'string' || kind === 'undefined';
  return { spec: { role, kind: isText ? 'text' : 'json', name, valueKind: kind }, chunks, notes };
}

async function* blockParts(blocks: BlocksResult['blocks']): AsyncGenerator<PartSource> {
  for await (const block of blocks) {
    isBlock(block, 'block');
    yield blockPart(block);
  }
}

function textSpec(mediaType: string | undefined): PartSpec {
  return { role: 'content', kind: 'text', name: 'text', ...(mediaType === undefined ? {} : { mediaType }) };
}

function blockPart(block: ContentBlock): PartSource {
  if (block.type === 'text') return { spec: textSpec(block.mediaType), chunks: block.text, notes: [] };
  if (block.type === 'json') return valuePart(block.value, 'json', 'content');
  if (block.type === 'other') {
    return {
      spec: {
        role: 'content',
        kind: 'binary',
        name: 'other',
        mediaType: block.mediaType ?? 'application/json',
      },
      chunks: block.json,
      notes: [],
    };
  }
  // Keep base64 as written: re-encoding could change it.
  const notes = typeof block.data === 'string' ? ['base64'] : [];
  return {
    spec: { role: 'content', kind: 'binary', name: block.type, mediaType: block.mimeType },
    chunks: block.data,
    notes,
  };
}

const NAMES = ['tool', 'session', 'scope'] as const;

export function checkCall(call: Call): void {
  const given = call as unknown;
  const fields = given !== null && typeof given === 'object' ? (given as Record<string, unknown>) : {};
  const missing = NAMES.find((name) => typeof fields[name] !== 'string');
  if (missing !== undefined) throw invalidArgument(`A call needs ${missing}: a string.`);
  if (fields.callId !== undefined && typeof fields.callId !== 'string')
    throw invalidArgument('The callId of a call is a string, or left out.');
}

/** The same result; its streams end when the signal is aborted. */
export function abortableResult(result: ToolResult, signal: AbortSignal | undefined): ToolResult {
  // The recorder refuses invalid results.
  if (signal === undefined || !Object.hasOwn(MEMBERS, result?.kind)) return result;
  return withStreams(result, (stream) => abortable(stream, signal));
}

export type Streamed<T> = AsyncIterable<T> | Iterable<T>;

export function withStreams<R extends ToolResult>(
  result: R,
  replace: (stream: Streamed<unknown>) => Streamed<unknown>,
): R {
  const members = MEMBERS[result.kind];
  const replaced = Object.entries(result).flatMap(([name, value]) =>
    members[name] !== isHere && isStream(value) ? [[name, replace(value)]] : [],
  );
  return { ...result, ...Object.fromEntries(replaced) };
}

function isStream(value: unknown): value is Streamed<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !ArrayBuffer.isView(value) && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

export function isSource(value: unknown): value is Source {
  if (typeof value === 'string' || value instanceof Uint8Array) return true;
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}

export function notText(): SpillwayError {
  return invalidArgument(
    'Text must come as a string or Uint8Array, or as an iterable of these. Give any other value as { kind: "value" }.',
  );
}
