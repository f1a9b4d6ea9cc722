/**
 * A summary as a model reads it. Everything that was left out is named: results by tool, call id
 * and handle, messages of the user by number, word for word where there is room. Its parts get
 * shares of what the window leaves for it; the tokens of the whole are counted, and the shares made
 * smaller until it fits. Pinned by a test. Pure. Units: tokens for the whole, chars for parts.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { formatCount } from '../../text/numbers.ts';
import { longerSummary, named, summaryHeading } from '../../wording/history.ts';
import { excerpt } from './excerpts.ts';
import { type CompactState, type ResultLine, type UserLine, unanswered } from './state.ts';

interface Shares {
  readonly users: number;
  readonly narrative: number;
  readonly list: number;
}

/** What a summary may have. */
export interface Room {
  /** Null without a window: then only the parts are bounded. */
  readonly tokens: number | null;
  readonly chars: Shares;
}

const SUMMARY_SHARE = 0.3;
const CHARS_A_TOKEN = 3;
const SHARES = { users: 0.35, narrative: 0.3, list: 0.35 };
const WITHOUT_WINDOW = { users: 30_000, narrative: 40_000, list: 60_000 };
const SMALLEST = 60;
/** As long as a handle is. Digits between letters take the most tokens. */
const SOME_ID: ArtifactId = 'art_1700000000_0a1b2c3d4e5f6g7h';
/** The latest messages of the user come first when there is little room. */
const LATEST = 6;
/** A transcript is named for each so many chars of the summary. */
const CHARS_A_TRANSCRIPT = 400;
const NARRATIVE = { decisions: 0.5, errors: 0.25, demands: 0.15, files: 0.1 };

type RoomOptions = Readonly<Partial<Record<'window' | 'summaryTokens', number>>>;

/** The room that options leave for a summary. */
export function roomFor({ window, summaryTokens }: RoomOptions): Room {
  const tokens = summaryTokens ?? (window === undefined ? null : Math.floor(window * SUMMARY_SHARE));
  return { tokens, chars: tokens === null ? WITHOUT_WINDOW : scaled(SHARES, tokens * CHARS_A_TOKEN) };
}

/** The shares with which a summary fits, and how many results then move to an index. */
export function fitSummary(
  state: CompactState,
  room: Room,
  count: (text: string) => number,
): { readonly chars: Shares; readonly moved: number } {
  let { chars } = room;
  for (;;) {
    const moved = resultsToMove(state, chars.list);
    const index = moved === 0 ? state.index : SOME_ID;
    const tokens =
      room.tokens === null ? 0 : count(renderSummary(indexedIn(state, moved, index), chars, SOME_ID));
    const total = chars.users + chars.narrative + chars.list;
    if (room.tokens === null || tokens <= room.tokens || total <= 3 * SMALLEST) return { chars, moved };
    chars = scaled(chars, Math.min(0.8, (room.tokens / tokens) * 0.95), SMALLEST);
  }
}

/** A state whose oldest results have moved to an index. */
export function indexedIn(state: CompactState, moved: number, index: ArtifactId | null): CompactState {
  return { ...state, results: state.results.slice(moved), indexed: state.indexed + moved, index };
}

/** The whole summary; `rest` holds a longer text of the host. */
export function renderSummary(state: CompactState, chars: Shares, rest: ArtifactId | null): string {
  const { told, index, indexed, standsAt } = state;
  const narrated = told === null ? narrative(state, chars.narrative) : within(told, chars.narrative, rest);
  return [
    summaryHeading(state.messages),
    ...userLines(state, chars.users),
    ...(narrated === '' ? [] : [narrated]),
    ...transcriptLine(state, chars.users + chars.narrative + chars.list),
    ...section('Results left out (tool, call id, handle, status)', [
      ...state.results.map(resultLine),
      ...pendingLines(state, chars.list),
    ]),
    ...(index === null ? [] : [`${formatCount(indexed)} earlier results are listed in ${index}.`]),
    ...(standsAt === null ? [] : [`The conversation stands at message #${standsAt}: go on from there.`]),
  ].join('\n');
}

/** The narrative: what was decided, touched, demanded, and what still fails. */
export function narrative(state: CompactState, chars: number): string {
  const { demands, decisions, unlistedDecisions, files, errors } = state;
  const lines = errors.map(({ line }) => {
    const { tool, callId, output, error, about } = line;
    return `${named(tool)} ${named(callId)} ${output ?? '(no handle)'}: ${error ?? about}`;
  });
  return [
    ...newest('Demands', demands, chars * NARRATIVE.demands, 0),
    ...newest('Decisions', decisions, chars * NARRATIVE.decisions, unlistedDecisions),
    ...newest('Open errors', lines, chars * NARRATIVE.errors, 0),
    ...fileLine(files, chars * NARRATIVE.files),
  ].join('\n');
}

/** A page of the index: older results than those a summary lists itself. */
export function renderIndex(results: readonly ResultLine[], earlier: string | null): string {
  const before = earlier === null ? '' : `; those before are in ${earlier}`;
  return `${[`Results left out of a summary${before}:`, ...results.map(resultLine)].join('\n')}\n`;
}

