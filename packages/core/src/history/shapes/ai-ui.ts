/**
 * UI messages of the AI SDK (`UIMessage`), as plain data. An assistant's message holds several
 * steps, each with calls and their results in one part; here every step is a message, followed by
 * its results, and writing puts them together again. Import what is finished: a message is never
 * changed once it is kept.
 */
import type { MessageCall } from '../../model/message.ts';
import { isError, type SentPart, type SentResult, textOf } from '../message.ts';
import {
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
import {
  mediaAt,
  onlyText,
  type PartMap,
  readPart,
  urlOf,
  valueInput,
  writeBlocks,
  writePart,
} from './parts.ts';
import { type ImportedMessage, type ImportedPart, type ImportedResult, Losses, type Shape } from './shape.ts';

const NAME = 'ai_ui';
/** The state of a call that a person did not allow; the reason stands with the approval. */
const DENIED = 'output-denied';
const RESULT_FIELDS = ['output', 'errorText', 'state', 'preliminary'];
const CALL_FIELDS = ['toolCallId', 'state', 'input', 'output', 'errorText'];

const PARTS: PartMap = {
  name: NAME,
  readMedia(part) {
    const url = part.type === 'file' ? textField(part, 'url') : '';
    const isPlain = dataUrl(url)?.mediaType === part.mediaType && dataUrl(url) !== null;
    return isPlain ? mediaAt(url, extrasOf(NAME, part, ['type', 'url', 'mediaType'])) : null;
  },
  writeMedia: (media, own) => ({ type: 'file', url: urlOf(media), mediaType: media.mediaType, ...own }),
};

export const aiUi: Shape = {
  name: NAME,
  vocabulary: {
    roles: ['system', 'user', 'assistant'],
    types: `text reasoning reasoning-file file source-url source-document step-start custom dynamic-tool
      tool-* data-*`.split(/\s+/),
    content: 'parts',
    fields: [],
    parts: { text: ['text'], 'dynamic-tool': ['toolName', ...CALL_FIELDS], 'tool-*': CALL_FIELDS },
  },
  unsent: ['id', 'metadata', 'state', 'title', 'rawInput', 'preliminary', 'approval', 'toolMetadata'],
  read(given) {
    return { messages: recordsOf(given).flatMap(readMessage), losses: [] };
  },
  write(messages) {
    const losses = new Losses();
    const written: { id: unknown; fields: Fields; parts: Fields[] }[] = [];
    for (const [i, message] of messages.entries()) {
      if (message.role === 'tool') continue;
      const next = messages[i + 1];
      const results = next?.role === 'tool' ? [...next.parts] : [];
      const kept = keptFor(NAME, message);
      const id = kept.$id ?? message.id;
      const parts = message.parts.flatMap((part) =>
        part.type === 'call'
          ? [writeCall(message.id, part, results, losses)]
          : writePart(PARTS, message.id, part, losses),
      );
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
  const named = (name: string) => (id === '' ? {} : { id: name });
  return steps.flatMap((step, number): ImportedMessage[] => [
    {
      ...named(steps.length === 1 ? id : `${id}/step-${number + 1}`),
      role,
      parts: step.map(readStepPart),
      ...extrasOf(NAME, message, ['id', 'role', 'parts'], { $id: id === '' ? undefined : id }),
    },
    ...step
      .flatMap((part) => readResult(part) ?? [])
      .map((result) => ({
        ...named(`${id}/result/${result.callId}`),
        role: 'tool' as const,
        parts: [result],
      })),
  ]);
}

function toolOf(part: Fields): string | null {
  const type = textField(part, 'type');
  if (type === 'dynamic-tool') return textField(part, 'toolName');
  return type.startsWith('tool-') && typeof part.toolCallId === 'string' ? type.slice('tool-'.length) : null;
}

function readStepPart(part: Fields): ImportedPart {
  const tool = toolOf(part);
  if (tool === null) return readPart(PARTS, part);
  return {
    type: 'call',
    callId: textField(part, 'toolCallId'),
    tool,
    input: jsonOf(part.input ?? null),
    ...extrasOf(NAME, part, ['toolCallId', 'input', ...RESULT_FIELDS], {
      $state: hasEnded(part) ? undefined : (part.state ?? null),
      $noInput: part.input === undefined || undefined,
    }),
  };
}

/** Whether there is a result, or there never will be one. */
function hasEnded(part: Fields): boolean {
  return 'output' in part || 'errorText' in part || part.state === DENIED;
}

function readResult(part: Fields): ImportedResult | null {
  const tool = toolOf(part);
  if (tool === null || !hasEnded(part)) return null;
  const { state, preliminary } = part;
  return {
    type: 'result',
    callId: textField(part, 'toolCallId'),
    tool,
    ...endOf(part),
    ...(preliminary === true ? { stage: 'preliminary' as const } : {}),
    foreign: {
      [NAME]: { $state: state ?? null, ...(preliminary === undefined ? {} : { $preliminary: preliminary }) },
    },
  };
}

function endOf(part: Fields): Pick<ImportedResult, 'result' | 'outcome'> {
  const { state, output, approval } = part;
  if (state === 'output-error')
    return { result: { kind: 'text', text: textField(part, 'errorText') }, outcome: { status: 'error' } };
  if (state === DENIED) {
    const text = isRecord(approval) ? textField(approval, 'reason') : '';
    return { result: { kind: 'text', text }, outcome: { status: 'cancelled' } };
  }
  return {
    result: typeof output === 'string' ? { kind: 'text', text: output } : { kind: 'value', value: output },
  };
}

/** Takes the result of a call out of `results`: calls of one message may have the same id. */
function writeCall(id: string, part: MessageCall, results: SentPart[], losses: Losses): Fields {
  const kept = keptFor(NAME, part);
  const own = ownFields(kept);
  const at = results.findIndex((one) => one.type === 'result' && one.callId === part.callId);
  const [result] = at < 0 ? [] : results.splice(at, 1);
  const answer =
    result?.type === 'result' && result.synthetic === null
      ? writeResult(id, result, losses)
      : { state: kept.$state ?? 'input-available' };
  const input = valueInput(id, part, losses);
  return {
    ...(typeof own.type === 'string' ? {} : { type: `tool-${part.tool}` }),
    ...own,
    toolCallId: part.callId,
    ...(kept.$noInput === true ? {} : { input }),
    ...answer,
  };
}

function writeResult(id: string, result: SentResult, losses: Losses): Fields {
  const { $state: state, $preliminary: preliminary } = keptFor(NAME, result);
  if (state === DENIED) return { state };
  if (isError(result)) return { state: state ?? 'output-error', errorText: textOf(result) };
  const [only] = result.blocks;
  const output =
    result.blocks.length === 1 && only?.type === 'json'
      ? parsed(only.text)
      : (onlyText(result) ?? writeBlocks(PARTS, id, result, losses));
  return {
    state: state ?? 'output-available',
    output,
    ...(preliminary === undefined ? {} : { preliminary }),
  };
}
