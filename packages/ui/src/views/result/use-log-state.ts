/**
 * What a person does with a log: the cursor, open gaps, the search, lines that the address names.
 * Moves go through here, so that a line in a folded gap is unfolded before it is shown.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Line, OutputAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { AT_ONCE_BYTES, useWork } from '../../components/working.tsx';
import { readReasons } from '../../data/api-client.ts';
import { formatCount } from '../../data/figures.ts';
import type { LineSpan } from '../../log/log-model.ts';
import type { LogPane } from '../../log/log-pane.ts';
import { type Gap, ROW_CHARS, type RowList } from '../../log/row-list.ts';
import { navigate, type Route, setQuery } from '../../shell/router.ts';
import { allToggled, type OpenGaps, revealed, toggled, viewFor, withMore } from './folding.ts';
import type { Findings } from './use-log-pane.ts';
import { useSearch } from './use-search.ts';

const NO_LINES: readonly number[] = [];

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
  const { output, projection, fetched } = answer;
  const found = findings?.find((each) => each.part === part?.index);
  // Findings and reasons are known by line.
  const isByLine = part?.by === 'lines';
  const errorLines = (isByLine && found?.errors.lines) || NO_LINES;
  const warningLines = (isByLine && found?.warnings.lines) || NO_LINES;
  const partView = useMemo(() => viewFor(part, projection?.views), [part?.by, part?.index, projection]);
  const picked = useMemo(() => spanOf(route.hash), [route.hash]);
  const [cursor, setCursor] = useState<number | undefined>(picked?.first);
  const [open, setOpen] = useState<OpenGaps>(new Map());
  const [text, setText] = useState(route.query.get('q') ?? '');
  const [said, setSaid] = useState('');
  const search = useSearch(output.id, part, text);
  const hasReasons = projection?.cut === true && !answer.is_preview;
  // The output is projected again for its reasons, so they come after what is quick.
  const work = useWork<ReasonsLine>(
    hasReasons && isReady ? `reasons ${output.id}` : undefined,
    output.bytes <= AT_ONCE_BYTES,
    (signal, onLine) => readReasons(output.id, signal, onLine),
  );
  const reasons = work.data?.[0]?.parts.find((each) => each.part === part?.index);
  const pane = useRef<LogPane | undefined>(undefined);
  const rows = useRef<RowList | undefined>(undefined);
  const scroller = useRef<HTMLElement>(null);
  const wanted = useRef<{ line: number; how: 'third' | 'nearest' } | undefined>(undefined);
  const current = cursor ?? errorLines[0] ?? partView?.runs.find(({ kept }) => kept)?.first_line ?? 1;
  const block = (isByLine ? reasons : undefined)?.blocks.find(
    ({ first_line, last_line }) => current >= first_line && current <= last_line,
  );
  const run = partView?.runs.find(
    ({ first_line, last_line }) => current >= first_line && current <= last_line,
  );

  const goToLine = (line: number) => {
    setCursor(line);
    setOpen((before) => revealed(before, partView, line));
    wanted.current = { line, how: 'third' };
    setSaid(placeWords(line, isByLine));
  };
  // After the rows of an unfolded gap are there.
  useEffect(() => {
    if (wanted.current === undefined) return;
    pane.current?.scrollToLine(wanted.current.line, wanted.current.how);
    wanted.current = undefined;
  });
  useEffect(() => {
    if (!picked) return;
    goToLine(picked.first);
    setOpen((before) => revealed(before, partView, picked.last));
  }, [picked]);
  useEffect(() => {
    const timer = setTimeout(() => setQuery({ q: text || undefined }), 400);
    return () => clearTimeout(timer);
  }, [text]);
  useLineSaid(said, current, placeWords(current, isByLine), errorLines, setSaid);

  const hitLines = useMemo(() => search.matches.map(({ line }) => line), [search.matches]);
  // What is typed leads to its first match.
  const isTyped = useRef(false);
  useEffect(() => {
    if (!isTyped.current || hitLines[0] === undefined) return;
    isTyped.current = false;
    goToLine(hitLines[0]);
  }, [hitLines]);
  const goToMatch = (step: 1 | -1) => {
    const next = nextOf(hitLines, current, step);
    if (step === 1 && next === hitLines.at(-1)) search.more();
    if (next !== undefined) goToLine(next);
  };
  const goToError = (step: 1 | -1) => {
    const next = nextOf(errorLines, current, step);
    if (next !== undefined) goToLine(next);
    else setSaid('There are no error lines.');
  };
  const goToRow = (find: (list: RowList, at: number) => number | undefined) => {
    const list = rows.current;
    const row = list && find(list, list.rowOfLine(current));
    if (row === undefined) return;
    setCursor(list?.lineOf(row));
    pane.current?.scrollToRow(row);
  };
  const move = (step: 1 | -1) => goToRow(({ count }, at) => Math.max(0, Math.min(count - 1, at + step)));
  const goToGap = (step: 1 | -1) => goToRow((list, at) => nextOf(list.gapRows(), at, step));
  const toggle = (gap: Gap) => {
    setCursor(gap.firstLine);
    wanted.current = { line: Math.min(gap.lastLine, gap.firstLine + 8), how: 'nearest' };
    setOpen((before) => toggled(before, gap));
  };
  const toggleAtCursor = () => {
    if (run && !run.kept)
      toggle({ firstLine: run.first_line, lastLine: run.last_line, chars: run.chars, bytes: run.bytes });
  };
  const pick = (line: number, extend: boolean) => {
    const first = extend ? Math.min(current, line) : line;
    const last = extend ? Math.max(current, line) : line;
    setCursor(line);
    navigate(`${location.pathname}${location.search}#L${first === last ? first : `${first}-${last}`}`, {
      replace: true,
    });
  };

  const fetchedHere = useMemo(
    () => fetched.filter((range) => isByLine && (range.part === null || range.part === part?.name)),
    [fetched, part?.name, isByLine],
  );
  const gap = run && !run.kept ? { first: run.first_line, last: run.last_line } : undefined;
  return {
    text,
    setText: (next: string) => {
      isTyped.current = true;
      setText(next);
    },
    search,
    said,
    scroller,
    cursor: current,
    goToLine,
    goToMatch,
    goToError,
    goToGap,
    move,
    toggleAtCursor,
    toggleAll: () => setOpen((before) => allToggled(before, partView)),
    log: {
      partView,
      open,
      model: {
        errorLines,
        warningLines,
        hitLines,
        fetched: fetchedHere,
        marks: search.marks,
        block: useSpan(block, run?.kept ? run : undefined),
        picked,
        cursor: current,
      },
      pane,
      rowsRef: rows,
      actions: {
        onToggle: toggle,
        onMore: (each: Gap) => setOpen((before) => withMore(before, each)),
        onPick: pick,
        onCursor: setCursor,
      },
    },
    why: {
      work,
      decision: reasons?.decision && `auto chose ${projection?.strategy} because ${reasons.decision}`,
      isSettled: !hasReasons || !work.isAsked || work.data !== undefined || work.problem !== undefined,
      by: part?.by ?? 'lines',
      block,
      run: run?.kept ? { first: run.first_line, last: run.last_line } : undefined,
      gap: gap && { ...gap, errors: countIn(errorLines, gap), warnings: countIn(warningLines, gap) },
      isCut: projection?.cut,
      isBinary: part?.kind === 'binary' && part.is_shown,
    },
  };
}

/** The block of the cursor, or the run of kept lines around it while reasons are not known. */
function useSpan(
  block: KeptBlock | undefined,
  run: { first_line: number; last_line: number } | undefined,
): LineSpan | undefined {
  const first = block?.first_line ?? run?.first_line;
  const last = block?.last_line ?? run?.last_line;
  return useMemo(
    () => (first === undefined || last === undefined ? undefined : { first, last }),
    [first, last],
  );
}

