/**
 * Calls whose result is ours already, so that it is neither stored nor cut again: what commands of
 * this program print, pages of stored outputs, and what a gateway showed of one. A name proves
 * nothing: every command of a line must be ours, a page must be the one that the call asks for, and
 * what is shown must be the frozen projection of the handle that it names, byte for byte.
 */
import { realpathSync } from 'node:fs';
import {
  type ArtifactId,
  type ContentBlock,
  GET_ARTIFACT,
  isArtifactId,
  type Projection,
  SpillwayError,
  type ToolResult,
} from '@spillway/core';
import { shellCommands } from '../commands/command-hint.ts';
import { ARTIFACT_WORDS } from '../gateway/wording.ts';
import { open } from '../open.ts';
import { type HookCall, isFields } from './hook-agent.ts';

const OWN_COMMANDS = new Set(['artifacts', 'truncate', 'exec', 'sessions']);

/** Whether a shell of the agent ran commands of this program and no others. */
export function isOwnCommand({ input, isShell }: HookCall): boolean {
  const line = isShell === true && isFields(input) ? input.command : undefined;
  if (typeof line !== 'string' || !/spillway|acode/.test(line)) return false;
  const commands = shellCommands(line)?.filter(([first, ...rest]) => first !== 'cd' || rest.length !== 1);
  return commands?.every(isOwn) === true && commands.length > 0;
}

/** Started by its name, by npx, or as the very file that runs now. */
function isOwn(words: readonly string[]): boolean {
  const [first = '', second] = words;
  const isNode = first === process.execPath || first === 'node';
  const before = first === 'npx' ? (second === '-y' ? 2 : 1) : isNode ? 1 : 0;
  const [program = '', command = ''] = words.slice(before);
  const isNamed = !isNode && (program === 'spillway' || program === 'acode');
  return OWN_COMMANDS.has(command) && (isNamed || isThisFile(program));
}

function isThisFile(path: string): boolean {
  try {
    return realpathSync(path) === realpathSync(process.argv[1] ?? '');
  } catch {
    // Not there: not this one.
    return false;
  }
}

/** The call that a page names in its first line. Gateways may give their tool any name. */
const NEXT = / Next: ([\w-]{1,100})\(/;
const MOST_NOTICE = 4_096;

/** Whether the result is the page of a stored output that its call asks for. */
export async function isOwnPage({ tool, input, cwd, result }: HookCall): Promise<boolean> {
  const text = onlyText(result.captured);
  if (text === null || !isFields(input) || ![input.artifact_id, input.id].some(isArtifactId)) return false;
  const named = NEXT.exec(text.slice(0, MOST_NOTICE))?.[1] ?? '';
  const name = named !== '' && tool.endsWith(named) ? named : GET_ARTIFACT.name;
  const { spillway, workspace } = await open({ workspace: cwd, hint: { kind: 'tool', name } });
  try {
    return (await spillway.retrieve(input, workspace.scope, 'survey')).text === text;
  } catch (error) {
    // No such output, or no arguments of ours.
    if (error instanceof SpillwayError) return false;
    throw error;
  } finally {
    await spillway.close();
  }
}

/** How agents tell a model of a link to a resource, which they put behind the texts of a result. */
const LINK_FORMS: readonly ((uri: string) => string)[] = [
  (uri) => `[Resource link: ${ARTIFACT_WORDS.link}] ${uri}`,
  (uri) => `Resource Link: ${ARTIFACT_WORDS.link} at ${uri}`,
];
/** How agents join texts that they pass on as one. */
const JOINTS = ['\n', '\n\n', ''];
const HANDLE = /art_\d{1,12}_[a-z\d]{8,40}/g;
const MOST_HANDLES = 4;

/** Whether the result is what a gateway of this folder showed of an output that it stored. */
export async function isOwnProjection({ cwd, result }: HookCall): Promise<boolean> {
  const texts = textsOf(result.captured);
  const all = texts.join('\n');
  // A notice stands before a text, or behind it.
  const near = `${all.slice(0, MOST_NOTICE)} ${all.slice(-MOST_NOTICE)}`;
  const named = [...new Set(near.match(HANDLE))].filter(isArtifactId).slice(0, MOST_HANDLES);
  if (named.length === 0) return false;
  const { spillway, store, workspace } = await open({ workspace: cwd, looking: true });
  try {
    for (const id of named) {
      const record = await store?.find({ scope: workspace.scope, id });
      const frozen = record === undefined ? undefined : await store?.frozen(id, 'model');
      if (frozen !== undefined && isShown(texts, id, frozen.projection)) return true;
    }
    return false;
  } catch (error) {
    // A store that cannot be read proves nothing.
    if (error instanceof SpillwayError) return false;
    throw error;
  } finally {
    await spillway.close();
  }
}

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
    return given === bare || links.some((link) => given === `${bare}${joint}${link}`);
  });
}

/** All texts of a result; links to resources are none. */
function textsOf(captured: ToolResult): string[] {
  if (captured.kind === 'text') return typeof captured.text === 'string' ? [captured.text] : [];
  if (captured.kind !== 'blocks' || !Array.isArray(captured.blocks)) return [];
  return captured.blocks.flatMap((block: ContentBlock) => (block.type === 'text' ? [block.text] : []));
}

function onlyText(captured: ToolResult): string | null {
  if (captured.kind === 'text') return typeof captured.text === 'string' ? captured.text : null;
  const [block, ...more]: ContentBlock[] =
    captured.kind === 'blocks' && Array.isArray(captured.blocks) ? captured.blocks : [];
  return block?.type === 'text' && more.length === 0 ? block.text : null;
}
