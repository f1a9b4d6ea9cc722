/**
 * Outputs of calls among items. An output is written in the type that its call asks for, also where
 * it was recorded by somebody else.
 */
import type { ContentBlock, ToolResult } from '../../capture/result.ts';
import { isError, type ResultBlock, type SentResult, textOf } from '../message.ts';
import type { ItemWords } from './item-words.ts';
import { extrasOf, type Fields, isRecord, keptFor, ownFields, recordsOf, textField } from './json.ts';
import { onlyText, plainImage, plainText, resultOf, writeBlocks } from './results.ts';
import { type ImportedResult, type Losses, urlOf } from './shape.ts';

const SHELL = 'shell_call_output';
const PATCH = 'apply_patch_call_output';
const LOCAL_SHELL = 'local_shell_call_output';

export function readOutput(
  words: ItemWords,
  item: Fields,
  tools: ReadonlyMap<string, string>,
): ImportedResult {
  const type = textField(item, 'type');
  const { output } = item;
  // Outputs of local shells have the id of their call as their own.
  const callId = textField(item, words.callId, textField(item, 'id'));
  const kept = extrasOf(words.name, item, ['type', words.callId, 'output'], {
    ...(type === words.outputOf('function_call') ? {} : { $type: type }),
    ...(type === SHELL ? { $chunks: chunksOf(output) } : {}),
    ...(isScreen(words, type) && isRecord(output)
      ? { $screen: { ...output, [words.screenshot]: undefined } }
      : {}),
    ...(Array.isArray(output) ? { $list: true } : {}),
    ...(words.hasObjects === true ? spellingOf(output) : {}),
    ...(typeof item[words.callId] === 'string' ? {} : { $byId: true }),
    ...(output === undefined || output === null ? { $none: output === null ? 'null' : 'absent' } : {}),
  });
  const tool = tools.get(callId) ?? textField(item, 'name', 'unknown');
  const outcome = item.status === 'failed' ? { outcome: { status: 'error' } as const } : {};
  return { type: 'result', callId, tool, result: contentOf(words, type, output), ...outcome, ...kept };
}

/** The one it came as, or the one that its call asks for. */
export function writeOutput(
  words: ItemWords,
  id: string,
  result: SentResult,
  call: Fields,
  losses: Losses,
): Fields {
  const kept = keptFor(words.name, result);
  const type = textField(kept, '$type', words.outputOf(textField(call, 'type', 'function_call')));
  const failing = type === PATCH;
  if (isError(result) && !failing)
    losses.add(id, `that the call ${result.callId} ended with ${result.status}`);
  const named = kept.$byId === true || type === LOCAL_SHELL ? 'id' : words.callId;
  const status =
    failing && kept.status === undefined ? { status: isError(result) ? 'failed' : 'completed' } : {};
  const output = kept.$none !== undefined && textOf(result) === '' ? NOTHING[String(kept.$none)] : undefined;
  const written = output ?? { output: outputOf(words, type, id, result, kept, losses) };
  const added = words.newOutput(result, type);
  return { type, [named]: result.callId, ...added, ...written, ...status, ...ownFields(kept) };
}

const NOTHING: Readonly<Record<string, Fields>> = { null: { output: null }, absent: {} };

/** How a text was spelled. */
function spellingOf(output: unknown): Fields {
  if (typeof output === 'string') return { $string: true };
  return isRecord(output) && typeof output.text === 'string' ? { $object: { ...output, text: '' } } : {};
}

function isScreen({ outputOf }: ItemWords, type: string): boolean {
  return type === outputOf('computer_call');
}

function contentOf(words: ItemWords, type: string, output: unknown): ToolResult {
  if (output === undefined || output === null) return { kind: 'text', text: '' };
  if (type === SHELL) {
    const texts = recordsOf(output).flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const blocks = texts.flatMap((text): ContentBlock[] =>
      typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [],
    );
    return { kind: 'blocks', blocks };
  }
  const isObject = isRecord(output) && (words.hasObjects === true || isScreen(words, type));
  if (isObject && typeof output.text === 'string') return { kind: 'text', text: output.text };
  return resultOf(words.name, isObject ? [output] : output, (block) => {
    if (block.type === 'computer_screenshot') return plainImage(block[words.screenshot], 0);
    const image = words.imageOf(block);
    const plain = image === null ? null : plainImage(image.url, Object.keys(image.rest).length);
    return plain ?? plainText(block, 'input_text');
  });
}

function outputOf(
  words: ItemWords,
  type: string,
  id: string,
  result: SentResult,
  kept: Fields,
  losses: Losses,
): unknown {
  if (type === SHELL) return shellOutput(words, result, kept.$chunks);
  if (isScreen(words, type)) return screenshot(words, id, result, kept.$screen, losses);
  const { written, dropped } = writeBlocks(words.name, result.blocks, (block) => writeBlock(words, block));
  if (dropped > 0) losses.add(id, `${dropped} files in the result of ${result.callId}`);
  const isFunction = type === words.outputOf('function_call');
  const text = kept.$list === true ? null : onlyText(result);
  if (text !== null) return isFunction ? words.textOutput(text, kept) : text;
  return isFunction || type === 'custom_tool_call_output' ? written : textOf(result);
}

function writeBlock(words: ItemWords, block: ResultBlock): Fields | null {
  if (block.type !== 'media') return { type: 'input_text', text: block.text };
  return block.mediaType.startsWith('image/') ? words.imagePart(urlOf(block)) : null;
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
function shellOutput({ exitCode }: ItemWords, result: SentResult, chunks: unknown): readonly Fields[] {
  const around = recordsOf(chunks);
  const texts = result.blocks.flatMap((block) => (block.type === 'media' ? [] : [block.text]));
  const wanted = around.flatMap(({ stdout, stderr }) => [stdout, stderr]).filter(Boolean).length;
  if (around.length > 0 && wanted === texts.length) {
    const next = (there: unknown): string => (there === true ? (texts.shift() ?? '') : '');
    return around.map((chunk) => ({ ...chunk, stdout: next(chunk.stdout), stderr: next(chunk.stderr) }));
  }
  const outcome = around.at(-1)?.outcome ?? { type: 'exit', [exitCode]: isError(result) ? 1 : 0 };
  return [{ stdout: texts.join('\n'), stderr: '', outcome }];
}

/** Only a picture can stand there. */
function screenshot(
  words: ItemWords,
  id: string,
  result: SentResult,
  screen: unknown,
  losses: Losses,
): Fields {
  const image = result.blocks.find((block) => block.type === 'media');
  const [own] = writeBlocks(words.name, result.blocks, () => null).written;
  if (own !== undefined) return own;
  if (image === undefined)
    losses.add(id, `the text of the result of ${result.callId}: only a picture has a place`);
  const about = isRecord(screen) ? screen : { type: 'computer_screenshot' };
  return { ...about, ...(image === undefined ? {} : { [words.screenshot]: urlOf(image) }) };
}
