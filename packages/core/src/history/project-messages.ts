/**
 * Messages of a framework with their results bounded where they stand. Each result is recorded
 * under the id of its call, and what the model reads of it is frozen: the same list gives the same
 * bytes every time, and so does the list that came out. Everything else stays the object that was
 * given. Nothing is added to the session's messages.
 */
import type { About } from '../model/about.ts';
import type { ArtifactId } from '../model/artifact.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Projection } from '../model/projection.ts';
import type { WaitOptions } from '../model/store.ts';
import type { ProcessOptions } from '../options.ts';
import { GET_ARTIFACT } from '../wording/get-artifact.ts';
import type { CanonicalWriter } from './canonical.ts';
import { canonicalBlocks, projectedBlocks } from './content.ts';
import { forCall, type SessionContext } from './context.ts';
import type { Message, SentPart, SentResult } from './message.ts';
import { isRenderingOf, plainTexts } from './provenance.ts';
import { isOwnStandIn, readMessages } from './shapes/import.ts';
import type { Fields } from './shapes/json.ts';
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
  const recorded = new Map<ImportedResult, OutputRecord>();
  for (const given of results) {
    // Pages of artifacts are bounded already; what we put in the place of a result is none.
    if (given.tool === GET_ARTIFACT.name || isOwnStandIn(given)) continue;
    options.signal?.throwIfAborted();
    const { type: _, result, ...of } = given;
    recorded.set(given, (await writer.record({ ...of, origin: 'imported' }, result)).output);
  }
  const projections = await shown(context, [...recorded.values()], options);
  const sentResult = async (given: ImportedResult, isChanged: boolean): Promise<SentResult> => {
    const { type, callId, tool, foreign, outcome, result } = given;
    const of = { type, callId, tool, synthetic: null, foreign };
    const output = recorded.get(given);
    const projection = output === undefined ? undefined : projections.get(output.id);
    if (output === undefined || projection === undefined) {
      const blocks = (plainTexts(result) ?? []).map((text) => ({ type: 'text', text }) as const);
      return { ...of, output: null, status: outcome?.status ?? 'ok', blocks };
    }
    const blocks = isChanged
      ? await projectedBlocks(context, output, projection)
      : await canonicalBlocks(context, output);
    return { ...of, output: output.id, status: output.outcome.status, blocks };
  };
  const isChanged = (given: ImportedResult): boolean => {
    const output = recorded.get(given);
    const projection = output === undefined ? undefined : projections.get(output.id);
    return projection !== undefined && !isShownAsGiven(given, projection);
  };
  const written: unknown[] = [];
  let number = 0;
  for (const [i, message] of (list as readonly Fields[]).entries()) {
    const { messages } = shape.read([message]);
    const own = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
    const given = new Map(own.map((part) => [part, results[number++] as ImportedResult]));
    // Only messages in which a result changed are written anew.
    if (![...given.values()].some(isChanged)) {
      written.push(message);
      continue;
    }
    const sent = new Map<ImportedPart, SentResult>();
    // Read alone, a message may not know the name of its tool; its own fields are its own.
    for (const [part, one] of given)
      sent.set(part, {
        ...(await sentResult(one, isChanged(one))),
        callId: part.callId,
        foreign: part.foreign,
      });
    const made = messages.map((each) => asMessage(each, i, sent));
    written.push(...shape.write(withResultsTogether(made)).messages);
  }
  return written;
}

/** What was shown of each output before; new ones share the room and are frozen. */
async function shown(
  { store, spillway, wait }: SessionContext,
  outputs: readonly OutputRecord[],
  { about, room }: ProjectMessagesOptions,
): Promise<ReadonlyMap<ArtifactId, Projection>> {
  const projections = new Map<ArtifactId, Projection>();
  const fresh = new Map<ArtifactId, OutputRecord>();
  for (const output of outputs) {
    const frozen = await store.frozen(output.id, 'model');
    if (frozen === undefined) fresh.set(output.id, output);
    else projections.set(output.id, frozen.projection);
  }
  const made = await spillway.projectTogether([...fresh.values()], {
    ...(about === undefined ? {} : { about }),
    ...(room === undefined ? {} : { window: room }),
    ...wait,
  });
  for (const [i, output] of [...fresh.values()].entries()) {
    const record = made[i];
    if (record === undefined) continue;
    projections.set(output.id, (await spillway.freeze(output, record, 'first', wait)).projection);
  }
  return projections;
}

/** Whether a result stays as it is: it fits, or it is what was shown of it before. */
function isShownAsGiven({ result }: ImportedResult, { text, metadata }: Projection): boolean {
  const { was_truncated, elided_chars } = metadata;
  if (!was_truncated && elided_chars === 0) return true;
  return (plainTexts(result) ?? []).some((given) => isRenderingOf(given, text));
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
  results: ReadonlyMap<ImportedPart, SentResult>,
): Message {
  const sent = parts.flatMap((part): SentPart | readonly SentPart[] => {
    if (part.type === 'result') return results.get(part) ?? [];
    if (part.type !== 'media' || 'source' in part)
      return part.type === 'media' ? { ...part, data: part.source } : part;
    const { type, mediaType, data, foreign } = part;
    const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
    return { type, mediaType, data: { base64 }, foreign };
  });
  return { id: id ?? String(index), role, parts: sent, foreign };
}
