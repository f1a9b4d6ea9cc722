/**
 * The model projection, made when a request is sent. Invariants: what was sent once is sent again byte for byte (results by their frozen
 * projections, everything else as it was said); over the total only results that were not sent yet get less; nothing that was given is
 * changed, and canonical records are only read. Units: tokens for totals, chars for results.
 */
import type { Spillway } from '../index.ts';
import { SpillwayError } from '../model/errors.ts';
import type { SaidResult } from '../model/message.ts';
import type { ProjectionRecord } from '../model/projection.ts';
import { withUniqueCallIds } from './call-ids.ts';
import type { SessionContext } from './context.ts';
import { MESSAGE_TOKENS } from './counting.ts';
import { type RequestDraft, readDraft, withoutDamaged } from './draft.ts';
import type { PairedMessage } from './pairing.ts';
import { damagedOf, type Placed, projectFresh } from './placing.ts';
import type { SessionName } from './reading.ts';
import { projectedContent, speak, speakLate, standIn } from './speaking.ts';
import { type DerivedMessage, type SpokenMessage, wellFormed } from './spoken.ts';
import { type RequestNumbers, weigh } from './thresholds.ts';
import { refusal } from './wording.ts';

/** For which window a request is prepared. */
export interface PrepareOptions {
  /** The window of the model, in tokens. Without it nothing but the limits of each result counts. */
  readonly window?: number;
  /** Tokens that the request needs beside its messages: tool definitions, room for the answer. */
  readonly reserve?: number;
  /** `send` (default) freezes what is shown; `look` only tells what would be sent. */
  readonly purpose?: 'send' | 'look';
  /** Tokens of an image. Default: 1,500. */
  readonly mediaTokens?: number;
}

/** A request that may be sent, or the reason why not. */
export type Prepared = PreparedRequest | RefusedRequest;

/** A request within the window. */
export interface PreparedRequest {
  readonly verdict: 'fits' | 'warning' | 'needs_compaction';
  readonly messages: readonly DerivedMessage[];
  readonly numbers: RequestNumbers;
  /** Calls for which no result was recorded: each has a marked stand-in. */
  readonly missing: readonly string[];
  /** Results of calls that nobody made here: kept, and not sent. */
  readonly orphans: readonly SaidResult[];
}

/** A request that is over `hard_at`. There is nothing to send. */
export interface RefusedRequest {
  readonly verdict: 'refused';
  readonly reason: string;
  readonly numbers: RequestNumbers;
}

const VERDICTS = { normal: 'fits', warning: 'warning', critical: 'needs_compaction' } as const;

/** Prepares the next request of a session. */
export async function prepareRequest(
  context: SessionContext,
  name: SessionName,
  options: PrepareOptions,
): Promise<Prepared> {
  const { spillway, ledger } = context;
  const { draft, fixed, fresh } = await readAndProject(context, name, options);
  const all = [...draft.placed.values()].flat();
  const tokens = fixed + freshTokens(context, fresh, options);
  const numbers = weigh(tokens, options.window ?? null, spillway.explain('history', name).policy);
  if (numbers.fullness === 'hard') {
    await ledger.overflowAvoided(name, numbers, 'refused');
    const reason = refusal(tokens, numbers.window ?? 0, numbers.hard ?? 0);
    return { verdict: 'refused', numbers, reason };
  }
  if (options.purpose !== 'look' && isTight(spillway, fresh))
    await ledger.overflowAvoided(name, numbers, 'reduced');
  const shown = await settle(spillway, fresh, options);
  const contentOf = projectedContent(context, (one) => one.frozen ?? shown.get(one) ?? null);
  const messages: SpokenMessage[] = [...draft.opening];
  if (draft.late.length > 0) messages.push(await speakLate(draft.late, contentOf));
  for (const message of draft.messages)
    messages.push(...(await speak(context, message, draft.placed.get(message) ?? [], contentOf)));
  const missing = all.filter(({ record, gone }) => record === null && gone === null);
  if (options.purpose !== 'look') {
    const recovered = all.filter(({ pair: { result }, record }) => result === null && record !== null);
    await ledger.missing(
      name,
      missing.map(({ pair }) => pair),
    );
    ledger.recovered(
      name,
      recovered.map(({ pair }) => pair),
    );
  }
  return {
    verdict: VERDICTS[numbers.fullness],
    messages: withUniqueCallIds(messages.map(wellFormed)) as DerivedMessage[],
    numbers,
    missing: missing.map(({ pair: { call } }) => call.callId),
    orphans: draft.orphans,
  };
}

/** What cannot be read is found out by reading it; the rest then has the whole window. */
async function readAndProject(context: SessionContext, name: SessionName, options: PrepareOptions) {
  const { spillway } = context;
  let draft = await readDraft(context, name);
  for (;;) {
    const fixed = (options.reserve ?? 0) + fixedTokens(context, name, draft, options);
    const window = options.window === undefined ? undefined : { tokens: options.window, used: fixed };
    const all = [...draft.placed.values()].flat();
    const fresh = await projectFresh(spillway, all, window);
    if (fresh !== null) return { draft, fixed, fresh };
    const damaged = await damagedOf(spillway, all);
    if (damaged.size === 0) throw unreadable();
    draft = withoutDamaged(draft, damaged);
  }
}

/** Everything that is not decided by what the window leaves. */
function fixedTokens(
  { counts }: SessionContext,
  { scope, session }: SessionName,
  { opening, messages, placed }: RequestDraft,
  { mediaTokens }: PrepareOptions,
): number {
  let tokens = (opening.length + messages.length + placed.size) * MESSAGE_TOKENS;
  const add = (id: string, parts: PairedMessage['parts'] | SpokenMessage['parts']) => {
    for (const [i, part] of parts.entries())
      tokens += counts.part(JSON.stringify([scope, session, id, i]), part, mediaTokens);
  };
  for (const { id, parts } of opening) add(id, parts);
  for (const { message, parts } of messages) add(message.id, parts);
  for (const one of [...placed.values()].flat()) {
    const { record, frozen } = one;
    if (record !== null && frozen !== null) tokens += counts.projection(record.id, frozen, mediaTokens);
    if (record !== null) continue;
    const text = standIn(one);
    tokens += counts.of(`synthetic ${text}`, text);
  }
  return tokens;
}

type Fresh = ReadonlyMap<Placed, ProjectionRecord>;

function freshTokens({ counts }: SessionContext, fresh: Fresh, { mediaTokens }: PrepareOptions): number {
  let tokens = 0;
  for (const { output, projection } of fresh.values())
    tokens += counts.projection(output, projection, mediaTokens);
  return tokens;
}

/** Whether the window left some result less than its own limit. */
function isTight(spillway: Spillway, fresh: Fresh): boolean {
  return [...fresh].some(([{ record }, { policy, projection }]) => {
    if (record === null || !projection.metadata.was_truncated) return false;
    const own = spillway.explain(record.tool, { session: record.session }).policy.inlineLimit;
    return Number(policy.inlineLimit) < own;
  });
}

/** What is sent is frozen; whoever froze another first has sent it already. */
async function settle(spillway: Spillway, fresh: Fresh, { purpose = 'send' }: PrepareOptions) {
  const shown = new Map<Placed, ProjectionRecord['projection']>();
  for (const [one, record] of fresh) {
    const sent = purpose === 'send' && one.record !== null;
    const kept = sent ? await spillway.freeze(one.record, record) : record;
    shown.set(one, kept.projection);
  }
  return shown;
}

function unreadable(): SpillwayError {
  return new SpillwayError('corrupt', 'Stored results can be read at times only: run `spillway doctor`.');
}
