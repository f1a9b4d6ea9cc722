/** The log of a part: one pane or two, and the map. Hands a model to the panes; they do the rest. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OutputAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { formatCount, pluralize } from '../../data/figures.ts';
import { useGet } from '../../data/resource.ts';
import { CLIP_CHARS, type Line } from '../../log/line-cache.ts';
import { LogMap } from '../../log/log-map.ts';
import type { LineSpan, LogModel } from '../../log/log-model.ts';
import type { LogActions, LogPane } from '../../log/log-pane.ts';
import { ROW_CHARS, rowOfChar } from '../../log/row-list.ts';
import { PLAIN, visiblePieces } from '../../log/visible.ts';
import { useColors } from '../../shell/theme.ts';
import { foldedRuns, wholeRuns } from './folding.ts';
import type { LogView } from './toolbar.tsx';
import { rowsOf, useLines, useLogModel, useLogPane } from './use-log-pane.ts';
import type { LogState } from './use-log-state.ts';

type ShownProjection = NonNullable<OutputAnswer['projection']>;

/** The element of a pane. */
export function LogSection({ label, scroller }: { label: string; scroller: RefObject<HTMLElement | null> }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
  return <section class="log" tabIndex={0} aria-label={label} ref={scroller} />;
}

/**
 * The left pane of “Beside”: the literal text that the model read, in step with the stored one. The
 * server tells which stored line each of its lines is.
 */
interface BesidePaneProps {
  readonly id: string;
  readonly projection: ShownProjection;
  /** The part in the other pane. */
  readonly part: number;
  readonly errorLines: readonly number[];
  readonly marks: LogModel['marks'];
  /** The line of the stored text that the other pane has at its top. */
  readonly line: number | undefined;
  readonly wrap: boolean;
  readonly onLine: (line: number) => unknown;
}

function BesidePane({ id, projection, part, errorLines, marks, line, wrap, onLine }: BesidePaneProps) {
  const scroller = useRef<HTMLElement>(null);
  const pane = useRef<LogPane | undefined>(undefined);
  const texts = useMemo(() => projectedLines(projection), [projection]);
  const stored = useStoredLines(id, part, projection);
  const rows = useMemo(
    () =>
      rowsOf(
        texts.map((_, at) => ({
          kind: 'lines',
          firstLine: at + 1,
          lastLine: at + 1,
          state: stored[at] === undefined ? 'plain' : 'kept',
        })),
      ),
    [texts, stored],
  );
  const lines = useMemo(() => ({ get: (at: number) => texts[at - 1], need: () => undefined }), [texts]);
  const label = useMemo(() => (at: number) => numberOf(stored[at - 1]), [stored]);
  const failed = useMemo(() => {
    const errors = new Set<number | undefined>(errorLines);
    return stored.flatMap((each, at) => (errors.has(each) ? [at + 1] : []));
  }, [stored, errorLines]);
  useLogPane(scroller, pane, useLogModel({ rows, lines, label, errorLines: failed, marks, wrap }), {
    onShow: ({ first }, byScrolling) => {
      const target = stored.slice(first - 1).find((each) => each !== undefined);
      if (byScrolling && target !== undefined) onLine(target);
    },
  });
  useLayoutEffect(() => {
    if (line === undefined) return;
    const at = stored.findLastIndex((each) => each !== undefined && each <= line);
    pane.current?.scrollToLine(at < 0 ? 1 : at + 1, 'top');
  }, [line, stored]);
  return <LogSection label={`What the model read, ${pluralize(texts.length, 'line')}`} scroller={scroller} />;
}

function numberOf(line: number | undefined): string {
  return line === undefined ? '·' : formatCount(line);
}

function projectedLines({ text, notice }: ShownProjection): Line[] {
  const all = notice === null ? text : `${text}\n${notice}`;
  return all
    .split('\n')
    .flatMap(rowsOfLine)
    .map((each) => ({
      text: each,
      start: 0,
      pieces: visiblePieces(each, PLAIN).pieces,
      clippedFrom: undefined,
    }));
}

/** A very long line is shown in rows of chars. */
function rowsOfLine(line: string): string[] {
  if (line.length <= CLIP_CHARS) return [line];
  return Array.from({ length: rowOfChar(line.length) }, (_, at) =>
    line.slice(at * ROW_CHARS, (at + 1) * ROW_CHARS),
  );
}

const NOT_KNOWN: readonly undefined[] = [];

