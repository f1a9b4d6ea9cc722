/**
 * What a person does with the log of a result: the cursor, the search, lines that the address names;
 * and why the block at the cursor was kept.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type {
  OutputAnswer,
  PartRow,
  PreviewLine,
  SettingsGiven,
} from '../../../../spillway/src/inspector/api.ts';
import { AT_ONCE_BYTES, useWork } from '../../components/empty.tsx';
import type { Findings } from '../../components/log.tsx';
import { type Got, readLines } from '../../data/api-client.ts';
import { formatCount } from '../../data/figures.ts';
import { useDelayed, useGet } from '../../data/resource.ts';
import type { PartUnit } from '../../log/line-cache.ts';
import { type Log, nextOf } from '../../log/log.ts';
import { countWithin } from '../../log/log-rows.ts';
import { type LineSpan, ROW_CHARS, viewFor } from '../../log/rows.ts';
import { navigate, type Route, setQuery } from '../../shell/router.ts';

const NO_LINES: readonly number[] = [];
const TYPING_MS = 400;

type PartReasons = Extract<PreviewLine, { type: 'reasons' }>['parts'][number];
export type KeptBlock = PartReasons['blocks'][number];

interface Variant {
  readonly settings: SettingsGiven;
  readonly strategy: string;
  readonly limit: number;
  readonly isNow: boolean;
}

interface LogStateInput {
  readonly answer: OutputAnswer;
  readonly part: PartRow | undefined;
  readonly route: Route;
  readonly findings: readonly Findings[] | undefined;
  /** Whether what is quicker has come: what takes longer is asked for after it. */
  readonly isReady: boolean;
}

export type LogState = ReturnType<typeof useLogState>;

