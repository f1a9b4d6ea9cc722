/**
 * One call of a hook: the agent's JSON comes in, its answer goes out. An empty answer lets the
 * original result pass. That is also the answer to whatever goes wrong: an agent is never blocked,
 * and nothing is cut that is not stored. Why is told in a sentence that quotes no content.
 */
import {
  type FetchHint,
  type Processed,
  type SettingsInput,
  type Spillway,
  SpillwayError,
} from '@spillway/core';
import { open } from '../open.ts';
import { sentenceFor } from '../sentences.ts';
import { type Fields, type HookAgent, type HookCall, isFields } from './hook-agent.ts';
import { isOwnCall } from './own-calls.ts';

export interface HookOptions {
  readonly agent: HookAgent;
  /** How the model fetches more. */
  readonly hint: FetchHint;
  /** Whether `none` may be asked for. */
  readonly allowUnbounded: boolean;
}

export interface HookAnswer {
  /** What the agent is sent; empty where the result passes. */
  readonly text: string;
  /** What went wrong, if something did. */
  readonly problem: string | null;
}

/** The lowest limit that can be set. */
const LEAST_CHARS = 300;
const PASS: HookAnswer = { text: '', problem: null };

export async function runHook(json: Buffer, options: HookOptions): Promise<HookAnswer> {
  try {
    const given: unknown = parsed(json);
    if (!isFields(given)) return passing('What came in is not a JSON object.');
    const call = options.agent.read(given);
    if (call === null || isOwnCall(call.tool, call.input)) return PASS;
    return await bounded(call, given, options);
  } catch (error) {
    return passing(sentenceFor(error));
  }
}

/** The message of the parser quotes what it could not read. */
function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    throw new SpillwayError('invalid_argument', 'What came in is not valid JSON.');
  }
}

function passing(problem: string): HookAnswer {
  return { text: '', problem: `${problem} The result passed as it was.` };
}

async function bounded(call: HookCall, given: Fields, options: HookOptions): Promise<HookAnswer> {
  const { spillway, workspace } = await open({ workspace: call.cwd, hint: options.hint });
  try {
    const { tool, session, callId, input, result } = call;
    const processed = await spillway.process(
      { tool, session, scope: workspace.scope, input, ...(callId === undefined ? {} : { callId }) },
      result.captured as { kind: 'text'; text: string },
      {
        policy: policyFor(spillway, call, options),
        ...(result.sourceTruncated === true ? { sourceTruncated: true } : {}),
        ...(result.outcome === undefined ? {} : { outcome: result.outcome }),
      },
    );
    return await answered(spillway, processed, call, given, options);
  } finally {
    await spillway.close();
  }
}

/** What is set for the tool, within what the agent passes on. */
function policyFor(
  spillway: Spillway,
  { tool, session, mostChars = Number.POSITIVE_INFINITY, result: { notice, addedChars = 0 } }: HookCall,
  { allowUnbounded }: HookOptions,
): SettingsInput {
  const { policy } = spillway.explain(tool, { session });
  const limit = Math.max(LEAST_CHARS, Math.min(policy.inlineLimit, mostChars) - addedChars);
  return {
    notice,
    ...(limit < policy.inlineLimit ? { inlineLimit: limit } : {}),
    ...(policy.strategy === 'none' && !allowUnbounded ? { strategy: 'auto' } : {}),
  };
}

async function answered(
  spillway: Spillway,
  processed: Processed,
  { result }: HookCall,
  given: Fields,
  { agent }: HookOptions,
): Promise<HookAnswer> {
  const record = await spillway.sealed(processed);
  if (record === null)
    return passing(`Not stored: ${processed.notStored ?? 'check it with `spillway doctor`.'}`);
  const { metadata } = processed.projection;
  // The same again could undo what another hook replaced.
  if (!metadata.was_truncated && metadata.artifact_id === null) return PASS;
  const content = record.parts.filter(({ role }) => role === 'content').map(({ index }) => index);
  const shown = result.shownAs(processed.projection, (part) => content.indexOf(part));
  return { text: JSON.stringify(agent.answer(shown, given)), problem: null };
}
