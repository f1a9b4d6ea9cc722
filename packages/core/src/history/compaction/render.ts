/**
 * A summary as a model reads it, within the chars that it may have. Everything that was left out is
 * named: results by tool, call id and handle, messages of the user by number, word for word where
 * there is room. Pinned by a test. Pure.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { formatCount } from '../../text/numbers.ts';
import { longerSummary, named, summaryHeading } from '../../wording/history.ts';
import { excerpt } from './excerpts.ts';
import { type CompactState, type ResultLine, type UserLine, unanswered } from './state.ts';

/** How many chars each part of a summary may have. */
export interface SummaryRoom {
  readonly users: number;
  readonly narrative: number;
  readonly list: number;
}

/** The latest messages of the user come first when there is little room. */
const LATEST = 6;
/** A transcript is named for each so many chars of the summary. */
const CHARS_A_TRANSCRIPT = 400;
const SHARES = { decisions: 0.5, errors: 0.25, demands: 0.15, files: 0.1 };

/** The narrative: what was decided, touched, demanded, and what still fails. */
export function narrative(state: CompactState, chars: number): string {
  const { demands, decisions, unlistedDecisions, files, errors } = state;
  const lines = errors.map(({ line }) => errorLine(line));
  return [
    ...newest('Demands', demands, chars * SHARES.demands, 0),
    ...newest('Decisions', decisions, chars * SHARES.decisions, unlistedDecisions),
    ...newest('Open errors', lines, chars * SHARES.errors, 0),
    ...fileLine(files, chars * SHARES.files),
  ].join('\n');
}

/** The whole summary; `told` is the narrative, ours or the host's. */
export function renderSummary(state: CompactState, ofModel: string, room: SummaryRoom): string {
  const lines = [...state.results.map(resultLine), ...pendingLines(state, room.list)];
  const index =
    state.index === null
      ? []
      : [`${formatCount(state.indexed)} earlier results are listed in ${state.index}.`];
  return [
    summaryHeading(state.messages),
    ...userLines(state, room.users),
    ...(ofModel === '' ? [] : [ofModel]),
    ...transcriptLine(state, room.users + room.narrative + room.list),
    ...section('Results left out (tool, call id, handle, status)', lines),
    ...index,
    ...(state.standsAt === null
      ? []
      : [`The conversation stands at message #${state.standsAt}: go on from there.`]),
  ].join('\n');
}

/** A page of the index: older results than those a summary lists itself. */
export function renderIndex(results: readonly ResultLine[], earlier: string | null): string {
  const heading =
    earlier === null
      ? 'Results left out of a summary:'
      : `Results left out of a summary; those before are in ${earlier}:`;
  return `${[heading, ...results.map(resultLine)].join('\n')}\n`;
}

export function resultLine({ tool, callId, output, status, about, error, resolvedBy }: ResultLine): string {
  const what = [
    about,
    ...(error === null ? [] : [`first error: ${error}`]),
    ...(resolvedBy === undefined ? [] : [`resolved by ${named(resolvedBy)}`]),
  ].filter((text) => text !== '');
  const head = `${named(tool)} ${named(callId)} ${output ?? '(no handle)'} ${status}`;
  return what.length === 0 ? head : `${head}: ${what.join('; ')}`;
}

/** A text of the host within its room; `rest` holds the whole of one that is longer. */
export function boundedBy(ofModel: string, chars: number, rest: ArtifactId | null): string {
  if (ofModel.length <= chars || rest === null) return ofModel;
  const cut = ofModel.slice(0, chars).toWellFormed();
  const end = cut.lastIndexOf('\n');
  return `${end > chars / 2 ? cut.slice(0, end) : cut}\n${longerSummary(rest)}`;
}

/** The task, then later user messages: word for word where there is room, else by number. */
function userLines({ users, unlisted }: CompactState, chars: number): string[] {
  const [task, ...later] = users;
  if (task === undefined) return [];
  const first = userText(task, Math.max(task.output === null ? task.text.length : 200, chars / 3));
  const shown = withinRoom(later, chars - first.length);
  const others = later.filter((line) => !shown.has(line));
  const names = namesOf(others, chars / 2);
  const more = unlisted === 0 ? [] : [`${formatCount(unlisted)} earlier ones`];
  return [
    ...section('Task', [task.output === null ? first : `${userHead(task)}${first}`]),
    ...section(
      'Later messages of the user',
      later.filter((line) => shown.has(line)).map((line) => `${userHead(line)}${line.text}`),
    ),
    ...(names.length + more.length === 0
      ? []
      : [`Messages of the user not shown here: ${[...names, ...more].join(', ')}.`]),
  ];
}

/** Numbers and handles of messages; a range where there are too many. */
function namesOf(lines: readonly UserLine[], chars: number): string[] {
  const names = lines.map(
    ({ place: ordinal, output }) => `#${ordinal ?? 1}${output === null ? '' : ` ${output}`}`,
  );
  if (names.join(', ').length <= chars || names.length < 2) return names;
  return [`${formatCount(lines.length)} from #${lines[0]?.place ?? 1} to #${lines.at(-1)?.place ?? 1}`];
}

/** The latest, then what matters, then the rest, each from the newest back. */
function withinRoom(lines: readonly UserLine[], chars: number): ReadonlySet<UserLine> {
  const newestFirst = lines.toReversed();
  const latest = newestFirst.slice(0, LATEST);
  const older = newestFirst.slice(LATEST);
  const ranked = [
    ...latest,
    ...older.filter(({ matters }) => matters),
    ...older.filter(({ matters }) => !matters),
  ];
  const shown = new Set<UserLine>();
  let left = chars;
  for (const line of ranked) {
    const price = userHead(line).length + line.text.length + 3;
    if (price > left) continue;
    left -= price;
    shown.add(line);
  }
  return shown;
}

function userHead({ place: ordinal, output, chars }: UserLine): string {
  const number = ordinal === null ? '' : `#${ordinal}`;
  const handle = output === null ? '' : ` ${output} (${formatCount(chars)} chars)`;
  return `${number}${handle}` === '' ? '' : `${`${number}${handle}`.trim()}: `;
}

function userText({ text, output }: UserLine, chars: number): string {
  return output === null || text.length <= chars ? text : excerpt(text, Math.floor(chars));
}

/** The latest transcripts that have room; each names the one before it. */
function transcriptLine({ transcripts }: CompactState, chars: number): string[] {
  if (transcripts.length === 0) return [];
  const most = Math.max(1, Math.floor(chars / CHARS_A_TRANSCRIPT));
  const named = transcripts.slice(-most).map(({ first, last, output }) => `${first}-${last} ${output}`);
  return [`What was said, word for word: messages ${named.join(', ')}.`];
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

/** Where the newest lines begin that have room; each costs `beside` chars more. */
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

function errorLine(line: ResultLine): string {
  return `${named(line.tool)} ${named(line.callId)} ${line.output ?? '(no handle)'}: ${line.error ?? line.about}`;
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`${title}:`, ...lines.map((line) => `- ${line}`)];
}
