/**
 * What an agent hands to its hook after a tool ran, and what it takes back. Each agent has a file
 * that reads its JSON and writes its answer; the rest is the same for all of them.
 */

import type { ContentBlock, Outcome, Projection, ToolResult } from '@spillway/core';
import { type Fields, isFields } from '../fields.ts';

/** A tool's result that can be shown in part without changing its shape. */
export interface BoundableResult {
  readonly captured: ToolResult;
  /** The agent cut it before the hook was called, and the rest cannot be read. */
  readonly sourceTruncated?: boolean;
  readonly outcome?: Outcome;
  /** Chars that the agent itself would have shown of it. Default: all of it. */
  readonly hostChars?: number;
  /** Chars that stand around what is shown of it. */
  readonly addedChars?: number;
  /** Where its notice goes: into the one text that there is, or into a block of its own. */
  readonly notice: 'embedded' | 'block';
  /**
   * The same result with what a model should read of it in place of its text. `ordinalOf` tells
   * which part of the result a part of the output is, from 0.
   */
  shownAs(projection: Projection, ordinalOf: (part: number) => number): unknown;
}

export interface HookCall {
  readonly tool: string;
  readonly callId?: string;
  readonly session: string;
  readonly cwd: string;
  readonly input: unknown;
  /** Whether the tool is the agent's own shell, which runs the line `command` of its input. */
  readonly isShell?: boolean;
  readonly result: BoundableResult;
  /** Whether the tool reads a file, or a range of one: files are read to be edited. */
  readonly isReading?: boolean;
  /** Set where the result must stay as it is: a program reads it, or how it ended is not known. */
  readonly storeOnly?: true;
  /** The most chars that the agent passes on without cutting them itself. */
  readonly mostChars?: number;
}

export interface HookAgent {
  readonly name: string;
  /** Told of every call first, also of those that pass. */
  note?(given: Fields): void;
  /** Null where there is nothing that can be replaced: the result passes. */
  read(given: Fields): HookCall | null;
  /** What the agent is sent so that its model reads `shown` instead of the result. */
  answer(shown: unknown, given: Fields): Fields;
}

/** What an agent calls the fields of what it hands over; its event, where it has several. */
export interface CallNames {
  readonly event?: string;
  readonly tool: string;
  readonly input: string;
  readonly result: string;
  readonly session: string;
  readonly callId?: string;
}

/** As Claude Code has them, and agents that took its hooks over. */
export const CLAUDE_NAMES = {
  tool: 'tool_name',
  input: 'tool_input',
  result: 'tool_response',
  session: 'session_id',
  callId: 'tool_use_id',
} as const;

/** An agent by its names. `resultOf` reads what is its own: the result, and what it overrides. */
export function hookAgent(
  agent: Omit<HookAgent, 'read'>,
  names: CallNames,
  resultOf: (
    tool: string,
    result: unknown,
    given: Fields,
  ) => (Partial<HookCall> & Pick<HookCall, 'result'>) | null,
): HookAgent {
  return {
    ...agent,
    read(given) {
      const tool = given[names.tool];
      const isOther = names.event !== undefined && given.hook_event_name !== names.event;
      const own = isOther || typeof tool !== 'string' ? null : resultOf(tool, given[names.result], given);
      if (own === null) return null;
      const callId = text(given[names.callId ?? '']);
      return {
        tool: tool as string,
        session: text(given[names.session]) ?? agent.name,
        cwd: text(given.cwd) ?? process.cwd(),
        input: given[names.input],
        ...(callId === undefined ? {} : { callId }),
        ...own,
      };
    },
  };
}

/** The agents' own shells. MCP servers stand in the names of their tools. */
export function isShellTool(tool: unknown): boolean {
  return /^(?:bash|powershell)$/i.test(String(tool));
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

// Shapes of results that several agents share: a text, and the content blocks of MCP.

/** The texts of a result, as far as they are here; links to resources are none. */
export function textsOf({ captured }: BoundableResult): string[] {
  if (captured.kind === 'text') return typeof captured.text === 'string' ? [captured.text] : [];
  if (captured.kind !== 'blocks' || !Array.isArray(captured.blocks)) return [];
  return captured.blocks.flatMap((block: ContentBlock) => (block.type === 'text' ? [block.text] : []));
}

export function charsOf(result: BoundableResult): number {
  return textsOf(result).join('').length;
}

/** `put` returns the result with another text in it. */
export function textResult(text: string, put: (text: string) => unknown): BoundableResult {
  return {
    captured: { kind: 'text', text },
    notice: 'embedded',
    shownAs: (projection) => put(projection.text),
  };
}

/**
 * Blocks with a `text` are bounded; all others stay what they are and in their order. `put` returns
 * the result with other blocks in it.
 */
export function blocksResult(
  blocks: readonly unknown[],
  put: (blocks: readonly unknown[]) => unknown,
): BoundableResult | null {
  if (blocks.length === 0 || !blocks.every(isFields)) return null;
  return {
    captured: { kind: 'blocks', blocks: blocks.map(capturedBlock) },
    notice: 'block',
    shownAs: ({ blocks: shown }, ordinalOf) =>
      put(
        shown.map((block) => {
          const original = block.part === undefined ? undefined : blocks[ordinalOf(block.part)];
          if (block.type === 'part') return original;
          return { ...(isTextBlock(original) ? original : { type: 'text' }), text: block.text };
        }),
      ),
  };
}

function capturedBlock(block: Fields): ContentBlock {
  if (isTextBlock(block)) return { type: 'text', text: block.text };
  const { type, data, mimeType } = block;
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string')
    return { type, data, mimeType };
  return { type: 'other', json: JSON.stringify(block) };
}

/** Gemini's parts have no `type`. */
export function isTextBlock(block: unknown): block is Fields & { readonly text: string } {
  return isFields(block) && typeof block.text === 'string' && (block.type ?? 'text') === 'text';
}
