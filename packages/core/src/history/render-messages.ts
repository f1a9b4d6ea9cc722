/**
 * Turns paired messages into messages that can be sent or shown: results behind their calls, media
 * with its bytes. Only reads.
 */
import type { MessagePart, MessageResult } from '../model/message.ts';
import type { Projection } from '../model/projection.ts';
import {
  damagedResult,
  goneMedia,
  goneResult,
  lateResult,
  missingResult,
  unknownPart,
  unsaidResult,
  unstoredResult,
} from '../wording/history.ts';
import { isShapeType, partBlock, projectedBlocks } from './content.ts';
import type { SessionContext } from './context.ts';
import type { Message, ResultBlock, SentPart, SentResult } from './message.ts';
import type { PairedMessage } from './pairing.ts';
import { unlessDamaged } from './read-session.ts';
import { asDamaged, type ResolvedCall } from './resolve-calls.ts';

/** How the content of a result is made. */
export type ContentOf = (resolved: ResolvedCall) => Promise<readonly ResultBlock[]>;

/** A message, and behind it the results of its calls. */
export async function renderMessages(
  context: SessionContext,
  { message, parts, asText }: PairedMessage,
  resolved: readonly ResolvedCall[],
  contentOf: ContentOf,
): Promise<Message[]> {
  const { id, role, foreign, scope } = message;
  if (asText === true) return [{ id, role: 'user', parts: await textParts(resolved, headingOf, contentOf) }];
  const rendered: SentPart[] = [];
  for (const part of parts) rendered.push(await speakPart(context, scope, part));
  const whole = { id, role, parts: rendered, foreign };
  if (resolved.length === 0) return [whole];
  const results: SentResult[] = [];
  for (const one of resolved) results.push(await speakResult(one, contentOf));
  return [whole, { id: `${id}/results`, role: 'tool', parts: results }];
}

/** What a projection shows of a result. */
export function projectedContent(
  { spillway }: SessionContext,
  shown: (resolved: ResolvedCall) => Projection | null,
): ContentOf {
  return async (resolved) => {
    if (resolved.dropped !== undefined) return [{ type: 'text', text: resolved.dropped }];
    const projection = shown(resolved);
    if (projection === null || resolved.record === null) return [];
    return projectedBlocks(spillway, resolved.record, projection);
  };
}

async function speakResult(resolved: ResolvedCall, contentOf: ContentOf): Promise<SentResult> {
  const { pair, record } = resolved;
  const { callId, tool } = pair.call;
  const { foreign, legacy } = pair.result ?? {};
  if (record !== null) {
    const { status } = record.outcome;
    const blocks = await unlessDamaged(() => contentOf(resolved));
    if (blocks === null) return speakResult(asDamaged(pair, record.id), contentOf);
    return {
      type: 'result',
      callId,
      tool,
      output: record.id,
      status,
      synthetic: null,
      blocks,
      legacy,
      foreign,
    };
  }
  const synthetic = resolved.why ?? 'missing';
  const status = pair.result?.status ?? 'error';
  const blocks = [{ type: 'text', text: standIn(resolved) }] as const;
  return { type: 'result', callId, tool, output: null, status, synthetic, blocks };
}

/** What is said where there is no result. */
export function standIn({ pair, gone, why }: ResolvedCall): string {
  if (gone === null) return missingResult(pair);
  if (why === 'unstored') return unstoredResult(pair, gone);
  return why === 'damaged' ? damagedResult(pair, gone) : goneResult(pair, gone);
}

/** Results whose calls were summarised before they came, as something that is said to the model. */
export async function renderLateResults(
  resolved: readonly ResolvedCall[],
  contentOf: ContentOf,
): Promise<Message> {
  const heading = ({ pair: { call } }: ResolvedCall) => lateResult(call.tool, call.callId);
  return { id: 'late-results', role: 'user', parts: await textParts(resolved, heading, contentOf) };
}

/** Above the result of a call that no message made. */
export function headingOf({ pair: { call }, record }: ResolvedCall): string {
  return unsaidResult(call, record?.summary ?? call.tool);
}

/** Results as text, each below a line that says which it is. */
async function textParts(
  resolved: readonly ResolvedCall[],
  heading: (one: ResolvedCall) => string,
  contentOf: ContentOf,
): Promise<SentPart[]> {
  const parts: SentPart[] = [];
  for (const one of resolved) {
    parts.push({ type: 'text', text: heading(one) });
    for (const block of (await speakResult(one, contentOf)).blocks)
      parts.push(block.type === 'media' ? block : { type: 'text', text: block.text });
  }
  return parts;
}

async function speakPart(
  { store, spillway }: SessionContext,
  scope: string,
  part: Exclude<MessagePart, MessageResult>,
): Promise<SentPart> {
  if (part.type !== 'media') return part;
  const { mediaType, source, foreign } = part;
  if ('url' in source) return { type: 'media', mediaType, data: source, foreign };
  const read = await unlessDamaged(async () => {
    const found = await store.find({ scope, id: source.output });
    return found === undefined || 'purgedAt' in found ? [] : partBlock(spillway, found, source.part);
  });
  const [block] = read ?? [];
  if (isShapeType(mediaType) && block !== undefined)
    return { type: 'text', text: unknownPart(source.output) };
  if (block?.type === 'media') return { ...block, mediaType, foreign };
  return { type: 'text', text: goneMedia(mediaType) };
}