export function useLogState({ answer, part, route, findings, isReady }: LogStateInput) {
  const { output, projection } = answer;
  const log = useRef<Log | undefined>(undefined);
  const found = findings?.find((each) => each.part === part?.index);
  // Findings and reasons are known by line.
  const isByLine = part?.by === 'lines';
  const errors = (isByLine && found?.errors.lines) || NO_LINES;
  const warnings = (isByLine && found?.warnings.lines) || NO_LINES;
  const view = useMemo(() => viewFor(part, projection?.views), [part?.by, part?.index, projection]);
  const picked = useMemo(() => spanOf(route.hash), [route.hash]);
  const fetched = useMemo(
    () => answer.fetched.filter((range) => isByLine && (range.part === null || range.part === part?.name)),
    [answer.fetched, part?.name, isByLine],
  );
  const [moved, setCursor] = useState<number | undefined>(picked?.first);
  const cursor = moved ?? errors[0] ?? view?.runs.find(({ kept }) => kept)?.first_line ?? 1;
  const [notice, setNotice] = useState({ cursor: 0, words: '' });

  const [text, setText] = useState(route.query.get('q') ?? '');
  const search = useSearch(output.id, part, text);
  const hits = useMemo(() => search.matches.map(({ line }) => line), [search.matches]);
  useEffect(() => {
    const timer = setTimeout(() => setQuery({ q: text || undefined }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  // What is typed leads to its first match.
  const isTyped = useRef(false);
  useEffect(() => {
    if (!isTyped.current || hits[0] === undefined) return;
    isTyped.current = false;
    log.current?.goTo(hits[0]);
  }, [hits]);
  useEffect(() => {
    if (!picked) return;
    log.current?.reveal(picked.last);
    log.current?.goTo(picked.first);
  }, [picked]);

  const variants = variantsOf(answer);
  const order = {
    source: output.id,
    tool: undefined,
    variants: variants.map(({ settings }) => settings),
    detail: 'numbers' as const,
  };
  // The output is projected again, which comes after what is quick.
  const work = useWork<PreviewLine>(
    isReady && output.chars > 0 ? `what if ${output.id}` : undefined,
    output.bytes <= AT_ONCE_BYTES,
    (signal, onLine) => readLines('/api/preview', order, signal, onLine),
  );
  const reasons = work.data
    ?.find((line) => line.type === 'reasons')
    ?.parts.find((each) => each.part === part?.index);
  const isHere = (span: { readonly first_line: number; readonly last_line: number }) =>
    cursor >= span.first_line && cursor <= span.last_line;
  const block = isByLine ? reasons?.blocks.find(isHere) : undefined;
  const run = view?.runs.find(isHere);
  const about = block ?? run;
  const span = useMemo(
    () => about && { first: about.first_line, last: about.last_line },
    [about?.first_line, about?.last_line],
  );
  const isGap = run !== undefined && !run.kept;
  const place = isByLine
    ? `Line ${formatCount(cursor)}`
    : `Char ${formatCount((cursor - 1) * ROW_CHARS + 1)}`;
  const isError = countWithin(errors, cursor, cursor) > 0;
  return {
    text,
    setText: (next: string) => {
      isTyped.current = true;
      setText(next);
    },
    search,
    /** For a screen reader: where the cursor is. */
    said: notice.cursor === cursor ? notice.words : `${place}${isError ? ', error' : ''}`,
    log,
    cursor,
    setCursor,
    pick: (line: number, extend: boolean) => {
      const [first, last] = extend ? [Math.min(cursor, line), Math.max(cursor, line)] : [line, line];
      setCursor(line);
      const lines = first === last ? first : `${first}-${last}`;
      navigate(`${location.pathname}${location.search}#L${lines}`, { replace: true });
    },
    goToMatch: (step: 1 | -1) => {
      const next = nextOf(hits, cursor, step);
      if (step === 1 && next === hits.at(-1)) search.more();
      if (next !== undefined) log.current?.goTo(next);
    },
    goToError: (step: 1 | -1) => {
      const next = nextOf(errors, cursor, step);
      if (next === undefined) setNotice({ cursor, words: 'There are no error lines.' });
      else log.current?.goTo(next);
    },
    facts: {
      view,
      errors,
      warnings,
      hits,
      fetched,
      marks: search.marks,
      block: isGap ? undefined : span,
      picked,
      cursor,
    },
    variants,
    work,
    why: {
      work,
      decision: reasons?.decision && `auto chose ${projection?.strategy} because ${reasons.decision}`,
      by: part?.by ?? 'lines',
      block,
      span,
      /** What a gap holds, where the cursor is in one. */
      held: isGap &&
        span && {
          errors: countWithin(errors, span.first, span.last),
          warnings: countWithin(warnings, span.first, span.last),
        },
      isCut: projection?.cut,
      isBinary: part?.kind === 'binary' && part.is_shown,
    },
  };
}

/** The settings in force, half and twice their limit, and two plain strategies. */
function variantsOf({ settings, projection, output }: OutputAnswer): Variant[] {
  const inForce = (name: string) => settings.find((setting) => setting.name === name)?.value;
  const limit = output.shown?.limit ?? Number(inForce('inline_limit') ?? 8_000);
  const strategy = String(inForce('strategy') ?? projection?.strategy ?? 'auto');
  const given = (name: string, chars: number): Variant => ({
    settings: { strategy: name, inline_limit: chars },
    strategy: name,
    limit: chars,
    isNow: name === strategy && chars === limit,
  });
  const others = ['smart_summary', 'tail', 'head_tail'].filter((name) => name !== strategy).slice(0, 2);
  return [
    given(strategy, Math.round(limit / 2)),
    given(strategy, limit),
    given(strategy, limit * 2),
    ...others.map((name) => given(name, limit)),
  ];
}

/** `L66` or `L66-106`. */
function spanOf(hash: string): LineSpan | undefined {
  const found = /^L(\d{1,12})(?:-L?(\d{1,12}))?$/.exec(hash);
  if (!found) return undefined;
  const first = Math.max(1, Number(found[1]));
  return { first, last: Math.max(first, Number(found[2] ?? first)) };
}

type MatchedLine = Got<'/api/outputs/:id/search'>['matches'][number];

const WAIT_MS = 150;
const NOTHING: readonly never[] = [];
const PAGE = 1_000;

/**
 * The search through a whole part, on the server: what was left out is searched too. A text between
 * slashes is a pattern. All matches are counted; they come a thousand at a time.
 */
export interface Search {
  readonly matches: readonly MatchedLine[];
  readonly total: number | undefined;
  readonly leftOut: number | undefined;
  readonly isSearching: boolean;
  readonly problem: string | undefined;
  readonly marks: (text: string) => readonly (readonly [number, number])[];
  /** Asks for the next page, if there is one. */
  readonly more: () => void;
}

function useSearch(id: string, part: PartUnit | undefined, text: string): Search {
  const asked = useDelayed(text, WAIT_MS);
  const [pages, setPages] = useState({ of: asked, count: 1 });
  const count = pages.of === asked ? pages.count : 1;
  const query =
    part && asked !== ''
      ? { ...queryOf(asked), id, part: part.index, by: part.by, limit: count * PAGE }
      : undefined;
  const { data, error, isLoading } = useGet('/api/outputs/:id/search', query, { keeps: true });
  const current = query && text === asked && (count > 1 || !isLoading) ? data : undefined;
  const marks = useMemo(() => marksOf(text), [text]);
  return {
    matches: current?.matches ?? NOTHING,
    total: current?.total,
    leftOut: current?.left_out ?? undefined,
    isSearching: text !== '' && !current && !error,
    problem: text === asked ? error?.message : undefined,
    marks,
    more: () => {
      if (current && current.matches.length < current.total) setPages({ of: asked, count: count + 1 });
    },
  };
}

function queryOf(text: string): { q?: string; pattern?: string } {
  const pattern = /^\/(.+)\/$/.exec(text)?.[1];
  return pattern === undefined ? { q: text } : { pattern };
}

/** Where a line is to be marked. The server decides which lines match; this only colours them. */
function marksOf(text: string): (line: string) => [number, number][] {
  const matcher = matcherOf(text);
  if (!matcher) return () => [];
  return (line) => {
    const found: [number, number][] = [];
    for (const { 0: hit, index } of line.matchAll(matcher))
      if (hit.length > 0 && found.length < 200) found.push([index, index + hit.length]);
    return found;
  };
}

function matcherOf(text: string): RegExp | undefined {
  const { q, pattern } = queryOf(text);
  if (pattern === undefined) return q ? new RegExp(escaped(q), 'gi') : undefined;
  try {
    return new RegExp(pattern, 'gi');
  } catch {
    return undefined;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
