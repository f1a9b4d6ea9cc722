/**
 * How a caller fetches more of an artifact. Notices and pages name only what the caller really has:
 * a model's tool, a command, or nothing. A face that has a command spells it itself.
 */
import type { ArtifactId } from './artifact.ts';
import { isShown, type PartRecord } from './part.ts';

/** What the reader of a projection has to fetch more with. */
export type FetchHint =
  | { readonly kind: 'tool'; readonly name: string }
  | CommandHint
  | { readonly kind: 'none' };

/** Commands that the reader can run, in the spelling of the program that has them. */
export interface CommandHint {
  readonly kind: 'command';
  /** Shows a place in an artifact; `args` are arguments of `get_artifact`, in order. */
  show(id: ArtifactId, args: FetchArguments): string;
  /** Writes the bytes of an artifact to files. */
  export(id: ArtifactId): string;
}

/** Arguments of `get_artifact` by their names, without the id. */
export type FetchArguments = Readonly<Record<string, string | number>>;

/** A place in an artifact: 1-based and inclusive. `part` is left out where there is only one. */
export interface FetchAddress {
  readonly part?: string;
  readonly lines?: readonly [first: number, last: number];
  readonly chars?: readonly [first: number, last: number];
  readonly pattern?: string;
  readonly context?: number;
  /** An argument that a format answers, such as `json_path`, and its value. */
  readonly byFormat?: readonly [argument: string, value: string];
  readonly cursor?: string;
}

/** The call that fetches a place; null where the reader can make none. */
export function fetchCall(hint: FetchHint, id: ArtifactId, address: FetchAddress): string | null {
  if (hint.kind === 'none') return null;
  const args = argumentsOf(address);
  return hint.kind === 'command' ? hint.show(id, args) : spellCall(hint.name, { artifact_id: id, ...args });
}

function argumentsOf(address: FetchAddress): FetchArguments {
  const { part, lines, chars, pattern, context, byFormat, cursor } = address;
  return {
    ...(part === undefined ? {} : { part }),
    ...(lines === undefined ? {} : { lines: lines.join('-') }),
    ...(chars === undefined ? {} : { chars: chars.join('-') }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(context === undefined ? {} : { context }),
    ...(byFormat === undefined ? {} : Object.fromEntries([byFormat])),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** A tool call as a model would write it. */
export function spellCall(tool: string, args: Readonly<Record<string, unknown>>): string {
  return `${tool}(${Object.entries(args)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')})`;
}

/** Longer names cost more than they tell. */
const MOST_NAME_CHARS = 60;

/** The text parts that a retrieval reads. One that repeats another is read when named. */
export function readableParts(parts: readonly PartRecord[]): PartRecord[] {
  return parts.filter((part) => isShown(part) && part.kind !== 'binary');
}

/** How a call names a part: not at all if it is the only one, by name, or by number. */
export function partAddress(parts: readonly PartRecord[], index: number): string | undefined {
  const readable = readableParts(parts);
  return readable.filter((part) => part.bytes > 0).length < 2 ? undefined : partName(readable, index);
}

/** The name of a part among those that can be read, or its number where it has none of its own. */
export function partName(readable: readonly PartRecord[], index: number): string {
  const position = readable.findIndex((part) => part.index === index);
  const name = readable[position]?.name ?? '';
  const unique = readable.filter((part) => part.name === name).length === 1;
  const plain = name.length <= MOST_NAME_CHARS && !/^\d+$|\p{C}/u.test(name);
  return unique && plain ? name : String(position + 1);
}

/** A tool as a model is told of it. */
export interface ToolDefinition {
  /** As the model calls it. */
  readonly name: string;
  /** Tells the model when to use it. */
  readonly description: string;
  /** A JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}
