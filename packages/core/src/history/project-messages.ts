/**
 * Messages of a framework with their results bounded where they stand. Each result is recorded
 * under the id of its call, and what the model reads of it is frozen: the same list gives the same
 * bytes every time, and so does the list that came out. Everything else stays the object that was
 * given. Nothing is added to the session's messages.
 */
import type { ContentBlock, ToolResult } from '../capture/result.ts';
import type { About } from '../model/about.ts';
import type { ArtifactId } from '../model/artifact.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Projection } from '../model/projection.ts';
import type { WaitOptions } from '../model/store.ts';
import type { ProcessOptions } from '../options.ts';
import { GET_ARTIFACT } from '../wording/get-artifact.ts';
import type { CanonicalWriter } from './canonical.ts';
import { projectedBlocks } from './content.ts';
import { forCall, type SessionContext } from './context.ts';
import type { Message, ResultBlock, SentPart, SentResult } from './message.ts';
import { isRenderingOf, plainTexts } from './provenance.ts';
import { isOwnStandIn, readMessages } from './shapes/import.ts';
import { type Fields, jsonOf } from './shapes/json.ts';
import {
  type ImportedMessage,
  type ImportedPart,
  type ImportedResult,
  Losses,
  type Shape,
} from './shapes/shape.ts';

/** How results are bounded where they stand. */
export interface ProjectMessagesOptions extends WaitOptions {
  /** What the agent is after: lines of new results that touch it count more. */
  readonly about?: About;
  /** The window of the model and what is used of it: new results share what is left. */
  readonly room?: ProcessOptions['window'];
}

interface Recorded {
  readonly given: ImportedResult;
  readonly output: OutputRecord;
}

/** The messages, with what a model reads of each result in its stead. */
export async function projectMessages(
  writer: CanonicalWriter,
  session: SessionContext,
  shape: Shape,
  list: unknown,
  options: ProjectMessagesOptions,
): Promise<readonly unknown[]> {
  const context = forCall(session, options);
  const read = readMessages(shape, list, new Losses());
  const results = read.flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
  const recorded: Recorded[] = [];
  for (const given of results.filter(isToBeBounded)) {
    options.signal?.throwIfAborted();
    const { type: _, result, ...of } = given;
    const { output } = await writer.record({ ...of, origin: 'imported' }, result);
    recorded.push({ given, output });
  }
  const projections = await shown(context, recorded, options);
  const bounded = new Map<ImportedResult, SentResult>();
  for (const { given, output } of recorded) {
    const projection = projections.get(output.id);
    if (projection === undefined || isShownAsGiven(given, projection)) continue;
    const blocks = await projectedBlocks(context.spillway, output, projection);
    bounded.set(given, { ...asSent(given), output: output.id, status: output.outcome.status, blocks });
  }
  return inPlace(shape, list as readonly Fields[], results, bounded);
}

/** Pages of artifacts are bounded already; what we put in the stead of a result is none. */
function isToBeBounded(result: ImportedResult): boolean {
  return result.tool !== GET_ARTIFACT.name && !isOwnStandIn(result);
}

/** What was shown of each output before; new ones share the room and are frozen. */
async function shown(
  { store, spillway }: SessionContext,
  recorded: readonly Recorded[],
  { about, room }: ProjectMessagesOptions,
): Promise<ReadonlyMap<ArtifactId, Projection>> {
  const projections = new Map<ArtifactId, Projection>();
  const fresh = new Map<ArtifactId, OutputRecord>();
  for (const { output } of recorded) {
    const frozen = await store.frozen(output.id, 'model');
    if (frozen === undefined) fresh.set(output.id, output);
    else projections.set(output.id, frozen.projection);
  }
  const made = await spillway.projectTogether([...fresh.values()], {
    ...(about === undefined ? {} : { about }),
    ...(room === undefined ? {} : { window: room }),
  });
  for (const [i, output] of [...fresh.values()].entries()) {
    const record = made[i];
    if (record === undefined) continue;
    projections.set(output.id, (await spillway.freeze(output, record)).projection);
  }
  return projections;
}

/** Whether a result stays as it is: it fits, or it is what was shown of it before. */
function isShownAsGiven({ result }: ImportedResult, { text, metadata }: Projection): boolean {
  const { was_truncated, elided_chars } = metadata;
  if (!was_truncated && elided_chars === 0) return true;
  return (plainTexts(result) ?? []).some((given) => isRenderingOf(given, text));
}

/** Only messages in which a result changed are written anew. */
function inPlace(
  shape: Shape,
  list: readonly Fields[],
  results: readonly ImportedResult[],
  bounded: ReadonlyMap<ImportedResult, SentResult>,
): readonly unknown[] {
  let number = 0;
  return list.flatMap((message, i): readonly unknown[] => {
    const { messages } = shape.read([message]);
    const own = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
    const changes = new Map(own.map((part) => [part, bounded.get(results[number++] as ImportedResult)]));
    if (![...changes.values()].some((change) => change !== undefined)) return [message];
    const sent = messages.map((each) =>
      asMessage(each, i, (part) => {
        const change = changes.get(part);
        // Read alone, a message may not know the name of its tool; its own fields are its own.
        return change === undefined
          ? asSent(part)
          : { ...change, callId: part.callId, foreign: part.foreign };
      }),
    );
    return shape.write(withResultsTogether(sent)).messages;
  });
}

/** Shapes write the results of a message from the one that follows it. */
function withResultsTogether(messages: readonly Message[]): readonly Message[] {
  const together: Message[] = [];
  for (const message of messages) {
    const last = together.at(-1);
    if (last?.role !== 'tool' || message.role !== 'tool') together.push(message);
    else together.splice(-1, 1, { ...last, parts: [...last.parts, ...message.parts] });
  }
  return together;
}

function asMessage(
  { id, role, parts, foreign }: ImportedMessage,
  index: number,
  resultOf: (part: ImportedResult) => SentResult,
): Message {
  const sent = parts.map((part) => (part.type === 'result' ? resultOf(part) : sentPart(part)));
  return { id: id ?? String(index), role, parts: sent, foreign };
}

function sentPart(part: Exclude<ImportedPart, ImportedResult>): SentPart {
  if (part.type !== 'media') return part;
  const { mediaType, foreign } = part;
  const data = 'source' in part ? part.source : { base64: base64Of(part.data) };
  return { type: 'media', mediaType, data, foreign };
}

/** A result with everything that was given. */
function asSent({ callId, tool, result, outcome, foreign }: ImportedResult): SentResult {
  const status = outcome?.status ?? 'ok';
  const blocks = blocksOf(result);
  return { type: 'result', callId, tool, output: null, status, synthetic: null, blocks, foreign };
}

function blocksOf(result: ToolResult): readonly ResultBlock[] {
  if (result.kind === 'blocks') return [...(result.blocks as Iterable<ContentBlock>)].map(blockOf);
  if (result.kind === 'value' && typeof result.value !== 'string')
    return [{ type: 'json', text: jsonOf(result.value) }];
  return (plainTexts(result) ?? []).map((text) => ({ type: 'text', text }));
}

const SHAPE_OF = /; shape=(\w+)$/;

function blockOf(block: ContentBlock): ResultBlock {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'json') return { type: 'json', text: jsonOf(block.value) };
  if (block.type !== 'other')
    return { type: 'media', mediaType: block.mimeType, data: { base64: base64Of(block.data) } };
  const shape = SHAPE_OF.exec(block.mediaType ?? '')?.[1];
  return { type: 'json', text: block.json, shape };
}

function base64Of(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('base64');
}
