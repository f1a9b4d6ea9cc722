/**
 * What a person does with the log of a result: the cursor, the search, lines that the address names;
 * and why the block at the cursor was kept.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Line, OutputAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import type { Findings } from '../../components/log.tsx';
import { AT_ONCE_BYTES, useWork } from '../../components/working.tsx';
import { readLines } from '../../data/api-client.ts';
import { formatCount } from '../../data/figures.ts';
import type { LineSpan } from '../../log/facts.ts';
import { type Log, nextOf } from '../../log/log.ts';
import { countWithin } from '../../log/log-rows.ts';
import { ROW_CHARS, viewFor } from '../../log/rows.ts';
import { navigate, type Route, setQuery } from '../../shell/router.ts';
import { useSearch } from './use-search.ts';

const NO_LINES: readonly number[] = [];
const TYPING_MS = 400;

type ReasonsLine = Line<'GET /api/outputs/:id/reasons'>;
type PartReasons = Extract<ReasonsLine, { type: 'reasons' }>['parts'][number];
export type KeptBlock = PartReasons['blocks'][number];

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

  const hasReasons = projection?.cut === true && !answer.is_preview;
  // The output is projected again for its reasons, so they come after what is quick.
  const work = useWork<ReasonsLine>(
    hasReasons && isReady ? `reasons ${output.id}` : undefined,
    output.bytes <= AT_ONCE_BYTES,
    (signal, onLine) => readLines('GET /api/outputs/:id/reasons', { id: output.id }, signal, onLine),
  );
  const reasons = work.data?.[0]?.parts.find((each) => each.part === part?.index);
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
    why: {
      work,
      decision: reasons?.decision && `auto chose ${projection?.strategy} because ${reasons.decision}`,
      isSettled: !hasReasons || !work.isAsked || work.data !== undefined || work.problem !== undefined,
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

/** `L66` or `L66-106`. */
function spanOf(hash: string): LineSpan | undefined {
  const found = /^L(\d{1,12})(?:-L?(\d{1,12}))?$/.exec(hash);
  if (!found) return undefined;
  const first = Math.max(1, Number(found[1]));
  return { first, last: Math.max(first, Number(found[2] ?? first)) };
}
