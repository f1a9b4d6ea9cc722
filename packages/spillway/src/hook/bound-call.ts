/** A call that came to its end: its result is stored whole, and shown within its limits. */
import type { FetchHint, Processed, Projection, SettingsInput, Spillway } from '@spillway/core';
import { commandHintOf } from '../commands/command-hint.ts';
import { type Config, passedOverNotice } from '../config/load.ts';
import { open } from '../open.ts';
import { ownProgram } from '../own-program.ts';
import type { HookAgent, HookCall } from './hook-agent.ts';
import { hasMark, leaveMark } from './marks.ts';
import { isOwnCommand, isOwnPage, isOwnProjection } from './own-calls.ts';

export interface BoundingOptions {
  readonly agent: HookAgent;
  /** The tool with which the model fetches more; undefined where it runs a command. */
  readonly toolName: string | undefined;
  /** Whether this program is named by its path, for shells that do not find it by its name. */
  readonly byPath?: boolean;
  /** Whether `none` may be asked for. */
  readonly allowUnbounded: boolean;
}

/** What the agent should show, or why nothing could be stored; null if the result stays as it is. */
type Bounded = { readonly result: unknown } | { readonly notStored: string } | null;

/** Chars of a problem with settings. */
const MOST_LINE_CHARS = 400;
/** The lowest limit that can be set. */
const LEAST_CHARS = 300;
/** The limit of tools that read files, unless somebody set another one for the tool or for all. */
const READING_CHARS = 32_000;

export async function boundCall(call: HookCall, options: BoundingOptions): Promise<Bounded> {
  if (isOwnCommand(call) || (await isOwnPage(call)) || (await isOwnProjection(call))) return null;
  const { spillway, workspace, config } = await open({ workspace: call.cwd, hint: hintOf(options) });
  const settingsNote = settingsLine(call, config);
  try {
    const { tool, session, callId, input, result } = call;
    const { exclude } = spillway.explain(tool, { session }).policy;
    if (exclude === 'everything') return null;
    const processed = await spillway.process(
      { tool, session, scope: workspace.scope, input, ...(callId === undefined ? {} : { callId }) },
      result.captured as { kind: 'text'; text: string },
      {
        policy: policyFor(spillway, call, options, settingsNote),
        ...(result.sourceTruncated === true ? { sourceTruncated: true } : {}),
        ...(result.outcome === undefined ? {} : { outcome: result.outcome }),
        ...(result.hostChars === undefined ? {} : { hostChars: result.hostChars }),
      },
    );
    const noted = { ...processed, projection: withLine(processed.projection, settingsNote) };
    if (noted.projection !== processed.projection) leaveMark(markOf(call, settingsNote));
    if (exclude === 'storing') return unstored(noted, call);
    return await shownOf(spillway, processed, noted.projection, call);
  } finally {
    await spillway.close();
  }
}

function hintOf({ toolName, byPath = false }: BoundingOptions): FetchHint {
  return toolName === undefined
    ? commandHintOf(ownProgram(byPath ? 'by path' : 'here'))
    : { kind: 'tool', name: toolName };
}

/** What is set for the tool, within what the agent passes on. */
function policyFor(
  spillway: Spillway,
  {
    tool,
    session,
    isReading,
    storeOnly,
    mostChars = Number.POSITIVE_INFINITY,
    result: { notice, addedChars = 0 },
  }: HookCall,
  { allowUnbounded }: BoundingOptions,
  settingsNote: string,
): SettingsInput {
  if (storeOnly === true) return { strategy: 'none' };
  const { policy, origins } = spillway.explain(tool, { session });
  const isBuiltIn = origins.inlineLimit?.level === 'system';
  const wanted = isReading === true && isBuiltIn ? READING_CHARS : policy.inlineLimit;
  const limit = Math.max(LEAST_CHARS, Math.min(wanted, mostChars) - addedChars - settingsNote.length);
  return {
    notice,
    ...(limit === policy.inlineLimit ? {} : { inlineLimit: limit }),
    ...(policy.strategy === 'none' && !allowUnbounded ? { strategy: 'auto' } : {}),
  };
}

/** What settings leave out of the store is bounded all the same. */
function unstored({ projection }: Processed, { input, result }: HookCall): Bounded {
  if (!projection.metadata.was_truncated) return null;
  // The first part of an output is what the tool was given.
  return { result: result.shownAs(projection, (part) => (input === undefined ? part : part - 1)) };
}

/** A line of the workspace's settings that is not valid is named to the model once a session. */
function settingsLine(call: HookCall, { passedOver: [first] }: Config): string {
  if (first === undefined || call.storeOnly === true) return '';
  const line = `[Settings: ${passedOverNotice(first).slice(0, MOST_LINE_CHARS)}]\n`;
  return hasMark(markOf(call, line)) ? '' : line;
}

function markOf({ session }: HookCall, line: string): string {
  return `settings ${session} ${line}`;
}

function withLine(projection: Projection, line: string): Projection {
  const { text, blocks, metadata } = projection;
  if (line === '' || !metadata.was_truncated || isDocument(text)) return projection;
  // What is added is ours, and within the limit: it was left free.
  const ours = (added: string) => added as Projection['text'];
  return {
    ...projection,
    text: ours(`${line}${text}`),
    blocks: [{ type: 'text', text: ours(line.trimEnd()) }, ...blocks],
  };
}

/** JSON stays JSON: its notice is inside of it. */
function isDocument(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function shownOf(
  spillway: Spillway,
  processed: Processed,
  shown: Projection,
  { result }: HookCall,
): Promise<Bounded> {
  const record = await spillway.sealed(processed);
  if (record === null)
    return { notStored: `Not stored: ${processed.notStored ?? 'check it with `spillway doctor`.'}` };
  const { metadata } = processed.projection;
  // The same again could undo what another hook replaced.
  if (!metadata.was_truncated && metadata.artifact_id === null) return null;
  const content = record.parts.filter(({ role }) => role === 'content').map(({ index }) => index);
  return { result: result.shownAs(shown, (part) => content.indexOf(part)) };
}