/** Tells a screen reader where the cursor went. */
function useLineSaid(
  said: string,
  cursor: number,
  place: string,
  errors: readonly number[],
  setSaid: (words: string) => void,
): void {
  const before = useRef(cursor);
  useEffect(() => {
    if (before.current === cursor) return;
    before.current = cursor;
    const words = `${place}${errors.includes(cursor) ? ', error' : ''}`;
    if (words !== said) setSaid(words);
  });
}

function placeWords(line: number, isByLine: boolean): string {
  return isByLine ? `Line ${formatCount(line)}` : `Char ${formatCount((line - 1) * ROW_CHARS + 1)}`;
}

/** `L66` or `L66-106`. */
function spanOf(hash: string): LineSpan | undefined {
  const found = /^L(\d{1,12})(?:-L?(\d{1,12}))?$/.exec(hash);
  if (!found) return undefined;
  const first = Math.max(1, Number(found[1]));
  return { first, last: Math.max(first, Number(found[2] ?? first)) };
}

/** The next of the sorted numbers after `from`, around the ends. */
function nextOf(sorted: readonly number[], from: number, step: 1 | -1): number | undefined {
  if (step === 1) return sorted.find((each) => each > from) ?? sorted[0];
  return sorted.findLast((each) => each < from) ?? sorted.at(-1);
}

function countIn(lines: readonly number[], { first, last }: LineSpan): number {
  return lines.filter((line) => line >= first && line <= last).length;
}
