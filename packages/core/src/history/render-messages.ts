/**
 * Turns entries into messages that can be sent or shown: results behind their calls, media with its
 * bytes. Only reads.
 */
import type { Projection } from '../model/projection.ts';
import {
  damagedResult,
  goneMedia,
  goneResult,
  missingResult,
  unknownPart,
  unstoredResult,
} from '../wording/history.ts';
import { isShapeType, partBlock, projectedBlocks } from './content.ts';
import type { SessionContext } from './context.ts';
import { asDamaged, type Entry, type ResolvedCall } from './entries.ts';
import type { Message, ResultBlock, SentPart, SentResult } from './message.ts';
import { findKept, unlessDamaged } from './read-session.ts';

/** How the content of a result is made. */
export type ContentOf = (resolved: ResolvedCall) => Promise<readonly ResultBlock[]>;

/** A message, and behind it the results of its calls. */
export async function renderEntry(
  context: SessionContext,
  { message: { id, role, foreign }, parts, results, heading }: Entry,
  contentOf: ContentOf,
): Promise<Message[]> {
  const shown: SentPart[] = [];
  for (const part of parts) shown.push(await sentPart(context, part));
  const sent: SentResult[] = [];
  for (const one of results) {
    const result = await sentResult(one, contentOf);
    sent.push(result);
    if (heading === undefined) continue;
    shown.push({ type: 'text', text: heading(one) });
    for (const block of result.blocks)
      shown.push(block.type === 'media' ? block : { type: 'text', text: block.text });
  }
  const whole = { id, role, parts: shown, foreign };
  if (sent.length === 0 || heading !== undefined) return [whole];
  return [whole, { id: `${id}/results`, role: 'tool', parts: sent }];
}

/** What a projection shows of a result. */
export function projectedContent(
  context: SessionContext,
  shown: (resolved: ResolvedCall) => Projection | null,
): ContentOf {
  return async (resolved) => {
    if (resolved.dropped !== undefined) return [{ type: 'text', text: resolved.dropped }];
    const projection = shown(resolved);
    if (projection === null || resolved.record === null) return [];
    return projectedBlocks(context, resolved.record, projection);
  };
}

async function sentResult(resolved: ResolvedCall, contentOf: ContentOf): Promise<SentResult> {
  const { pair, record } = resolved;
  const { callId, tool } = pair.call;
  const named = { type: 'result', callId, tool } as const;
  if (record === null) {
    const status = pair.result?.status ?? 'error';
    const blocks = [{ type: 'text', text: standIn(resolved) }] as const;
    return { ...named, output: null, status, synthetic: resolved.why ?? 'missing', blocks };
  }
  const blocks = await unlessDamaged(() => contentOf(resolved));
  if (blocks === null) return sentResult(asDamaged(pair, record.id), contentOf);
  const { foreign, legacy } = pair.result ?? {};
  const { id: output, outcome } = record;
  return { ...named, output, status: outcome.status, synthetic: null, blocks, legacy, foreign };
}

/** What is said where there is no result. */
export function standIn({ pair, gone, why }: ResolvedCall): string {
  if (gone === null) return missingResult(pair);
  if (why === 'unstored') return unstoredResult(pair, gone);
  return why === 'damaged' ? damagedResult(pair, gone) : goneResult(pair, gone);
}

async function sentPart(context: SessionContext, part: Entry['parts'][number]): Promise<SentPart> {
  if (part.type !== 'media') return part;
  const { mediaType, source, foreign } = part;
  if ('url' in source) return { type: 'media', mediaType, data: source, foreign };
  const { store, name } = context;
  const found = await findKept(store, { scope: name.scope, id: source.output });
  const read = found === null ? null : await unlessDamaged(() => partBlock(context, found, source.part));
  const [block] = read ?? [];
  if (isShapeType(mediaType) && block !== undefined)
    return { type: 'text', text: unknownPart(source.output) };
  if (block?.type === 'media') return { ...block, mediaType, foreign };
  return { type: 'text', text: goneMedia(mediaType) };
}
