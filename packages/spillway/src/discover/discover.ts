/**
 * What Spillway's default would have done for the histories that agents keep. Nothing is stored, and
 * nothing leaves the machine. An error counts as missed only where the whole text still exists; what
 * the agent cut without keeping it is counted as unknown. Sizes are UTF-16 code units.
 */

import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, isAbsolute, relative } from 'node:path';
import { memoryStore, type Outcome, Spillway } from '@spillway/core';
import { errorLines, estimateTokens, redactText } from '@spillway/core/plugin';
import { found, isOwn } from '../accounts.ts';
import { isFields, sum } from '../fields.ts';
import { READING_CHARS } from '../hook/bound-call.ts';
import { visible } from '../visible.ts';
import { type HistoryResult, type HistorySession, SOURCES, sessionsOf, unwrapped } from './histories.ts';

export interface DiscoverOptions {
  /** Names the home, and the folders that agents were told to use. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly agent?: string;
  /** Called after each session with the bytes that were read; reading goes on when it resolves. */
  readonly onProgress?: (bytes: number) => void | Promise<void>;
}

interface MissedError {
  readonly agent: string;
  readonly session: string;
  readonly command: string;
  /** A line that the agent was not shown, redacted. */
  readonly line: string;
  readonly line_number: number;
  /** Error lines of this result that the agent was not shown. */
  readonly lines: number;
  /** Whether our default shows this line; if not, it shows none of them. */
  readonly shown_by_default: boolean;
}

interface Habit {
  readonly agent: string;
  readonly tool: string;
  readonly command: string;
  readonly results: number;
  readonly shown_chars: number;
  /** What our default would have shown. */
  readonly default_chars: number;
}

const TOTALS = [
  'sessions',
  'results',
  // Of results that the model read, and of everything else in the sessions.
  'shown_chars',
  'shown_tokens',
  'other_chars',
  // Results that the agent cut itself, and those of them whose whole text is not kept.
  'cut',
  'cut_unknown',
  // Cut results that were fetched or run again, and what that took.
  'fetched',
  'run_again',
  'again_chars',
  // What our default would have shown, with the same fetches and runs.
  'default_chars',
  'default_tokens',
  // Results with errors that the agent was not shown; those of which our default shows one.
  'missed_results',
  'missed_shown_by_default',
] as const;

/** Sums for one agent, or for all. */
export type AgentTotals = Record<(typeof TOTALS)[number], number>;

function totals(of: (name: keyof AgentTotals) => number): AgentTotals {
  return Object.fromEntries(TOTALS.map((name) => [name, of(name)])) as AgentTotals;
}

const noTotals = () => totals(() => 0);

export interface Discovery {
  readonly since: string | null;
  readonly agents: Readonly<Record<string, AgentTotals>>;
  readonly total: AgentTotals;
  readonly missed: readonly MissedError[];
  readonly habits: readonly Habit[];
  readonly unreadable_lines: number;
  /** Files and folders. */
  readonly unreadable_files: readonly string[];
  readonly bytes: number;
}

const MOST_HABITS = 10;
/** A fetch or another run counts within so many calls. */
const NEAR_CALLS = 30;
/** Files are read to be edited: their default is larger. */
const READING_TOOL = /^(?:read|view|read_file|read_many_files|cat|open)$/i;
const MOST_FILE_BYTES = 64 << 20;

export async function discover({ env, since, agent, onProgress }: DiscoverOptions): Promise<Discovery> {
  const agents: Record<string, AgentTotals> = {};
  const missed: MissedError[] = [];
  const habits = new Map<string, HabitTally>();
  const unreadableFiles: string[] = [];
  let [bytes, unreadableLines] = [0, 0];
  for (const source of SOURCES.filter((one) => agent === undefined || one.agent === agent))
    for await (const session of sessionsOf(source, env, since, unreadableFiles)) {
      bytes += session.bytes;
      unreadableLines += session.unreadable;
      await onProgress?.(bytes);
      if (session.results.length === 0) continue;
      agents[source.agent] ??= noTotals();
      await addSession(session, agents[source.agent] as AgentTotals, missed, habits);
    }
  return {
    since: since === 0 ? null : new Date(since).toISOString(),
    agents,
    total: totals((name) => sum(Object.values(agents), (one) => one[name])),
    missed,
    habits: [...habits.values()]
      .sort((a, b) => b.shown_chars - a.shown_chars)
      .slice(0, MOST_HABITS)
      .map(({ long, ...habit }) => habit),
    unreadable_lines: unreadableLines,
    unreadable_files: unreadableFiles,
    bytes,
  };
}

