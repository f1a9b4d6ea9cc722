/**
 * Messages of Mastra as it stores them (`MastraDBMessage`, format 2), as plain data. An assistant's
 * message holds several steps with calls and their results, like a UI message of the AI SDK: each
 * is read and written by way of one. What Mastra keeps beside a result for the model is not kept a
 * second time; it is told as a loss.
 */
import type { MessageCall, ShapeExtras } from '../../model/message.ts';
import type { Message, SentPart } from '../message.ts';
import { aiUi } from './ai-ui.ts';
import { type Fields, isRecord, jsonOf, parsed, recordsOf, textField } from './json.ts';
import { type ImportedMessage, Losses, type Shape } from './shape.ts';

const NAME = 'mastra';
const TOOL = 'tool-invocation';

export const mastra: Shape = {
  name: NAME,
  vocabulary: {
    roles: ['user', 'assistant', 'system', 'signal'],
    types: `text reasoning redacted-reasoning file source source-document step-start tool-invocation error
      data-*`.split(/\s+/),
    content: 'parts',
    fields: [],
    parts: { text: ['text'], [TOOL]: ['toolInvocation'] },
  },
  unsent: ['id', 'createdAt', 'threadId', 'resourceId', 'metadata', 'format', 'state', 'step'],
  usage: [['usage', 'inputTokens']],
  unwrap({ role, content }) {
    return { role: String(role ?? ''), fields: isRecord(content) ? content : { content } };
  },
  read(given) {
    const losses = new Losses();
    const { messages } = aiUi.read(recordsOf(given).map((message, i) => toUi(message, i, losses)));
    return { messages: messages.map((message) => renamed(message, aiUi.name, NAME)), losses: losses.list };
  },
  write(messages) {
    const own = new Set(messages.flatMap(({ parts }) => parts.filter(isOwnCall).map(({ callId }) => callId)));
    const { messages: written, losses } = aiUi.write(
      messages.map((message) => renamed(withStandIns(message, own), NAME, aiUi.name)),
    );
    return { messages: written.map(fromUi), losses };
  },
};

/** What was kept for one shape, under the name of the other; nothing else. */
function renamed<M extends ImportedMessage | Message>(message: M, from: string, to: string): M {
  const under = <T extends { readonly foreign?: ShapeExtras | undefined }>({ foreign, ...rest }: T): T => {
    const kept = foreign?.[from];
    return (kept === undefined ? rest : { ...rest, foreign: { [to]: kept } }) as T;
  };
  return { ...under(message), parts: message.parts.map((part) => under(part)) };
}

function isOwnCall(part: SentPart): part is MessageCall {
  return part.type === 'call' && part.foreign !== undefined && NAME in part.foreign;
}

/** A call of Mastra that waits stays as it is; others have what stands for their result. */
function withStandIns(message: Message, own: ReadonlySet<string>): Message {
  const parts = message.parts.map((part) =>
    part.type === 'result' && !own.has(part.callId) ? { ...part, synthetic: null } : part,
  );
  return { ...message, parts };
}

function toUi({ id, role, content, ...rest }: Fields, index: number, losses: Losses): Fields {
  const { parts, toolInvocations, ...about } = isRecord(content) ? content : {};
  const { createdAt } = rest;
  const kept = {
    rest,
    about,
    // They stand among the parts as well.
    ...(Array.isArray(toolInvocations) ? { listed: toolInvocations.map(callIdIn) } : {}),
    ...(role === 'signal' ? { role } : {}),
    ...(createdAt instanceof Date ? { at: createdAt.toISOString() } : {}),
  };
  const ui = recordsOf(parts).map((part) => toUiPart(part, index, losses));
  return { id, role: role === 'signal' ? 'user' : role, parts: ui, mastra: kept };
}

