/**
 * Model messages of the AI SDK (`ModelMessage`), as plain data: results in messages of role `tool`,
 * each with a typed output.
 */
import type { ToolResult } from '../../capture/result.ts';
import type { Outcome } from '../../model/outcome.ts';
import { isError, type Message, type SentPart, type SentResult, textOf } from '../message.ts';
import { mediaBlock, readMedia, writeBlock, writeMedia } from './ai-media.ts';
import { closedAround, embeddedMedia } from './embedded.ts';
import {
  dataOf,
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
import { onlyText, plainContent, plainText, resultOf, writeBlocks, writeData } from './results.ts';
import { type ImportedMessage, type ImportedPart, type ImportedResult, Losses, type Shape } from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'ai_model';

export const aiModel: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.ai_model,
  unsent: ['cacheControl', 'cachePoint', 'title', 'providerExecuted'],
  usage: [['usage', 'inputTokens']],
  read(given) {
    return { messages: recordsOf(given).flatMap(readMessage), losses: [] };
  },
  write(messages) {
    const losses = new Losses();
    const written: Fields[] = [];
    for (const message of messages) {
      const { byProvider, others } = splitByRunner(message);
      const before = written.at(-1);
      if (byProvider.length > 0 && before !== undefined)
        written.splice(-1, 1, withResults(before, byProvider.map(writeResult)));
      if (others.parts.length > 0 || byProvider.length === 0) written.push(...writeMessage(others, losses));
    }
    return { messages: written, losses: losses.list };
  },
  messagesOf({ responseMessages, response }) {
    if (Array.isArray(responseMessages)) return responseMessages;
    return isRecord(response) && Array.isArray(response.messages) ? response.messages : undefined;
  },
  // The SDK refuses system messages among the others.
  bodyOf(messages) {
    const instructions = messages.filter(({ role }) => role === 'system');
    const others = messages.filter(({ role }) => role !== 'system');
    return { ...(instructions.length === 0 ? {} : { instructions }), messages: others };
  },
  toolOf: ({ description, inputSchema }) => ({ description, inputSchema: standardSchema(inputSchema) }),
};

/**
 * A schema in both forms that versions of the SDK take: a standard schema, and its own, without which
 * version 5 fails before the adapter can refuse it. Retrieval checks the arguments itself.
 */
function standardSchema(schema: Fields): Fields {
  const jsonSchema = () => structuredClone(schema);
  const validate = (value: unknown) => ({ value });
  const standard = {
    version: 1,
    vendor: 'spillway',
    validate,
    jsonSchema: { input: jsonSchema, output: jsonSchema },
  };
  const checked = (value: unknown) => ({ success: true, value });
  const own = { [Symbol.for('vercel.ai.schema')]: true, jsonSchema: schema, validate: checked };
  return { '~standard': standard, ...own };
}

function readMessage(message: Fields): ImportedMessage[] {
  const role = textField(message, 'role') as ImportedMessage['role'];
  const kept = (extra: Fields) => extrasOf(NAME, message, ['role', 'content'], extra);
  if (typeof message.content === 'string')
    return [{ role, parts: [{ type: 'text', text: message.content }], ...kept({ $text: true }) }];
  const about = ownFields((kept({}).foreign?.[NAME] as Fields | undefined) ?? {});
  const parts = recordsOf(message.content).map((part) =>
    part.type === 'tool-result' ? readResult(part, role, about) : readPart(part),
  );
  const results = parts.filter((part) => part.type === 'result');
  const others = parts.filter((part) => part.type !== 'result');
  // A provider that runs tools itself answers in the assistant's message.
  const messages: ImportedMessage[] =
    others.length === 0 && results.length > 0 ? [] : [{ role, parts: others, ...kept({}) }];
  if (results.length > 0) messages.push({ role: 'tool', parts: results });
  return messages;
}

function readPart(part: Fields): ImportedPart {
  const kept = (known: readonly string[]) => extrasOf(NAME, part, ['type', ...known]);
  if (part.type === 'text' && typeof part.text === 'string')
    return { type: 'text', text: part.text, ...kept(['text']) };
  if (part.type === 'tool-call')
    return {
      type: 'call',
      callId: textField(part, 'toolCallId'),
      tool: textField(part, 'toolName'),
      input: jsonOf(part.input ?? null),
      ...kept(['toolCallId', 'toolName', 'input']),
    };
  const media = part.type === 'image' || part.type === 'file' ? readMedia(part) : null;
  if (media !== null) return media;
  return embeddedMedia(NAME, part) ?? dataOf(NAME, part, 'part');
}

