/** A call that came to its end: its result is stored whole, and shown within its limits. */
import type { FetchHint, Processed, SettingsInput, Spillway } from '@spillway/core';
import { commandHintOf } from '../commands/command-hint.ts';
import { open } from '../open.ts';
import { ownProgram } from '../own-program.ts';
import type { HookAgent, HookCall } from './hook-agent.ts';
import { isOwnCall } from './own-calls.ts';

export interface BoundingOptions {
  readonly agent: HookAgent;
  /** The tool with which the model fetches more; undefined where it runs a command. */
  readonly toolName: string | undefined;
  /** Whether `none` may be asked for. */
  readonly allowUnbounded: boolean;
}

/** What the agent should show, or why nothing could be stored; null if the result stays as it is. */
type Bounded = { readonly result: unknown } | { readonly notStored: string } | null;

/** The lowest limit that can be set. */
const LEAST_CHARS = 300;

export async function boundCall(call: HookCall, options: BoundingOptions): Promise<Bounded> {
  if (isOwnCall(call.tool, call.input)) return null;
  const { spillway, workspace } = await open({ workspace: call.cwd, hint: hintOf(options) });
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
    return await shownOf(spillway, processed, call);
  } finally {
    await spillway.close();
  }
}

function hintOf({ toolName }: BoundingOptions): FetchHint {
  return toolName === undefined ? commandHintOf(ownProgram('here')) : { kind: 'tool', name: toolName };
}

/** What is set for the tool, within what the agent passes on. */
function policyFor(
  spillway: Spillway,
  { tool, session, mostChars = Number.POSITIVE_INFINITY, result: { notice, addedChars = 0 } }: HookCall,
  { allowUnbounded }: BoundingOptions,
): SettingsInput {
  const { policy } = spillway.explain(tool, { session });
  const limit = Math.max(LEAST_CHARS, Math.min(policy.inlineLimit, mostChars) - addedChars);
  return {
    notice,
    ...(limit < policy.inlineLimit ? { inlineLimit: limit } : {}),
    ...(policy.strategy === 'none' && !allowUnbounded ? { strategy: 'auto' } : {}),
  };
}

async function shownOf(spillway: Spillway, processed: Processed, { result }: HookCall): Promise<Bounded> {
  const record = await spillway.sealed(processed);
  if (record === null)
    return { notStored: `Not stored: ${processed.notStored ?? 'check it with `spillway doctor`.'}` };
  const { metadata } = processed.projection;
  // The same again could undo what another hook replaced.
  if (!metadata.was_truncated && metadata.artifact_id === null) return null;
  const content = record.parts.filter(({ role }) => role === 'content').map(({ index }) => index);
  return { result: result.shownAs(processed.projection, (part) => content.indexOf(part)) };
}
