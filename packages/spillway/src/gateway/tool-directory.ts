/**
 * What is known of the upstream's tools, learned from the lists that pass: which may have a
 * `truncation` argument of their own, and which promise structured content. A list is passed on as
 * it was written, but for two things: the promise of structured content goes, unless a bounded form
 * of it is sent, and the tool that fetches more is added on the last page, under a name that no
 * other tool has.
 */
import { GET_ARTIFACT } from '@spillway/core';
import type { ToolDefinition } from '@spillway/core/plugin';
import {
  addedElement,
  type Edit,
  edited,
  elementsOf,
  type Member,
  membersOf,
  stringIn,
  valueIn,
  withoutMember,
} from './json-edit.ts';
import type { Message } from './message.ts';

/** Claude Code offers tools only once a model has searched for them, unless they say so. */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true };

export interface KnownTool {
  /** Whether an argument `truncation` may be the tool's own. */
  readonly mayTakeTruncation: boolean;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  /** Whether a view of the client reads its structured content (MCP Apps); a model does not. */
  readonly feedsView: boolean;
}

/** What becomes of structured content that is too large for a model. */
export type Structured = 'omit' | 'bounded' | 'keep';

export class ToolDirectory {
  readonly #tools = new Map<string, KnownTool>();
  readonly #structured: Structured;
  readonly #definition: ToolDefinition;
  #complete = false;

  /** `definition`: the tool that fetches more, before its name is known. */
  constructor(structured: Structured, definition: ToolDefinition = GET_ARTIFACT) {
    this.#structured = structured;
    this.#definition = definition;
  }

  /** The name of the tool that fetches more. */
  get ownName(): string {
    let { name } = this.#definition;
    while (this.#tools.has(name)) name = `spillway_${name}`;
    return name;
  }

  get(tool: string): KnownTool | undefined {
    return this.#tools.get(tool);
  }

  /** Whether schemas of results matter. */
  get keepsSchemas(): boolean {
    return this.#structured === 'bounded';
  }

  /** Whether all tools have been seen. */
  get complete(): boolean {
    return this.#complete;
  }

  /** What the client is told in place of a page of the list. */
  passOn(message: Message): Buffer {
    const result = message.result;
    const tools = result.get('tools');
    const elements = tools === undefined ? null : elementsOf(message.bytes, tools.value);
    if (tools === undefined || elements === null) return message.bytes;
    const edits: Edit[] = [];
    for (const element of elements) {
      const members = membersOf(message.bytes, element);
      const name = stringIn(message.bytes, members?.get('name'));
      if (members === null || name === undefined) continue;
      const output = members.get('outputSchema');
      const input = members.get('inputSchema');
      const inputSchema = input === undefined ? undefined : valueIn(message.bytes, input.value);
      const feedsView = isApp(message.bytes, members.get('_meta'));
      this.#tools.set(name, {
        inputSchema,
        feedsView,
        mayTakeTruncation: mayTakeTruncation(inputSchema),
        outputSchema: output === undefined ? undefined : valueIn(message.bytes, output.value),
      });
      if (output !== undefined && this.#structured === 'omit' && !feedsView)
        edits.push(withoutMember(message.bytes, output));
    }
    if (stringIn(message.bytes, result.get('nextCursor')) === undefined) {
      this.#complete = true;
      edits.push(
        addedElement(
          message.bytes,
          tools.value,
          JSON.stringify({ ...this.#definition, name: this.ownName, _meta: ALWAYS_LOADED }),
        ),
      );
    }
    return edited(message.bytes, edits);
  }

  /** The list may have changed: what was learned stays until it is learned anew. */
  forget(): void {
    this.#complete = false;
  }
}

/** A tool with a view names it under `_meta.ui`; before that had a key of its own, by its address. */
function isApp(bytes: Buffer, meta: Member | undefined): boolean {
  const members = meta === undefined ? null : membersOf(bytes, meta.value);
  return members !== null && (members.has('ui') || members.has('ui/resourceUri'));
}

/** Keywords by which a schema may allow a property that `properties` does not name. */
const OPEN = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'patternProperties',
  'dependentSchemas',
  'unevaluatedProperties',
];

/**
 * False only for a schema that lists its properties, without `truncation`, and points nowhere else.
 */
function mayTakeTruncation(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const { properties, additionalProperties = false } = schema as Record<string, unknown>;
  if (typeof properties !== 'object' || properties === null) return true;
  if ('truncation' in properties || OPEN.some((keyword) => keyword in schema)) return true;
  return additionalProperties !== false;
}
