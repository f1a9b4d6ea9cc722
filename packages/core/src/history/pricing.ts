/**
 * What each piece of a request costs in tokens, and how full the window is: everything that is sent
 * is counted, text, names and ids, what frameworks keep beside it, and media. Each piece says what it
 * is, so that a request which does not fit can name the largest. A share strictly above a threshold
 * has passed it.
 */
import type { MessagePart, MessageRecord } from '../model/message.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Policy } from '../model/policy.ts';
import type { Projection } from '../model/projection.ts';
import type { Weight } from '../wording/refused-requests.ts';
import type { SessionContext } from './context.ts';
import type { Entry, ResolvedCall } from './entries.ts';
import { findKept } from './read-session.ts';
import { standIn } from './render-messages.ts';
import { MESSAGE_TOKENS, mediaTokens, type WeighedMedia } from './token-counts.ts';

/** What prices depend on. */
export interface PriceOptions {
  readonly reserve?: number;
  readonly beside?: number;
  readonly mediaTokens?: number;
  readonly textResults?: boolean | undefined;
}

/** Everything of a request but the results that were not sent yet. */
export async function weighEntries(
  context: SessionContext,
  entries: readonly Entry[],
  options: PriceOptions,
): Promise<readonly Weight[]> {
  const { counts } = context;
  const { reserve = 0, beside = 0 } = options;
  const fixed = Math.round(counts.calibration.fixed(beside));
  const weights: Weight[] = [{ kind: 'reserve', name: '', tokens: reserve + fixed }];
  for (const { kind, name, message, parts, results, heading } of entries) {
    const headings = heading === undefined ? '' : results.map(heading).join('');
    const above = headings === '' ? 0 : counts.of(`alone ${headings}`, headings);
    const tokens = (await messageTokens(context, { ...message, parts }, options)) + above;
    weights.push({ kind, name, tokens });
    for (const one of results)
      weights.push({ kind: 'result', name: one.pair.call.tool, tokens: resultTokens(context, one, options) });
  }
  return weights;
}

/** A message with its parts, results not counted. */
export async function messageTokens(
  context: SessionContext,
  { id, parts, foreign }: Pick<MessageRecord, 'id' | 'foreign' | 'parts'>,
  options: PriceOptions,
): Promise<number> {
  const { counts, name } = context;
  const key = (index: number | string) => JSON.stringify([name.scope, name.session, id, index]);
  let tokens = MESSAGE_TOKENS + counts.extras(key(''), foreign);
  for (const [i, part] of parts.entries()) {
    if (part.type === 'result') continue;
    tokens += counts.extras(key(i), part.foreign);
    if (part.type === 'text') tokens += counts.of(key(i), part.text);
    else if (part.type === 'data') tokens += counts.of(key(i), `${part.name} ${part.json}`);
    else if (part.type === 'call') tokens += counts.of(key(i), `${part.tool} ${part.callId} ${part.input}`);
    else tokens += mediaTokens(await mediaOf(context, part), options.mediaTokens);
  }
  return tokens;
}

/** Tokens of a result; what is shown of it counts only if it was sent before. */
function resultTokens({ counts }: SessionContext, resolved: ResolvedCall, options: PriceOptions): number {
  const { pair, record, frozen, dropped } = resolved;
  const { callId, tool } = pair.call;
  const named = MESSAGE_TOKENS + counts.of(`result ${tool} ${callId}`, `${tool} ${callId}`);
  const beside = named + counts.extras(`result ${pair.result?.output}`, pair.result?.foreign);
  if (record === null) return beside + counts.of(`synthetic ${standIn(resolved)}`, standIn(resolved));
  if (dropped !== undefined) return beside + counts.of(`dropped ${dropped}`, dropped);
  if (frozen === null) return beside;
  return beside + shownTokens({ counts }, record, frozen, options);
}

/** What a projection shows of an output: its text, and the media that stays in place. */
export function shownTokens(
  { counts }: Pick<SessionContext, 'counts'>,
  record: OutputRecord,
  projection: Projection,
  options: PriceOptions,
): number {
  let tokens = counts.projection(record.id, projection);
  for (const block of projection.blocks) {
    if (block.type !== 'part' || options.textResults === true) continue;
    tokens += mediaTokens(storedMedia(record, block.part, ''), options.mediaTokens);
  }
  return tokens;
}

async function mediaOf(
  { store, name: { scope } }: SessionContext,
  { mediaType, source }: Extract<MessagePart, { readonly type: 'media' }>,
): Promise<WeighedMedia> {
  const found = 'url' in source ? null : await findKept(store, { scope, id: source.output });
  if (found === null || 'url' in source) return { mediaType, bytes: 0 };
  return storedMedia(found, source.part, mediaType);
}

function storedMedia({ parts }: OutputRecord, index: number, mediaType: string): WeighedMedia {
  const part = parts.find((one) => one.index === index);
  const bytes = part?.bytes ?? 0;
  return {
    mediaType: mediaType || (part?.mediaType ?? 'application/octet-stream'),
    bytes: part?.notes.includes('base64') === true ? Math.floor((bytes * 3) / 4) : bytes,
  };
}

/** What fills a request. */
export function compositionOf(weights: readonly Weight[]): WindowComposition {
  const of = (kind: Weight['kind']) => total(weights.filter((weight) => weight.kind === kind));
  return {
    system: of('system'),
    messages: of('message'),
    summary: of('summary'),
    results: of('result'),
    reserved: of('reserve'),
  };
}

/** Tokens of all pieces. */
export function total(weights: readonly Weight[]): number {
  return weights.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** `normal`, past `warn_at`, past `compact_at`, past `hard_at`. */
export type Fullness = 'normal' | 'warning' | 'critical' | 'hard';

/** What a request comes to, and where the thresholds lie. */
export interface RequestNumbers {
  /** Everything that is sent, as counted before it is sent. */
  readonly tokens: number;
  /** The window; null where none was given, and so for the thresholds. */
  readonly window: number | null;
  /** The highest threshold that is passed. */
  readonly fullness: Fullness;
  /** Tokens at `warn_at`. */
  readonly warning: number | null;
  /** Tokens at `compact_at`. */
  readonly critical: number | null;
  /** Tokens at `hard_at`. */
  readonly hard: number | null;
}

/** What fills a request, in tokens. */
export interface WindowComposition {
  /** Instructions that are messages. */
  readonly system: number;
  /** What users and models said, calls included. */
  readonly messages: number;
  /** What stands for older messages. */
  readonly summary: number;
  /** What tools returned, as it is shown. */
  readonly results: number;
  /** What the host keeps free: tool definitions, room for the answer. */
  readonly reserved: number;
}

/** Weighs a request against a window. */
export function weigh(
  tokens: number,
  window: number | null,
  thresholds: Pick<Policy, 'warnAt' | 'compactAt' | 'hardAt'>,
): RequestNumbers {
  if (window === null)
    return { tokens, window, fullness: 'normal', warning: null, critical: null, hard: null };
  const { warnAt, compactAt, hardAt } = thresholds;
  const [warning, critical, hard] = [warnAt, compactAt, hardAt].map((share) =>
    Math.floor(window * share),
  ) as [number, number, number];
  const fullness =
    tokens > hard ? 'hard' : tokens > critical ? 'critical' : tokens > warning ? 'warning' : 'normal';
  return { tokens, window, fullness, warning, critical, hard };
}