function resultLine({ tool, callId, output, status, about, error, resolvedBy }: ResultLine): string {
  const what = [
    about,
    ...(error === null ? [] : [`first error: ${error}`]),
    ...(resolvedBy === undefined ? [] : [`resolved by ${named(resolvedBy)}`]),
  ].filter((text) => text !== '');
  const head = `${named(tool)} ${named(callId)} ${output ?? '(no handle)'} ${status}`;
  return what.length === 0 ? head : `${head}: ${what.join('; ')}`;
}

function within(told: string, chars: number, rest: ArtifactId | null): string {
  if (told.length <= chars || rest === null) return told;
  const cut = told.slice(0, chars).toWellFormed();
  const end = cut.lastIndexOf('\n');
  return `${end > chars / 2 ? cut.slice(0, end) : cut}\n${longerSummary(rest)}`;
}

/** How many of the oldest results to move: down to half the list, so that this is rare. */
function resultsToMove({ results }: CompactState, chars: number): number {
  const sizes = results.map((line) => resultLine(line).length + 3);
  const listed = sizes.reduce((sum, size) => sum + size, 0);
  if (listed <= chars) return 0;
  let left = listed;
  const moved = sizes.findIndex((size) => {
    if (left <= chars / 2) return true;
    left -= size;
    return false;
  });
  return moved < 0 ? results.length : moved;
}

function scaled({ users, narrative, list }: Shares, by: number, least = 0): Shares {
  const part = (chars: number) => Math.max(least, Math.floor(chars * by));
  return { users: part(users), narrative: part(narrative), list: part(list) };
}

function userLines({ users, unlisted }: CompactState, chars: number): string[] {
  const [task, ...later] = users;
  if (task === undefined) return [];
  const isWhole = task.output === null;
  const first = isWhole ? task.text : excerpt(task.text, Math.floor(Math.max(200, chars / 3)));
  const shown = withinRoom(later, chars - first.length);
  const others = later.filter((line) => !shown.has(line));
  const more = unlisted === 0 ? [] : [`${formatCount(unlisted)} earlier ones`];
  const unshown = [...namesOf(others, chars / 2), ...more];
  return [
    ...section('Task', [isWhole ? first : `${userHead(task)}${first}`]),
    ...section(
      'Later messages of the user',
      later.filter((line) => shown.has(line)).map((line) => `${userHead(line)}${line.text}`),
    ),
    ...(unshown.length === 0 ? [] : [`Messages of the user not shown here: ${unshown.join(', ')}.`]),
  ];
}

function namesOf(lines: readonly UserLine[], chars: number): string[] {
  const names = lines.map(({ place, output }) => `#${place}${output === null ? '' : ` ${output}`}`);
  if (names.join(', ').length <= chars || names.length < 2) return names;
  return [`${formatCount(lines.length)} from #${lines[0]?.place} to #${lines.at(-1)?.place}`];
}

/** The latest, then what matters, then the rest, each from the newest back. */
function withinRoom(lines: readonly UserLine[], chars: number): ReadonlySet<UserLine> {
  const newestFirst = lines.toReversed();
  const older = newestFirst.slice(LATEST);
  const ranked = [
    ...newestFirst.slice(0, LATEST),
    ...older.filter(({ matters }) => matters),
    ...older.filter(({ matters }) => !matters),
  ];
  let left = chars;
  const shown = ranked.filter((line) => {
    const price = userHead(line).length + line.text.length + 3;
    if (price > left) return false;
    left -= price;
    return true;
  });
  return new Set(shown);
}

function userHead({ place, output, chars }: UserLine): string {
  return `#${place}${output === null ? '' : ` ${output} (${formatCount(chars)} chars)`}: `;
}

function transcriptLine({ transcripts }: CompactState, chars: number): string[] {
  if (transcripts.length === 0) return [];
  const most = Math.max(1, Math.floor(chars / CHARS_A_TRANSCRIPT));
  const latest = transcripts.slice(-most).map(({ first, last, output }) => `${first}-${last} ${output}`);
  return [`What was said, word for word: messages ${latest.join(', ')}.`];
}

/** Calls without a result: the latest that have room. The transcripts name the others. */
function pendingLines({ pending }: CompactState, chars: number): string[] {
  const lines = pending.map((call) => resultLine(unanswered(call)));
  const first = firstWithin(lines, chars, 3);
  if (first === 0) return lines;
  return [`${formatCount(first)} calls without a result, in what was said`, ...lines.slice(first)];
}

/** The newest lines that have room, in their order, and how many are not there. */
function newest(title: string, lines: readonly string[], chars: number, unlisted: number): string[] {
  const first = firstWithin(lines, chars, 3);
  const missing = first + unlisted;
  if (missing === 0) return section(title, lines);
  if (first === lines.length) return [`${title}: ${formatCount(missing)} in what was said.`];
  return section(`${title} (${formatCount(missing)} more in what was said)`, lines.slice(first));
}

function firstWithin(lines: readonly string[], chars: number, beside: number): number {
  let left = chars;
  const last = lines.findLastIndex((line) => {
    left -= line.length + beside;
    return left < 0;
  });
  return last + 1;
}

function fileLine(files: readonly string[], chars: number): string[] {
  const more = firstWithin(files, chars, 2);
  if (more === files.length) return [];
  const rest = more === 0 ? '' : ` and ${formatCount(more)} more`;
  return [`Files: ${files.slice(more).join(', ')}${rest}`];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];
}
