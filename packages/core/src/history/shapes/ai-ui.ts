/**
 * UI messages of the AI SDK (`UIMessage`), as plain data. An assistant's message holds several
 * steps, each with calls and their results in one part; here every step is a message, followed by
 * its results, and writing puts them together again. Import what is finished: a message is never
 * changed once it is kept.
 */
import type { ToolResult } from '../../capture/result.ts';
import type { Outcome } from '../../model/outcome.ts';
import { isError, type SentPart, type SentResult, textOf } from '../message.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import {
  dataOf,
  dataUrl,
  extrasOf,
  type Fields,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  parsed,
  recordsOf,
  textField,
} from './json.ts';
import { onlyText, writeBlocks, writeData } from './results.ts';
import {
  type ImportedMessage,
  type ImportedPart,
  type ImportedResult,
  Losses,
  type Shape,
  urlOf,
} from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'ai_ui';
/** The state of a call that a person did not allow; the reason stands with the approval. */
const DENIED = 'output-denied';
const RESULT_FIELDS = ['output', 'errorText', 'state', 'preliminary'];

export const aiUi: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.ai_ui,
  unsent: ['id', 'metadata', 'state', 'title', 'rawInput', 'preliminary', 'approval', 'toolMetadata'],
  read(given) {
    return { messages: recordsOf(given).flatMap(readMessage), losses: [] };
  },
  write(messages) {
    const losses = new Losses();
    const written: { id: unknown; fields: Fields; parts: Fields[] }[] = [];
    for (const [i, message] of messages.entries()) {
      if (message.role === 'tool') continue;
      const results = messages[i + 1]?.role === 'tool' ? [...(messages[i + 1]?.parts ?? [])] : [];
      const kept = keptFor(NAME, message);
      const id = kept.$id ?? message.id;
      const parts = message.parts.flatMap((part) => writePart(message.id, part, results, losses));
      const last = written.at(-1);
      if (last !== undefined && last.id === id) last.parts.push(...parts);
      else written.push({ id, fields: { id, role: message.role, ...ownFields(kept) }, parts });
    }
    return { messages: written.map(({ fields, parts }) => ({ ...fields, parts })), losses: losses.list };
  },
};

