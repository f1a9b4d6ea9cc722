/**
 * Contents of Google's Gemini API, as plain data. The system instruction travels as a content with
 * role `system`; results travel in contents of the user. Older models give calls no id: such a call
 * gets one here, and is written without it again.
 */
import type { Message, SentPart, SentResult } from '../message.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import { isUnnamed, mediaPart, readResult, writeResult } from './google-results.ts';
import {
  argumentsOf,
  dataOf,
  extrasOf,
  type Fields,
  isRecord,
  jsonOf,
  keptFor,
  ownFields,
  recordsOf,
  textField,
} from './json.ts';
import { callIdOf } from './missing-ids.ts';
import { inOrder, writeData } from './results.ts';
import {
  type ImportedMessage,
  type ImportedPart,
  isOnlyElsewhere,
  Losses,
  leftOut,
  type Shape,
} from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'google';
const ROLES: Readonly<Record<string, ImportedMessage['role']>> = { model: 'assistant', system: 'system' };

/** Calls without an id that wait for their results, in order. */
type OpenCalls = { readonly callId: string; readonly tool: string }[];

export const google: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.google,
  usage: [['usageMetadata', 'promptTokenCount']],
  unwrap: (content) => ({ role: textField(content, 'role', 'user'), fields: content }),
  read(given) {
    const open: OpenCalls = [];
    return { messages: recordsOf(given).flatMap((content) => readContent(content, open)), losses: [] };
  },
  write(messages) {
    const losses = new Losses();
    const unnamed = new Set(messages.flatMap(({ parts }) => parts.flatMap(unnamedCall)));
    const written: Fields[] = [];
    let results: SentResult[] = [];
    const take = (): Fields[] =>
      results.splice(0).map((result) => writeResult(result, unnamed.has(result.callId)));
    const flush = (): void => {
      const role = results.length === 0 ? 'user' : roleOfResults(results);
      const parts = take();
      if (parts.length > 0) written.push({ role, parts });
    };
    for (const message of messages) {
      if (message.role === 'tool') {
        results = [...results, ...message.parts.filter((part) => part.type === 'result')];
        continue;
      }
      const kept = keptFor(NAME, message);
      if (isOnlyElsewhere(message, NAME)) {
        losses.add(message.id, 'a message that only another framework can say');
        continue;
      }
      const together = '$withResults' in kept && results.length > 0;
      if (!together) flush();
      written.push(writeContent(message, kept, together ? take() : [], losses));
    }
    flush();
    return { messages: written, losses: losses.list };
  },
  messagesOf({ candidates }) {
    if (!Array.isArray(candidates)) return undefined;
    const [first] = recordsOf(candidates);
    return isRecord(first?.content) ? [first.content] : [];
  },
  bodyOf(contents) {
    const system = contents.filter(({ role }) => role === 'system').flatMap(({ parts }) => recordsOf(parts));
    const config = system.length === 0 ? {} : { systemInstruction: { parts: system } };
    return { contents: contents.filter(({ role }) => role !== 'system'), config };
  },
  toolOf: ({ name, description, inputSchema }) => ({ name, description, parametersJsonSchema: inputSchema }),
};

function readContent(content: Fields, open: OpenCalls): ImportedMessage[] {
  const role = textField(content, 'role');
  const parts = recordsOf(content.parts);
  const isResult = ({ functionResponse }: Fields): boolean => isRecord(functionResponse);
  const results = parts.filter(isResult).map((part) => readResult(part, role, open));
  const others = parts.filter((part) => !isResult(part)).map((part) => readPart(part, open));
  const messages: ImportedMessage[] = results.length === 0 ? [] : [{ role: 'tool', parts: results }];
  if (others.length === 0 && results.length > 0) return messages;
  const order = parts.map((part) => (isResult(part) ? 'r' : 'o')).join('');
  const kept = extrasOf(NAME, content, ['role', 'parts'], {
    ...(results.length > 0 ? { $withResults: order } : {}),
    ...(role === '' ? { $noRole: true } : {}),
  });
  return [...messages, { role: ROLES[role] ?? 'user', parts: others, ...kept }];
}

