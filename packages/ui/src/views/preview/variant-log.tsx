/** What one variant shows of a part: the log, folded as these settings would fold it. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PartRow, PartView } from '../../../../spillway/src/inspector/api.ts';
import { pluralize } from '../../data/figures.ts';
import type { LogPane } from '../../log/log-pane.ts';
import { foldedRuns, type OpenGaps, revealed, toggled, viewFor, withMore } from '../result/folding.ts';
import { rowsOf, useLines, useLogModel, useLogPane } from '../result/use-log-pane.ts';

interface VariantLogProps {
  readonly name: string;
  readonly source: string;
  readonly part: PartRow;
  readonly views: readonly PartView[] | undefined;
  readonly errorLines: readonly number[];
  readonly warningLines: readonly number[];
  /** A line to bring into view; `turn` tells one wish from the next. */
  readonly wanted: { readonly line: number; readonly turn: number } | undefined;
}

const NO_GAPS: readonly never[] = [];

export function VariantLog({ name, source, part, views, errorLines, warningLines, wanted }: VariantLogProps) {
  const scroller = useRef<HTMLElement>(null);
  const pane = useRef<LogPane | undefined>(undefined);
  const view = useMemo(() => viewFor(part, views), [part, views]);
  const [open, setOpen] = useState<OpenGaps>(new Map());
  const [cursor, setCursor] = useState(0);
  const lines = useLines(source, part, pane);
  const rows = useMemo(() => rowsOf(foldedRuns(view, part.lines, open)), [view, part.lines, open]);
  const model = useLogModel({
    rows,
    lines,
    errorLines,
    warningLines,
    cursor,
    by: part.by,
    gaps: view?.gaps ?? NO_GAPS,
  });
  useLogPane(scroller, pane, model, {
    onToggle: (gap) => setOpen((before) => toggled(before, gap)),
    onMore: (gap) => setOpen((before) => withMore(before, gap)),
    onPick: setCursor,
    onCursor: setCursor,
  });
  useEffect(() => {
    if (!wanted) return;
    setOpen((before) => revealed(before, view, wanted.line));
    setCursor(wanted.line);
    const frame = requestAnimationFrame(() => pane.current?.scrollToLine(wanted.line, 'third'));
    return () => cancelAnimationFrame(frame);
  }, [wanted]);
  return (
    <section
      class="log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
      tabIndex={0}
      aria-label={`${name}: ${part.name}, ${pluralize(part.lines, 'line')}`}
      ref={scroller}
    />
  );
}