async function addSession(
  { results, otherChars }: HistorySession,
  totals: AgentTotals,
  missed: MissedError[],
  habits: Map<string, HabitTally>,
): Promise<void> {
  totals.sessions++;
  totals.other_chars += otherChars;
  for (const [at, result] of results.entries()) {
    const whole = result.cut ? wholeOf(result) : null;
    const hidden = whole === null ? [] : hiddenErrors(result, whole, results.slice(at + 1));
    const habit = habitFor(habits, result);
    const view = await defaultOf(result, whole ?? result.shown, habit, hidden.length > 0);
    totals.results++;
    totals.shown_chars += result.shown.length;
    totals.shown_tokens += tokensOf(result.shown);
    totals.default_chars += view.chars;
    totals.default_tokens += view.tokens;
    habit.results++;
    habit.shown_chars += result.shown.length;
    habit.default_chars += view.chars;
    if (!result.cut) continue;
    totals.cut++;
    if (whole === null) totals.cut_unknown++;
    const again = nextLike(results, at);
    if (again !== null) {
      totals[again.how]++;
      totals.again_chars += again.chars;
    }
    if (hidden.length === 0) continue;
    const error = missedError(result, hidden, view);
    missed.push(error);
    totals.missed_results++;
    if (error.shown_by_default) totals.missed_shown_by_default++;
  }
}

interface DefaultView {
  readonly chars: number;
  readonly tokens: number;
  /** Null if it was not made: the sizes are those of the habit, on average. */
  readonly shows: ((line: ErrorLine) => boolean) | null;
}

/**
 * What our default shows of a text. Long results of a habit are projected a few times, then one in
 * some; the others are counted by the mean of those.
 */
async function defaultOf(
  result: HistoryResult,
  text: string,
  habit: HabitTally,
  isAsked: boolean,
): Promise<DefaultView> {
  const { tool, session, input } = result;
  const limit = READING_TOOL.test(tool) ? READING_CHARS : SHORT_CHARS;
  if (text.length <= limit || isOurs(text))
    return { chars: text.length, tokens: tokensOf(text), shows: () => true };
  const { long } = habit;
  const isMeasured = long.seen < ALWAYS_MEASURED || (long.seen * GOLDEN) % 1 < MEASURED_SHARE;
  long.seen++;
  if (!isMeasured && !isAsked)
    return {
      chars: Math.round(long.chars / long.measured),
      tokens: Math.round(long.tokens / long.measured),
      shows: null,
    };
  const spillway = new Spillway({ store: memoryStore() });
  const { projection } = await spillway.process(
    { tool, session, scope: 'discover', input },
    { kind: 'text', text },
    { outcome: outcomeOf(result), policy: { inlineLimit: limit } },
  );
  await spillway.close();
  const view = { chars: projection.text.length, tokens: estimateTokens(projection.text) };
  if (isMeasured) {
    long.measured++;
    long.chars += view.chars;
    long.tokens += view.tokens;
  }
  const shown = visible(projection.text);
  const { omitted } = projection.metadata;
  // Of the first and the last line of a gap something may be shown.
  const shows = ({ number, line }: ErrorLine) =>
    omitted.every(({ first_line, last_line }) => number < first_line || number > last_line) ||
    shown.includes(line);
  return { ...view, shows };
}

/** Texts up to here are shown whole under every default. */
const SHORT_CHARS = 8_000;
const ALWAYS_MEASURED = 20;
const MEASURED_SHARE = 1 / 8;
/** Spreads what is measured evenly, whatever rhythm the results have. */
const GOLDEN = 0.618_034;

