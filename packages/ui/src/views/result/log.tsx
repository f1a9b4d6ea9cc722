/** The log of a part: one pane or two, and the map. Hands a model to the panes; they do the rest. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PartRow, PartView, ShownProjection } from '../../../../spillway/src/inspector/api.ts';
import { pluralize } from '../../data/figures.ts';
import { useValue } from '../../data/observable.ts';
import { LogMap } from '../../log/log-map.ts';
import type { LineSpan, LogModel } from '../../log/log-model.ts';
import type { LogActions, LogPane } from '../../log/log-pane.ts';
import type { RowList } from '../../log/row-list.ts';
import { theme } from '../../shell/theme.ts';
import { BesidePane } from './beside-pane.tsx';
import { foldedRuns, type OpenGaps, wholeRuns } from './folding.ts';
import type { LogView } from './toolbar.tsx';
import { rowsOf, useLines, useLogModel, useLogPane } from './use-log-pane.ts';

export interface LogProps
  extends Omit<LogModel, 'rows' | 'lines' | 'errors' | 'warnings' | 'hits' | 'gaps' | 'by'> {
  readonly id: string;
  readonly part: PartRow;
  readonly partView: PartView | undefined;
  readonly projection: ShownProjection | null;
  readonly view: LogView;
  readonly open: OpenGaps;
  readonly hitLines: readonly number[];
  readonly actions: Omit<LogActions, 'onShow'>;
  /** Lines have come. */
  readonly onLines: () => void;
  /** The pane with the stored text, for keys that move in it. */
  readonly pane: { current: LogPane | undefined };
  readonly rowsRef: { current: RowList | undefined };
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
  const { errorLines, warningLines, hitLines, fetched, marks, block, picked, cursor, wrap } = props;
  const model = useLogModel({
    rows,
    lines,
    errorLines,
    warningLines,
    hitLines,
    fetched,
    marks,
    block,
    picked,
    cursor,
    wrap,
    by: part.by,
    gaps: partView?.gaps ?? NO_GAPS,
  });
  useLogPane(scroller, pane, model, {
    ...actions,
    onShow: (span, byScrolling) => {
      // Not by state: the page is not rendered anew for each frame of scrolling.
      showOnMap.current(span);
      if (byScrolling && isBeside && part.by === 'lines') setLeftLine(span.first);
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
          errorLines={errorLines}
          marks={marks}
          line={leftLine}
          wrap={wrap}
          onLine={(line) => part.by === 'lines' && pane.current?.scrollToLine(line, 'top')}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus */}
      <section class="log" tabIndex={0} aria-label={labelOf(part, view)} ref={scroller} />
      <MapOf {...props} showOnMap={showOnMap} />
    </div>
  );
}

function labelOf({ name, lines, chars, by }: PartRow, view: LogView): string {
  const size = by === 'chars' ? pluralize(chars, 'char') : pluralize(lines, 'line');
  return `${name}, ${size}${view === 'folded' ? ', gaps folded' : ''}`;
}

function MapOf({
  part,
  partView,
  errorLines,
  warningLines,
  hitLines,
  fetched,
  showOnMap,
  pane,
}: LogProps & { showOnMap: { current: (span: LineSpan) => void } }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<LogMap | undefined>(undefined);
  const chosen = useValue(theme);
  useLayoutEffect(() => {
    if (!canvas.current) return;
    const made = new LogMap(canvas.current, (line) => pane.current?.scrollToLine(line, 'third'));
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => made.recolour();
    dark.addEventListener('change', redraw);
    map.current = made;
    showOnMap.current = (span) => made.show(span);
    return () => {
      showOnMap.current = () => undefined;
      dark.removeEventListener('change', redraw);
      made.close();
    };
  }, [pane]);
  useLayoutEffect(() => {
    const runs = partView?.runs ?? [
      { kept: false, first_line: 1, last_line: part.lines, chars: 0, bytes: 0 },
    ];
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
  useLayoutEffect(() => map.current?.recolour(), [chosen]);
  const gaps = partView?.runs.filter(({ kept }) => !kept).length ?? 0;
  const label = `Map of the output: ${pluralize(gaps, 'gap')}, ${pluralize(errorLines.length, 'error line')}, ${pluralize(warningLines.length, 'warning')}.`;
  return (
    <div class="mini">
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}