function readResult(part: Fields, role: string, about: Fields): ImportedResult {
  const output = isRecord(part.output) ? part.output : {};
  const { result, outcome } = resultOfOutput(output);
  const extra = {
    $output: { ...output, value: undefined },
    ...(role === 'tool' ? {} : { $role: role }),
    ...(Object.keys(about).length === 0 ? {} : { $about: about }),
  };
  return {
    type: 'result',
    callId: textField(part, 'toolCallId'),
    tool: textField(part, 'toolName'),
    result,
    ...(outcome === undefined ? {} : { outcome }),
    ...(part.preliminary === true ? { stage: 'preliminary' as const } : {}),
    ...extrasOf(NAME, part, ['type', 'toolCallId', 'toolName', 'output'], extra),
  };
}

function resultOfOutput(output: Fields): { readonly result: ToolResult; readonly outcome?: Outcome } {
  const { type, value } = output;
  const error = { status: 'error' } as const;
  if (type === 'text' || type === 'error-text') {
    const result = { kind: 'text', text: String(value ?? '') } as const;
    return type === 'text' ? { result } : { result, outcome: error };
  }
  if (type === 'content') {
    return { result: resultOf(NAME, value, (block) => plainText(block, 'text') ?? mediaBlock(block)) };
  }
  if (type === 'execution-denied')
    return { result: { kind: 'text', text: textField(output, 'reason') }, outcome: { status: 'cancelled' } };
  const result = { kind: 'blocks', blocks: [{ type: 'json', value }] } as const;
  return type === 'error-json' ? { result, outcome: error } : { result };
}

function writeMessage(message: Message, losses: Losses): Fields[] {
  const { id, role, parts } = message;
  const kept = keptFor(NAME, message);
  if (role === 'tool') {
    const results = parts.filter((part) => part.type === 'result');
    const [first] = results;
    const about = first === undefined ? {} : keptFor(NAME, first).$about;
    const others = parts.flatMap((part) => (part.type === 'result' ? [] : writePart(id, part, losses)));
    const content = [...others, ...results.map((part) => writeResult(part))];
    return [{ role, content, ...(isRecord(about) ? about : ownFields(kept)) }];
  }
  const content = parts.flatMap((part) => writePart(id, part, losses));
  const text = kept.$text === true || role === 'system' ? plainContent(content) : null;
  return [{ role, content: text ?? content, ...ownFields(kept) }];
}

/** Results of calls that the provider ran itself, which stand in the message of their calls. */
function splitByRunner(message: Message): {
  readonly byProvider: readonly SentResult[];
  readonly others: Message;
} {
  const isByProvider = (part: SentPart): part is SentResult =>
    part.type === 'result' && keptFor(NAME, part).$role === 'assistant';
  const byProvider = message.parts.filter(isByProvider);
  const parts = message.parts.filter((part) => !isByProvider(part));
  return { byProvider, others: byProvider.length === 0 ? message : { ...message, parts } };
}

/** Each behind its call. */
function withResults(message: Fields, results: readonly Fields[]): Fields {
  const content = recordsOf(message.content).flatMap((part) => {
    const own =
      part.type === 'tool-call' ? results.filter((each) => each.toolCallId === part.toolCallId) : [];
    return [part, ...own];
  });
  return { ...message, content };
}

function writePart(id: string, part: SentPart, losses: Losses): Fields[] {
  const kept = keptFor(NAME, part);
  const own = ownFields(kept);
  if (part.type === 'text') return [{ type: 'text', text: part.text, ...own }];
  if (part.type === 'call') {
    const input = parsed(part.input.trim() === '' ? '{}' : part.input, (text) => {
      losses.add(id, `that the arguments of ${part.callId} are no JSON: they are a text`);
      return text;
    });
    return [{ type: 'tool-call', toolCallId: part.callId, toolName: part.tool, input, ...own }];
  }
  if (part.type === 'media') return [closedAround(NAME, part) ?? writeMedia(part, kept)];
  return part.type === 'data' ? writeData(NAME, id, part, losses) : [];
}

function writeResult(result: SentResult): Fields {
  const kept = keptFor(NAME, result);
  const { callId: toolCallId, tool: toolName } = result;
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: outputOf(result, kept.$output),
    ...ownFields(kept),
  };
}

/** In the form it came, where what is shown still has that form. */
function outputOf(result: SentResult, form: unknown): Fields {
  const { value: _, ...kept } = isRecord(form) ? form : {};
  const only = onlyText(result);
  if (kept.type === 'execution-denied') return kept;
  if ((kept.type === 'json' || kept.type === 'error-json') && only !== null) {
    const value = parsed(only, () => undefined);
    if (value !== undefined) return { ...kept, value };
  }
  if (kept.type === 'content' || result.blocks.some(({ type }) => type === 'media'))
    return { type: 'content', ...kept, value: writeBlocks(NAME, result.blocks, writeBlock).written };
  const text = only ?? textOf(result);
  const type = isError(result) ? 'error-text' : 'text';
  return { ...(kept.type === type ? kept : {}), type, value: text };
}
