/**
 * What is known of the upstream's tools from the lists that pass: which may have a `truncation`
 * argument, and which promise structured content. Lists pass as written, except that the promise of
 * structured content is removed unless a bounded form is sent, and the tool that fetches more is
 * added on the last page under a free name.
 */
import { GET_ARTIFACT } from '@spillway/core';
import type { ToolDefinition } from '@spillway/core/plugin';
import { addedElement, type Edit, edited, elementsOf, membersOf, withoutMember } from './json-edit.ts';
import type { Message } from './message.ts';

/** Claude Code defers tools without this. */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true };

export interface KnownTool {
  /** Whether an argument `truncation` may be the tool's own. */
  readonly mayTakeTruncation: boolean;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  /** A view of the client reads its structured content (MCP Apps), not a model. */
  readonly feedsView: boolean;
}

export type Structured = 'omit' | 'bounded' | 'keep';

export class ToolDirectory {
  readonly #tools = new Map<string, KnownTool>();
  readonly structured: Structured;
  readonly #definition: ToolDefinition;
  #complete = false;

  /** `definition`: the tool that fetches more, before its name is known. */
  constructor(structured: Structured, definition: ToolDefinition = GET_ARTIFACT) {
    this.structured = structured;
    this.#definition = definition;
  }

  get ownName(): string {
    let { name } = this.#definition;
    while (this.#tools.has(name)) name = `spillway_${name}`;
    return name;
  }

  get(tool: string): KnownTool | undefined {
    return this.#tools.get(tool);
  }

  get complete(): boolean {
    return this.#complete;
  }

  passOn(message: Message): Buffer {
    const { bytes, result } = message;
    const tools = result.get('tools');
    const elements = tools === undefined ? null : elementsOf(bytes, tools.value);
    if (tools === undefined || elements === null) return bytes;
    const edits: Edit[] = [];
    for (const element of elements) {
      const members = membersOf(bytes, element);
      const name = message.string(members?.get('name'));
      if (members === null || name === undefined) continue;
      const output = members.get('outputSchema');
      const inputSchema = message.value(members.get('inputSchema'));
      const meta = message.inside(members.get('_meta'));
      // A tool with a view names it under `ui`, in older servers by its address.
      const feedsView = meta.has('ui') || meta.has('ui/resourceUri');
      this.#tools.set(name, {
        inputSchema,
        feedsView,
        mayTakeTruncation: mayTakeTruncation(inputSchema),
        outputSchema: message.value(output),
      });
      if (output !== undefined && this.structured === 'omit' && !feedsView)
        edits.push(withoutMember(bytes, output));
    }
    if (message.string(result.get('nextCursor')) === undefined) {
      this.#complete = true;
      const own = { ...this.#definition, name: this.ownName, _meta: ALWAYS_LOADED };
      edits.push(addedElement(bytes, tools.value, JSON.stringify(own)));
    }
    return edited(bytes, edits);
  }

  /** What was learned stays until the list is read again. */
  forget(): void {
    this.#complete = false;
  }
}

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
 * False only if the schema lists its properties, without `truncation`, and refers to nothing else.
 */
function mayTakeTruncation(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const { properties, additionalProperties = false } = schema as Record<string, unknown>;
  if (typeof properties !== 'object' || properties === null) return true;
  if ('truncation' in properties || OPEN.some((keyword) => keyword in schema)) return true;
  return additionalProperties !== false;
}

// How clients spell the tools of their servers, by the name with which a client introduces itself.
// A notice must name a tool as its client offers it; unknown clients get the plain name.

type Spelling = (server: string, tool: string) => string;

const plain = (name: string) => name.replace(/[^\w-]/g, '_');
const doubled: Spelling = (server, tool) => `mcp__${plain(server)}__${plain(tool)}`;

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  'claude-code': doubled,
  'codex-mcp-client': doubled,
  opencode: (server, tool) => `${plain(server)}_${plain(tool)}`,
};

/** `server`: its name in the client's configuration; null if unknown. */
export function spelledName(client: string | null, server: string | null, tool: string): string {
  const spelling = client === null ? undefined : SPELLINGS[client];
  return spelling === undefined || server === null ? tool : spelling(server, tool);
}

export function isServerName(name: string): boolean {
  return /^[\p{L}\p{N}_.-](?:[\p{L}\p{N}_. -]{0,98}[\p{L}\p{N}_.-])?$/u.test(name);
}