function readMessage(message: Fields): ImportedMessage[] {
  const id = textField(message, 'id');
  const role = textField(message, 'role') as ImportedMessage['role'];
  const steps: Fields[][] = [[]];
  for (const part of recordsOf(message.parts)) {
    if (part.type === 'step-start' && steps.at(-1)?.length !== 0) steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps.flatMap((step, number) => {
    const named = id === '' ? {} : { id: steps.length === 1 ? id : `${id}/step-${number + 1}` };
    const kept = extrasOf(NAME, message, ['id', 'role', 'parts'], id === '' ? {} : { $id: id });
    const messages: ImportedMessage[] = [{ ...named, role, parts: step.map(readPart), ...kept }];
    for (const result of step.flatMap((part) => readResult(part) ?? []))
      messages.push({
        ...(id === '' ? {} : { id: `${id}/result/${result.callId}` }),
        role: 'tool',
        parts: [result],
      });
    return messages;
  });
}

function toolOf(part: Fields): string | null {
  const type = textField(part, 'type');
  if (type === 'dynamic-tool') return textField(part, 'toolName');
  return type.startsWith('tool-') && typeof part.toolCallId === 'string' ? type.slice('tool-'.length) : null;
}

function readPart(part: Fields): ImportedPart {
  const tool = toolOf(part);
  if (tool !== null)
    return {
      type: 'call',
      callId: textField(part, 'toolCallId'),
      tool,
      input: jsonOf(part.input ?? null),
      ...extrasOf(NAME, part, ['toolCallId', 'input', ...RESULT_FIELDS], {
        ...(hasEnded(part) ? {} : { $state: part.state ?? null }),
        ...(part.input === undefined ? { $noInput: true } : {}),
      }),
    };
  if (part.type === 'text' && typeof part.text === 'string')
    return { type: 'text', text: part.text, ...extrasOf(NAME, part, ['type', 'text']) };
  const data = part.type === 'file' ? dataUrl(textField(part, 'url')) : null;
  if (data !== null && data.mediaType === part.mediaType)
    return {
      type: 'media',
      mediaType: data.mediaType,
      data: data.base64,
      ...extrasOf(NAME, part, ['type', 'url', 'mediaType']),
    };
  return embeddedMedia(NAME, part) ?? dataOf(NAME, part, 'part');
}

/** Whether there is a result, or there never will be one. */
function hasEnded(part: Fields): boolean {
  return 'output' in part || 'errorText' in part || part.state === DENIED;
}

function readResult(part: Fields): ImportedResult | null {
  const tool = toolOf(part);
  if (tool === null || !hasEnded(part)) return null;
  const failed = part.state === 'output-error';
  const denied = part.state === DENIED;
  const reason = isRecord(part.approval) ? part.approval.reason : undefined;
  const result: ToolResult = failed
    ? { kind: 'text', text: textField(part, 'errorText') }
    : denied
      ? { kind: 'text', text: typeof reason === 'string' ? reason : '' }
      : typeof part.output === 'string'
        ? { kind: 'text', text: part.output }
        : { kind: 'value', value: part.output };
  const outcome: Outcome | undefined = failed
    ? { status: 'error' }
    : denied
      ? { status: 'cancelled' }
      : undefined;
  const extra = {
    $state: part.state ?? null,
    ...(part.preliminary === undefined ? {} : { $preliminary: part.preliminary }),
  };
  return {
    type: 'result',
    callId: textField(part, 'toolCallId'),
    tool,
    result,
    ...(outcome === undefined ? {} : { outcome }),
    ...(part.preliminary === true ? { stage: 'preliminary' as const } : {}),
    foreign: { [NAME]: extra },
  };
}

/** Takes the result of a call out of `results`: calls of one message may have the same id. */
function writePart(id: string, part: SentPart, results: SentPart[], losses: Losses): Fields[] {
  const kept = keptFor(NAME, part);
  const own = ownFields(kept);
  if (part.type === 'text') return [{ type: 'text', text: part.text, ...own }];
  if (part.type === 'media') {
    const { mediaType } = part;
    return [closedAround(NAME, part) ?? { type: 'file', url: urlOf(part), mediaType, ...own }];
  }
  if (part.type === 'call') {
    const at = results.findIndex((one) => one.type === 'result' && one.callId === part.callId);
    const [result] = at < 0 ? [] : results.splice(at, 1);
    const answer =
      result?.type === 'result' && result.synthetic === null
        ? writeResult(id, result, losses)
        : { state: kept.$state ?? 'input-available' };
    const input = parsed(part.input.trim() === '' ? '{}' : part.input, (text) => {
      losses.add(id, `that the arguments of ${part.callId} are no JSON: they are a text`);
      return text;
    });
    const type = typeof own.type === 'string' ? {} : { type: `tool-${part.tool}` };
    const given = kept.$noInput === true ? {} : { input };
    return [{ ...type, ...own, toolCallId: part.callId, ...given, ...answer }];
  }
  return part.type === 'data' ? writeData(NAME, id, part, losses) : [];
}

function writeResult(id: string, result: SentResult, losses: Losses): Fields {
  const { $state: state, $preliminary: preliminary } = keptFor(NAME, result);
  if (state === DENIED) return { state };
  if (isError(result)) return { state: state ?? 'output-error', errorText: textOf(result) };
  const more = preliminary === undefined ? {} : { preliminary };
  const [only] = result.blocks;
  const json = result.blocks.length === 1 && only?.type === 'json';
  if (json) return { state: state ?? 'output-available', output: parsed(only.text), ...more };
  const text = onlyText(result);
  if (text !== null) return { state: state ?? 'output-available', output: text, ...more };
  const { written, dropped } = writeBlocks(NAME, result.blocks, (block) =>
    block.type === 'media'
      ? { type: 'file', mediaType: block.mediaType, url: urlOf(block) }
      : { type: 'text', text: block.text },
  );
  if (dropped > 0) losses.add(id, `${dropped} files in the result of ${result.callId}`);
  return { state: state ?? 'output-available', output: written, ...more };
}
