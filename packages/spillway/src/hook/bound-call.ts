/** A call that came to its end: its result is stored whole, and shown within its limits. */

import { realpathSync } from 'node:fs';
import {
  type ArtifactId,
  type FetchHint,
  GET_ARTIFACT,
  isArtifactId,
  type Processed,
  type Projection,
  type SettingsInput,
  type Spillway,
  SpillwayError,
} from '@spillway/core';
import { commandHintOf, shellCommands } from '../commands/command-hint.ts';
import { type Config, passedOverNotice } from '../config/load.ts';
import { defined, isFields, jsonIn } from '../fields.ts';
import { ARTIFACT_WORDS } from '../gateway/wording.ts';
import { open } from '../open.ts';
import { ownProgram } from '../own-program.ts';
import { type HookAgent, type HookCall, textsOf } from './hook-agent.ts';
import { hasMark, leaveMark } from './marks.ts';

/**
 * Calls whose result is ours already, so that it is neither stored nor cut again: what commands of
 * this program print, pages of stored outputs, and what a gateway showed of one. A name proves
 * nothing: every command of a line must be ours, a page must be the one that the call asks for, and
 * what is shown must be the frozen projection of the handle that it names, byte for byte.
 */
const OWN_COMMANDS = new Set(['artifacts', 'truncate', 'exec', 'sessions']);

/** Models often write it behind a command; what is printed stays ours. */
const ERRORS_TOO = /[ \t]2>(?:&1|[ \t]?\/dev\/null)(?=[ \t]*(?:$|;|&&))/g;

/** Whether a shell of the agent ran commands of this program and no others. */
function isOwnCommand({ input, isShell }: HookCall): boolean {
  const line = isShell === true && isFields(input) ? input.command : undefined;
  if (typeof line !== 'string' || !/spillway|acode/.test(line)) return false;
  const commands = shellCommands(line.replace(ERRORS_TOO, ''))?.filter(
    ([first, ...rest]) => first !== 'cd' || rest.length !== 1,
  );
  return commands?.every(isOwn) === true && commands.length > 0;
}

/** Started by its name, by npx, or as the very file that runs now. */
function isOwn(words: readonly string[]): boolean {
  const [first = ''] = words;
  const isNode = first === process.execPath || first === 'node';
  const before = first === 'npx' ? words.findIndex((word, at) => at > 0 && word[0] !== '-') : isNode ? 1 : 0;
  const [program = '', command = ''] = words.slice(before);
  const isNamed = !isNode && (program === 'spillway' || program === 'acode');
  return OWN_COMMANDS.has(command) && (isNamed || isThisFile(program));
}

function isThisFile(path: string): boolean {
  try {
    return realpathSync(path) === realpathSync(process.argv[1] ?? '');
  } catch {
    return false;
  }
}