/** A projection or page of Spillway, which the agent has had for a while; an agent may number lines. */
function isOurs(text: string): boolean {
  const ends = `${text.slice(0, 600)}\n${text.slice(-600)}`;
  return /^(?:\d+\t)?\[(?:Artifact: art_|art_\d+_\w+: |(?:Exit code .*\. )?Showing (?:the first )?[\d,]+ of [\d,]+ chars)/m.test(
    ends,
  );
}

function outcomeOf({ failed }: HistoryResult): Outcome {
  return failed ? { status: 'error', exitCode: 1 } : { status: 'ok' };
}

/** Of a long text some slices are counted. */
function tokensOf(text: string): number {
  if (text.length <= 4 * SLICE_CHARS) return estimateTokens(text);
  const starts = [0, 1, 2, 3].map((i) => Math.floor((i * (text.length - SLICE_CHARS)) / 3));
  const counted = starts.map((start) => estimateTokens(text.slice(start, start + SLICE_CHARS)));
  return Math.round((counted.reduce((sum, tokens) => sum + tokens, 0) * text.length) / (4 * SLICE_CHARS));
}

const SLICE_CHARS = 500;

interface ErrorLine {
  readonly number: number;
  readonly line: string;
}

/** The lines of the whole text that tell of an error, which no result up to NEAR_CALLS later shows. */
function hiddenErrors(
  result: HistoryResult,
  whole: string,
  later: readonly HistoryResult[],
): readonly ErrorLine[] {
  const numbers = errorLines(whole, { ...result, outcome: outcomeOf(result) });
  if (numbers.length === 0) return [];
  // Either side may have dropped the colours.
  const lines = whole.split('\n');
  const shown = [visible(result.shown), ...later.slice(0, NEAR_CALLS).map((one) => one.shown)];
  return numbers
    .map((number) => ({ number, line: visible((lines[number - 1] ?? '').trim()) }))
    .filter(({ line }) => !shown.some((text) => text.includes(line)));
}

/** Names a line that our default shows, if there is one: it picks those that say most. */
function missedError(
  result: HistoryResult,
  hidden: readonly ErrorLine[],
  { shows }: DefaultView,
): MissedError {
  const visibleError = hidden.find((one) => shows?.(one));
  const { number, line } = visibleError ?? (hidden[0] as ErrorLine);
  return {
    agent: result.agent,
    session: result.session,
    command: redactText(commandOf(result)).slice(0, MOST_LINE_CHARS),
    line: redactText(line).slice(0, MOST_LINE_CHARS),
    line_number: number,
    lines: hidden.length,
    shown_by_default: visibleError !== undefined,
  };
}

const MOST_LINE_CHARS = 200;

function trimmed(line = ''): string {
  return line.trim();
}

/**
 * The whole text of a result that the agent cut; null if it is not known. A history is text that
 * others may have written into: a file counts only if it lies in the agent's own folder, under a
 * name as the agent gives it, belongs to this account and holds what the result shows of it.
 */
function wholeOf({ whole, file, shown }: HistoryResult): string | null {
  if (whole !== undefined) return whole;
  if (file === undefined || !isAbsolute(file.path) || !file.name.test(basename(file.path))) return null;
  const there = found(lstatSync, file.path);
  if (there?.isFile() !== true || there.size > MOST_FILE_BYTES || !isOwn(file.path)) return null;
  const inside = relative(realpathSync(file.folder), realpathSync(file.path));
  if (inside.startsWith('..') || isAbsolute(inside)) return null;
  const text = unwrapped(readFileSync(file.path, 'utf8'));
  const lines = shown.split('\n').map(trimmed);
  const held = lines.filter((line) => line.length >= 4 && text.includes(line));
  return sum(held, lengthOf) * 4 > sum(lines, lengthOf) ? text : null;
}

const lengthOf = ({ length }: string) => length;

/** The next call that read the whole of a cut result, or made the same call again. */
function nextLike(
  results: readonly HistoryResult[],
  at: number,
): { readonly how: 'fetched' | 'run_again'; readonly chars: number } | null {
  const { tool, input, file } = results[at] as HistoryResult;
  const same = JSON.stringify(input);
  for (const later of results.slice(at + 1, at + 1 + NEAR_CALLS)) {
    const given = JSON.stringify(later.input) ?? '';
    if (file !== undefined && given.includes(file.path)) return { how: 'fetched', chars: later.shown.length };
    if (later.tool === tool && given === same) return { how: 'run_again', chars: later.shown.length };
  }
  return null;
}

interface HabitTally extends Habit {
  results: number;
  shown_chars: number;
  default_chars: number;
  /** Results that our default cuts, those of them that were projected, and what that came to. */
  readonly long: { seen: number; measured: number; chars: number; tokens: number };
}

function habitFor(habits: Map<string, HabitTally>, result: HistoryResult): HabitTally {
  const { agent, tool } = result;
  const command = habitOf(result);
  const key = JSON.stringify([agent, tool, command]);
  const known = habits.get(key);
  if (known !== undefined) return known;
  const long = { seen: 0, measured: 0, chars: 0, tokens: 0 };
  const habit = { agent, tool, command, results: 0, shown_chars: 0, default_chars: 0, long };
  habits.set(key, habit);
  return habit;
}

/** The first words of a command without folders and variables: `npm test`, `git log`. */
function habitOf(result: HistoryResult): string {
  const line = commandOf(result);
  if (line === result.tool) return '';
  const command = line.replace(/^(?:cd \S+ && |\w+=\S* )+/, '').trim();
  return redactText(/^[^\s|;&<>]+(?: [a-z][\w:.-]*)?/.exec(command)?.[0] ?? command).slice(0, 60);
}

/** What was run, or the name of the tool. */
function commandOf({ tool, input }: HistoryResult): string {
  // A script that the model wrote around its tools: the first command in it is what was run.
  if (typeof input === 'string') return /\bcmd: ?"([^"\n]{1,500})"/.exec(input)?.[1] ?? tool;
  if (!isFields(input)) return tool;
  const { command, cmd } = input;
  const line = command ?? cmd;
  // `bash -lc LINE`: the line is what was run.
  if (Array.isArray(line)) return (/^-\w*c$/.test(String(line[1])) ? line.slice(2) : line).join(' ');
  return typeof line === 'string' ? line : tool;
}