/** For each projected line its line in the part, where it is one of that. */
function useStoredLines(id: string, part: number, { at }: ShownProjection): readonly (number | undefined)[] {
  const { data } = useGet('/api/outputs/:id/origins', { id }, at);
  return useMemo(
    () => data?.lines.map((origin) => (origin?.[0] === part ? origin[1] : undefined)) ?? NOT_KNOWN,
    [data, part],
  );
}

interface LogProps extends Omit<LogState['log'], 'actions'> {
  readonly id: string;
  readonly part: PartRow;
  readonly projection: ShownProjection | null;
  readonly view: LogView;
  readonly wrap: boolean;
  readonly actions: Omit<LogActions, 'onShow'>;
  /** Lines have come. */
  readonly onLines: () => void;
  readonly scroller: RefObject<HTMLElement | null>;
}

const NO_GAPS: readonly never[] = [];

export function Log(props: LogProps) {
  const { id, part, partView, view, open, pane, scroller, actions, rowsRef } = props;
  const showOnMap = useRef<(span: LineSpan) => void>(() => undefined);
  const [leftLine, setLeftLine] = useState<number | undefined>(undefined);
  const isBeside = view === 'beside' && props.projection !== null;
  const lines = useLines(id, part, pane, props.onLines);
  const rows = useMemo(
    () =>
      rowsOf(view === 'folded' ? foldedRuns(partView, part.lines, open) : wholeRuns(partView, part.lines)),
    [view, partView, part.lines, open],
  );
  rowsRef.current = rows;
  const gaps = partView?.gaps ?? NO_GAPS;
  const model = useLogModel({ ...props.model, rows, lines, wrap: props.wrap, by: part.by, gaps });
  useLogPane(scroller, pane, model, {
    ...actions,
    onShow: (span, byScrolling) => {
      // Not by state: the page is not rendered anew for each frame of scrolling.
      showOnMap.current(span);
      // Once without scrolling, too: the address may have led to a line.
      const isMoved = byScrolling || (leftLine === undefined && span.first > 1);
      if (isMoved && isBeside && part.by === 'lines') setLeftLine(span.first);
    },
  });
  return (
    <div class={isBeside ? 'body beside' : 'body'}>
      {isBeside && (
        <>
          <h2 class="pane-head">What the model read</h2>
          <h2 class="pane-head">Stored: {part.name}</h2>
        </>
      )}
      {isBeside && props.projection && (
        <BesidePane
          projection={props.projection}
          id={id}
          part={part.index}
          errorLines={props.model.errorLines}
          marks={props.model.marks}
          line={leftLine}
          wrap={props.wrap}
          onLine={(line) => part.by === 'lines' && pane.current?.scrollToLine(line, 'top')}
        />
      )}
      <LogSection label={labelOf(part, view)} scroller={scroller} />
      <MapOf {...props} showOnMap={showOnMap} />
    </div>
  );
}

function labelOf({ name, lines, chars, by }: PartRow, view: LogView): string {
  const size = by === 'chars' ? pluralize(chars, 'char') : pluralize(lines, 'line');
  return `${name}, ${size}${view === 'folded' ? ', gaps folded' : ''}`;
}

interface MapProps extends LogProps {
  readonly showOnMap: { current: (span: LineSpan) => void };
}

function MapOf({ part, partView, model, showOnMap, pane }: MapProps) {
  const { errorLines, warningLines, hitLines, fetched } = model;
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<LogMap | undefined>(undefined);
  const colors = useColors();
  useLayoutEffect(() => {
    if (!canvas.current) return;
    const made = new LogMap(canvas.current, (line) => pane.current?.scrollToLine(line, 'third'));
    map.current = made;
    showOnMap.current = (span) => made.show(span);
    return () => {
      showOnMap.current = () => undefined;
      made.close();
    };
  }, [pane]);
  useLayoutEffect(() => {
    const runs = partView?.runs ?? [{ kept: false, first_line: 1, last_line: part.lines }];
    const read = fetched.flatMap(({ first_line, last_line }) =>
      first_line === null || last_line === null ? [] : [{ first: first_line, last: last_line }],
    );
    map.current?.update({
      lines: part.lines,
      runs,
      errors: errorLines,
      warnings: warningLines,
      hits: hitLines,
      fetched: read,
    });
  }, [part, partView, errorLines, warningLines, hitLines, fetched]);
  useLayoutEffect(() => map.current?.recolour(), [colors]);
  const gaps = partView?.runs.filter(({ kept }) => !kept).length ?? 0;
  const label = `Map of the output: ${pluralize(gaps, 'gap')}, ${pluralize(errorLines.length, 'error line')}, ${pluralize(warningLines.length, 'warning')}.`;
  return (
    <div class="mini">
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}