/** The call that a page names in its first line. Gateways may give their tool any name. */
const NEXT = / Next: ([\w-]{1,100})\(/;
const MOST_NOTICE = 4_096;
const HANDLE = /art_\d{1,12}_[a-z\d]{8,40}/g;
const MOST_HANDLES = 4;

/** Whether the result is the page that its call asks for, or what was shown of a handle that it names. */
async function isOwnResult({ tool, input, cwd, result }: HookCall): Promise<boolean> {
  const texts = textsOf(result);
  const all = texts.join('\n');
  // A notice stands before a text, or behind it.
  const near = `${all.slice(0, MOST_NOTICE)} ${all.slice(-MOST_NOTICE)}`;
  const { kind, blocks = [] } = { blocks: [], ...result.captured };
  const isAlone = kind === 'text' || (Array.isArray(blocks) && blocks.length === 1);
  const isAsked = isAlone && isFields(input) && [input.artifact_id, input.id].some(isArtifactId);
  const named = [...new Set(near.match(HANDLE))].filter(isArtifactId).slice(0, MOST_HANDLES);
  if (!isAsked && named.length === 0) return false;
  const next = NEXT.exec(near)?.[1] ?? '';
  const name = next !== '' && tool.endsWith(next) ? next : GET_ARTIFACT.name;
  const hint = { kind: 'tool', name } as const;
  const { spillway, store, workspace } = await open({ workspace: cwd, hint, looking: true });
  const { scope } = workspace;
  try {
    if (isAsked && (await spillway.retrieve(input, scope, 'survey').catch(refused))?.text === texts[0])
      return true;
    for (const id of named) {
      const record = await store?.find({ scope, id }).catch(refused);
      const frozen = record && (await store?.frozen(id, 'model').catch(refused));
      if (frozen !== undefined && isShown(texts, id, frozen.projection)) return true;
    }
    return false;
  } finally {
    await spillway.close();
  }
}

/** No such output, no arguments of ours, or a store that cannot be read: that proves nothing. */
function refused(error: unknown): undefined {
  if (!(error instanceof SpillwayError)) throw error;
}

/** How agents tell a model of a link to a resource, which they put behind the texts of a result. */
const LINK_FORMS: readonly ((uri: string) => string)[] = [
  (uri) => `[Resource link: ${ARTIFACT_WORDS.link}] ${uri}`,
  (uri) => `Resource Link: ${ARTIFACT_WORDS.link} at ${uri}`,
];
/** How agents join texts that they pass on as one; Gemini CLI marks each as untrusted. */
const JOINTS = ['\n', '\n\n', '', '\n</untrusted_context><untrusted_context>\n'];

function isShown(texts: readonly string[], id: ArtifactId, { blocks }: Projection): boolean {
  const shown = blocks.flatMap((block) => (block.type === 'text' ? [block] : []));
  // Gateways put what is ours behind what the tool said.
  const ordered = [
    ...shown.filter(({ part }) => part !== undefined),
    ...shown.filter(({ part }) => part === undefined),
  ].map(({ text }) => text);
  const links = LINK_FORMS.map((form) => form(`artifact://${id}`));
  return JOINTS.some((joint) => {
    const bare = ordered.join(joint);
    const given = texts.join(joint);
    const ends = links.flatMap((link) => [`${joint}${link}`, link]);
    return given === bare || ends.some((end) => given === `${bare}${end}`);
  });
}

export interface BoundingOptions {
  readonly agent: HookAgent;
  /** The tool with which the model fetches more; undefined where it runs a command. */
  readonly toolName: string | undefined;
  /** Whether this program is named by its path, for shells that do not find it by its name. */
  readonly byPath?: boolean;
  readonly allowUnbounded: boolean;
}

/** What the agent should show, or why nothing could be stored; null if the result stays as it is. */
type Bounded = { readonly result: unknown } | { readonly notStored: string } | null;

/** Chars of a problem with settings. */
const MOST_LINE_CHARS = 400;
/** The lowest limit that can be set. */
const LEAST_CHARS = 300;
/** The limit of tools that read files, unless somebody set another one for the tool or for all. */
export const READING_CHARS = 32_000;

export async function boundCall(call: HookCall, options: BoundingOptions): Promise<Bounded> {
  if (isOwnCommand(call) || (await isOwnResult(call))) return null;
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
        ...defined({ outcome: result.outcome, hostChars: result.hostChars }),
        agent: options.agent.name,
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
  // JSON stays JSON: its notice is inside of it.
  if (line === '' || !metadata.was_truncated || jsonIn(text) !== undefined) return projection;
  // Room for the added text was left within the limit.
  const ours = (added: string) => added as Projection['text'];
  return {
    ...projection,
    text: ours(`${line}${text}`),
    blocks: [{ type: 'text', text: ours(line.trimEnd()) }, ...blocks],
  };
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
  // Returning an unchanged result could undo what another hook replaced.
  if (!metadata.was_truncated && metadata.artifact_id === null) return null;
  const content = record.parts.filter(({ role }) => role === 'content').map(({ index }) => index);
  return { result: result.shownAs(shown, (part) => content.indexOf(part)) };
}
