/**
 * Calls and their outputs among OpenAI's response items: functions, and the tools that the API
 * itself describes (custom tools, shells, patches, computers), which are called by an item of type
 * `…_call` with a `call_id` and answered by one of type `…_call_output`. An output is written in
 * the type that its call asks for, also where it was recorded by somebody else.
 */
import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import type { MessageCall } from '../../model/message.ts';
import { isError, type Message, type ResultBlock, type SentResult, textOf } from '../message.ts';
import {
  blankOf,
  extrasOf,
  type Fields,
  filled,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  recordsOf,
  textField,
} from './json.ts';
import { onlyText, plainImage, plainText, resultOf, writeBlocks } from './results.ts';
import { type ImportedResult, type Losses, urlOf } from './shape.ts';

const NAME = 'openai_responses';
const FUNCTION = 'function_call';

/** Whether an item calls a tool that somebody else answers. */
export function isCall({ type, call_id }: Fields): boolean {
  return typeof type === 'string' && type.endsWith('_call') && typeof call_id === 'string';
}

export function isOutput(item: Fields): boolean {
  return textField(item, 'type').endsWith('_call_output');
}

/** The name of what is called; tools of the API are called by their type. */
export function toolOf(item: Fields): string {
  return textField(item, 'name', textField(item, 'type').replace(/(_tool)?_call$/, ''));
}

export function readCall(item: Fields): MessageCall {
  const call = { type: 'call', callId: textField(item, 'call_id'), tool: toolOf(item) } as const;
  if (item.type === FUNCTION) {
    const known = ['type', 'call_id', 'name', 'arguments'];
    const kept = extrasOf(NAME, item, known, blankOf(item, 'arguments'));
    return { ...call, input: textField(item, 'arguments'), ...kept };
  }
  const input =
    typeof item.input === 'string' ? item.input : jsonOf(item.action ?? item.operation ?? item.actions ?? {});
  return { ...call, input, ...extrasOf(NAME, {}, [], { $item: item }) };
}

export function writeCall(part: MessageCall): Fields {
  const kept = keptFor(NAME, part);
  const { callId, tool, input } = part;
  if (isRecord(kept.$item)) return { ...kept.$item, call_id: callId };
  return { type: FUNCTION, call_id: callId, name: tool, arguments: filled(input, kept), ...ownFields(kept) };
}

/** The items of calls that are no functions, by their ids. */
export function callItems(messages: readonly Message[]): ReadonlyMap<string, Fields> {
  const items = new Map<string, Fields>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    const item = part.type === 'call' ? keptFor(NAME, part).$item : undefined;
    if (part.type === 'call' && isRecord(item)) items.set(part.callId, item);
  }
  return items;
}

export function readOutput(item: Fields, tools: ReadonlyMap<string, string>): ImportedResult {
  const type = textField(item, 'type');
  // Outputs of local shells have the id of their call as their own.
  const callId = textField(item, 'call_id', textField(item, 'id'));
  const kept = extrasOf(NAME, item, ['type', 'call_id', 'output'], {
    ...(type === `${FUNCTION}_output` ? {} : { $type: type }),
    ...(type === SHELL ? { $chunks: chunksOf(item.output) } : {}),
    ...(type === COMPUTER && isRecord(item.output)
      ? { $screen: { ...item.output, image_url: undefined } }
      : {}),
    ...(Array.isArray(item.output) ? { $list: true } : {}),
    ...(typeof item.call_id === 'string' ? {} : { $byId: true }),
    ...(item.output === undefined || item.output === null
      ? { $none: item.output === null ? 'null' : 'absent' }
      : {}),
  });
  const tool = tools.get(callId) ?? 'unknown';
  const outcome = item.status === 'failed' ? { outcome: { status: 'error' } as const } : {};
  return { type: 'result', callId, tool, result: contentOf(type, item.output), ...outcome, ...kept };
}