function fromUi({ id, role, parts, mastra: kept, ...rest }: Fields): Fields {
  const { rest: more = {}, about = { format: 2 }, listed, role: own, at } = isRecord(kept) ? kept : {};
  const written = recordsOf(parts).map(fromUiPart);
  const called = written.flatMap(({ toolInvocation }) => toolInvocation ?? []);
  const isListed = (invocation: unknown) => Array.isArray(listed) && listed.includes(callIdIn(invocation));
  return {
    id,
    role: own ?? role,
    ...(more as Fields),
    ...(typeof at === 'string' ? { createdAt: new Date(at) } : {}),
    ...rest,
    content: {
      ...(about as Fields),
      parts: written,
      ...(Array.isArray(listed) ? { toolInvocations: called.filter(isListed) } : {}),
    },
  };
}

function callIdIn(invocation: unknown): string {
  return isRecord(invocation) ? textField(invocation, 'toolCallId') : '';
}

function toUiPart(part: Fields, index: number, losses: Losses): Fields {
  if (part.type === TOOL && isRecord(part.toolInvocation))
    return toUiCall(part, part.toolInvocation, index, losses);
  if (part.type !== 'file' || typeof part.data !== 'string') return part;
  const { data, mimeType, ...rest } = part;
  const isAddress = /^(data|https?):/.test(part.data);
  const url = isAddress ? data : `data:${mimeType};base64,${data}`;
  return { ...rest, url, mediaType: mimeType, ...(isAddress ? { mastra: { address: true } } : {}) };
}

function toUiCall(part: Fields, invocation: Fields, index: number, losses: Losses): Fields {
  const { type: _, toolInvocation: __, ...outer } = part;
  const { state, toolCallId, toolName, args, result, errorText, ...more } = invocation;
  const failed = more.isError === true;
  const answer =
    state === 'output-error'
      ? { state, errorText }
      : state === 'output-denied'
        ? { state, approval: more.approval }
        : state !== 'result'
          ? { state: 'input-available' }
          : failed
            ? { state: 'output-error', errorText: typeof result === 'string' ? result : jsonOf(result) }
            : { state: 'output-available', output: result ?? null };
  const kept = {
    state,
    outer: withoutModelOutput(outer, index, losses),
    more,
    ...(failed && typeof result !== 'string' ? { json: true } : {}),
  };
  return { type: 'dynamic-tool', toolName, toolCallId, input: args, ...answer, mastra: kept };
}

function withoutModelOutput(outer: Fields, index: number, losses: Losses): Fields {
  const { providerMetadata } = outer;
  const own = isRecord(providerMetadata) ? providerMetadata.mastra : undefined;
  if (!isRecord(own) || own.modelOutput === undefined) return outer;
  losses.add(index, 'what a tool gives the model in place of its result');
  const { modelOutput: _, ...rest } = own;
  return { ...outer, providerMetadata: { ...(providerMetadata as Fields), mastra: rest } };
}

function fromUiPart(part: Fields): Fields {
  if (typeof part.toolCallId === 'string') return fromUiCall(part);
  if (part.type !== 'file') return part;
  const { url, mediaType, mastra: kept, ...rest } = part;
  const isAddress = isRecord(kept) || !String(url).startsWith('data:');
  return { ...rest, data: isAddress ? url : String(url).replace(/^[^,]*,/, ''), mimeType: mediaType };
}

function fromUiCall({ type, toolName, toolCallId, input, state, mastra: kept, ...answer }: Fields): Fields {
  const { state: was, outer = {}, more = {}, json } = isRecord(kept) ? kept : {};
  const tool = toolName ?? textField({ type }, 'type').replace(/^tool-/, '');
  const { output, errorText } = answer;
  const wasFailure = was === 'result' && state === 'output-error';
  const ended =
    state === 'output-available'
      ? { state: 'result', result: output }
      : wasFailure
        ? { state: 'result', result: json === true ? parsed(String(errorText)) : errorText }
        : state === 'output-error'
          ? { state, errorText }
          : { state: state === 'output-denied' ? state : (was ?? 'call') };
  const toolInvocation = { toolCallId, toolName: tool, args: input, ...ended, ...(more as Fields) };
  return { type: TOOL, toolInvocation, ...(outer as Fields) };
}