function readPart(part: Fields, open: OpenCalls): ImportedPart {
  const { text, functionCall, inlineData, fileData } = part;
  if (typeof text === 'string' && part.thought !== true)
    return { type: 'text', text, ...extrasOf(NAME, part, ['text']) };
  if (isRecord(functionCall)) return readCall(part, functionCall, open);
  if (isRecord(inlineData) && isPlain(inlineData, 'data'))
    return {
      type: 'media',
      mediaType: textField(inlineData, 'mimeType'),
      data: textField(inlineData, 'data'),
      ...extrasOf(NAME, part, ['inlineData']),
    };
  if (isRecord(fileData) && isPlain(fileData, 'fileUri'))
    return {
      type: 'media',
      mediaType: textField(fileData, 'mimeType'),
      source: { url: textField(fileData, 'fileUri') },
      ...extrasOf(NAME, part, ['fileData']),
    };
  const kind = part.thought === true ? 'thought' : (Object.keys(part)[0] ?? 'part');
  return embeddedMedia(NAME, part) ?? dataOf(NAME, part, kind);
}

/** A type and the bytes or the address, and nothing else. */
function isPlain(media: Fields, name: string): boolean {
  const { mimeType, [name]: content } = media;
  return typeof mimeType === 'string' && typeof content === 'string' && Object.keys(media).length === 2;
}

function readCall(part: Fields, call: Fields, open: OpenCalls): ImportedPart {
  const tool = textField(call, 'name');
  const input = jsonOf(call.args ?? {});
  const id = textField(call, 'id');
  const callId = id === '' ? callIdOf(tool, input) : id;
  if (id === '') open.push({ callId, tool });
  const more = ownExtras(call, ['id', 'name', 'args']);
  const kept = extrasOf(NAME, part, ['functionCall'], {
    ...(id === '' ? { $noId: true } : {}),
    ...('args' in call ? {} : { $noArgs: true }),
    ...(Object.keys(more).length === 0 ? {} : { $call: more }),
  });
  return { type: 'call', callId, tool, input, ...kept };
}

function ownExtras(fields: Fields, known: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.includes(name)));
}

function unnamedCall(part: SentPart): string[] {
  return part.type === 'call' && isUnnamed(part) ? [part.callId] : [];
}

function roleOfResults([first]: readonly SentResult[]): unknown {
  return (first === undefined ? undefined : keptFor(NAME, first).$role) ?? 'user';
}

function writeContent(message: Message, kept: Fields, results: readonly Fields[], losses: Losses): Fields {
  const others = message.parts.flatMap((part) => writePart(message.id, part, losses));
  const lost = others.length + results.length === 0 ? leftOut(message) : null;
  const parts = inOrder(results, lost === null ? others : [{ text: lost }], kept.$withResults);
  const role = message.role === 'assistant' ? 'model' : message.role;
  return { ...(kept.$noRole === true ? {} : { role }), parts, ...ownFields(kept) };
}

function writePart(id: string, part: SentPart, losses: Losses): Fields[] {
  const kept = keptFor(NAME, part);
  const own = ownFields(kept);
  if (part.type === 'text') return [{ text: part.text, ...own }];
  if (part.type === 'media') return [{ ...(closedAround(NAME, part) ?? mediaPart(part)), ...own }];
  if (part.type === 'call') {
    const { callId, tool: name, input } = part;
    const args = argumentsOf(input, () =>
      losses.add(id, `that the arguments of ${callId} are no JSON object: they are under "input"`),
    );
    const called = {
      ...(kept.$noId === true ? {} : { id: callId }),
      name,
      ...(kept.$noArgs === true ? {} : { args }),
    };
    return [{ functionCall: { ...called, ...(isRecord(kept.$call) ? kept.$call : {}) }, ...own }];
  }
  return part.type === 'data' ? writeData(NAME, id, part, losses) : [];
}