/** The one it came as, or the one that its call asks for. */
export function writeOutput(id: string, result: SentResult, call: Fields, losses: Losses): Fields {
  const kept = keptFor(NAME, result);
  const asked = typeof call.type === 'string' ? `${call.type}_output` : `${FUNCTION}_output`;
  const type = textField(kept, '$type', asked);
  const failing = type === PATCH;
  if (isError(result) && !failing)
    losses.add(id, `that the call ${result.callId} ended with ${result.status}`);
  const named = kept.$byId === true || type === 'local_shell_call_output' ? 'id' : 'call_id';
  const status =
    failing && kept.status === undefined ? { status: isError(result) ? 'failed' : 'completed' } : {};
  const output = kept.$none !== undefined && textOf(result) === '' ? NOTHING[String(kept.$none)] : undefined;
  const written = output ?? { output: outputOf(type, id, result, kept, losses) };
  return { type, [named]: result.callId, ...written, ...status, ...ownFields(kept) };
}

const SHELL = 'shell_call_output';
const COMPUTER = 'computer_call_output';
const PATCH = 'apply_patch_call_output';
const NOTHING: Readonly<Record<string, Fields>> = { null: { output: null }, absent: {} };

function contentOf(type: string, output: unknown): ToolResult {
  if (output === undefined || output === null) return { kind: 'text', text: '' };
  if (type === SHELL) {
    const texts = recordsOf(output).flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const blocks = texts.flatMap((text): ContentBlock[] =>
      typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [],
    );
    return { kind: 'blocks', blocks };
  }
  const list = type === COMPUTER ? [output] : output;
  return resultOf(NAME, list, (block) => {
    const { type: kind, image_url } = block;
    if (kind === 'computer_screenshot') return plainImage(image_url, 0);
    if (kind === 'input_image') {
      const image = plainImage(image_url, Object.keys(block).length - 2);
      if (image !== null) return image;
    }
    return plainText(block, 'input_text');
  });
}

function outputOf(type: string, id: string, result: SentResult, kept: Fields, losses: Losses): unknown {
  if (type === SHELL) return shellOutput(result, kept.$chunks);
  const { written, dropped } = writeBlocks(NAME, result.blocks, writeBlock);
  if (type === COMPUTER) return screenshot(id, result, kept.$screen, losses);
  if (dropped > 0) losses.add(id, `${dropped} files in the result of ${result.callId}`);
  const text = kept.$list === true ? null : onlyText(result);
  return (
    text ?? (type === `${FUNCTION}_output` || type === 'custom_tool_call_output' ? written : textOf(result))
  );
}

function writeBlock(block: ResultBlock): Fields | null {
  if (block.type !== 'media') return { type: 'input_text', text: block.text };
  return block.mediaType.startsWith('image/') ? { type: 'input_image', image_url: urlOf(block) } : null;
}

/** What a shell said is text; around it stands how each command ended. */
function chunksOf(output: unknown): readonly Fields[] {
  return recordsOf(output).map((chunk) => ({
    ...chunk,
    stdout: typeof chunk.stdout === 'string' && chunk.stdout !== '',
    stderr: typeof chunk.stderr === 'string' && chunk.stderr !== '',
  }));
}

/** In the chunks it came in, where all of it is shown; else as one that ended like the last. */
function shellOutput(result: SentResult, chunks: unknown): readonly Fields[] {
  const around = recordsOf(chunks);
  const texts = result.blocks.flatMap((block) => (block.type === 'media' ? [] : [block.text]));
  const wanted = around.flatMap(({ stdout, stderr }) => [stdout, stderr]).filter(Boolean).length;
  if (around.length > 0 && wanted === texts.length) {
    const next = (there: unknown): string => (there === true ? (texts.shift() ?? '') : '');
    return around.map((chunk) => ({ ...chunk, stdout: next(chunk.stdout), stderr: next(chunk.stderr) }));
  }
  const outcome = around.at(-1)?.outcome ?? { type: 'exit', exit_code: isError(result) ? 1 : 0 };
  return [{ stdout: texts.join('\n'), stderr: '', outcome }];
}

/** Only a picture can stand there. */
function screenshot(id: string, result: SentResult, screen: unknown, losses: Losses): Fields {
  const image = result.blocks.find((block) => block.type === 'media');
  const [own] = writeBlocks(NAME, result.blocks, () => null).written;
  if (own !== undefined) return own;
  if (image === undefined)
    losses.add(id, `the text of the result of ${result.callId}: only a picture has a place`);
  const about = isRecord(screen) ? screen : { type: 'computer_screenshot' };
  return { ...about, ...(image === undefined ? {} : { image_url: urlOf(image) }) };
}
