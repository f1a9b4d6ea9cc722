/** What one variant shows of a part: the log, folded as these settings would fold it. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PartRow, PartView } from '../../../../spillway/src/inspector/api.ts';
import { pluralize } from '../../data/figures.ts';
import { LineCache } from '../../log/line-cache.ts';
import type { LogModel } from '../../log/log-model.ts';
import { LogPane } from '../../log/log-pane.ts';
import type { Gap } from '../../log/row-list.ts';
import { RowList } from '../../log/row-list.ts';
import { foldedRuns, type OpenGaps, revealed, toggled, withMore } from '../result/folding.ts';

interface VariantLogProps {
  readonly name: string;
  readonly source: string;
  readonly part: PartRow;
  readonly view: PartView | undefined;
  readonly errorLines: readonly number[];
  readonly warningLines: readonly number[];
  /** A line to bring into view; `turn` tells one wish from the next. */
  readonly wanted: { readonly line: number; readonly turn: number } | undefined;
}

export function VariantLog({ name, source, part, view, errorLines, warningLines, wanted }: VariantLogProps) {
  const scroller = useRef<HTMLElement>(null);
  const pane = useRef<LogPane | undefined>(undefined);
  const [open, setOpen] = useState<OpenGaps>(new Map());
  const [cursor, setCursor] = useState(0);
  const lines = useMemo(
    () => new LineCache(source, part.index, (widest) => pane.current?.loaded(widest)),
    [source, part.index],
  );
  useEffect(() => () => lines.close(), [lines]);
  useLayoutEffect(() => {
    if (!scroller.current) return;
    const made = new LogPane(scroller.current, {
      onToggle: (gap: Gap) => setOpen((before) => toggled(before, gap)),
      onMore: (gap: Gap) => setOpen((before) => withMore(before, gap)),
      onPick: setCursor,
      onCursor: setCursor,
      onShow: () => undefined,
    });
    pane.current = made;
    return () => made.close();
  }, [lines]);
  const errors = useMemo(() => new Set(errorLines), [errorLines]);
  const warnings = useMemo(() => new Set(warningLines), [warningLines]);
  const rows = useMemo(
    () =>
      new RowList(foldedRuns(view, part.lines, open), {
        line: 18,
        gap: matchMedia('(max-width: 819px)').matches ? 40 : 30,
      }),
    [view, part.lines, open],
  );
  const model = useMemo<LogModel>(
    () => ({
      rows,
      lines,
      errors,
      warnings,
      errorLines,
      warningLines,
      fetched: [],
      hits: new Set(),
      marks: () => [],
      block: undefined,
      picked: undefined,
      cursor,
      wrap: false,
    }),
    [rows, lines, errors, warnings, errorLines, warningLines, cursor],
  );
  useLayoutEffect(() => pane.current?.update(model), [model]);
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
