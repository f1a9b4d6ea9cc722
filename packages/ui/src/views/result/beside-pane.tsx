/** The left pane of “Beside”: the literal text that the model read, in step with the stored one. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { LinesAnswer, PartView, ShownProjection } from '../../../../spillway/src/inspector/api.ts';
import { get } from '../../data/api-client.ts';
import { formatCount, pluralize } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { CLIP_CHARS, type Line } from '../../log/line-cache.ts';
import type { LogModel } from '../../log/log-model.ts';
import { LogPane } from '../../log/log-pane.ts';
import { RowList } from '../../log/row-list.ts';
import { visiblePieces } from '../../log/visible.ts';
import { aligned, visibleText } from './alignment.ts';

interface BesidePaneProps {
  readonly id: string;
  readonly projection: ShownProjection;
  readonly partView: PartView | undefined;
  readonly marks: LogModel['marks'];
  /** The line of the stored text that the other pane has at its top. */
  readonly line: number | undefined;
  readonly wrap: boolean;
  readonly onLine: (line: number) => void;
}

export function BesidePane(props: BesidePaneProps) {
  const { projection, line, onLine } = props;
  const scroller = useRef<HTMLElement>(null);
  const pane = useRef<LogPane | undefined>(undefined);
  const texts = useMemo(() => projectedLines(projection), [projection]);
  const stored = useStoredLines(props, texts);
  const model = useLeftModel(props, texts, stored);
  const latest = useRef({ stored, onLine });
  latest.current = { stored, onLine };
  useLayoutEffect(() => {
    if (!scroller.current) return;
    const made = new LogPane(scroller.current, {
      onToggle: () => undefined,
      onMore: () => undefined,
      onPick: () => undefined,
      onCursor: () => undefined,
      onShow: ({ first }, byScrolling) => {
        const target = latest.current.stored.slice(first - 1).find((each) => each !== undefined);
        if (byScrolling && target !== undefined) latest.current.onLine(target);
      },
    });
    pane.current = made;
    return () => made.close();
  }, []);
  useLayoutEffect(() => pane.current?.update(model), [model]);
  useLayoutEffect(() => {
    if (line === undefined) return;
    const at = stored.findLastIndex((each) => each !== undefined && each <= line);
    pane.current?.scrollToLine(at < 0 ? 1 : at + 1, 'top');
  }, [line, stored]);
  return (
    <section
      class="log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
      tabIndex={0}
      aria-label={`What the model read, ${pluralize(texts.length, 'line')}`}
      ref={scroller}
    />
  );
}

function projectedLines({ text, notice }: ShownProjection): Line[] {
  const all = notice === null ? text : `${text}\n${notice}`;
  return all.split('\n').map((each) => ({
    text: each.slice(0, CLIP_CHARS),
    pieces: visiblePieces(each.slice(0, CLIP_CHARS)),
    clippedFrom: each.length > CLIP_CHARS ? each.length : undefined,
  }));
}

/** The stored line of each projected one; known once the kept lines are read. */
function useStoredLines({ id, partView }: BesidePaneProps, texts: readonly Line[]): (number | undefined)[] {
  const kept = partView?.runs.filter((run) => run.kept) ?? [];
  const ranges = kept.map(({ first_line, last_line }) => `${first_line}-${last_line}`).join(',');
  const key = ranges === '' ? undefined : `kept ${id} ${partView?.part} ${ranges}`;
  const { data } = useResource(key, (signal) =>
    get<LinesAnswer>(
      `/api/outputs/${encodeURIComponent(id)}/lines`,
      { part: partView?.part, ranges, clip: CLIP_CHARS },
      signal,
    ),
  );
  return useMemo(() => {
    const lines = data?.ranges.flatMap(({ first_line, texts: stored }) =>
      stored.map((text, index) => ({ line: first_line + index, text: visibleText(visiblePieces(text)) })),
    );
    return aligned(
      texts.map(({ pieces }) => visibleText(pieces)),
      lines ?? [],
    );
  }, [data, texts]);
}

function useLeftModel(
  { marks, wrap }: BesidePaneProps,
  texts: readonly Line[],
  stored: (number | undefined)[],
): LogModel {
  return useMemo(() => {
    const runs = texts.map((_, index) => ({
      kind: 'lines' as const,
      firstLine: index + 1,
      lastLine: index + 1,
      state: stored[index] === undefined ? ('plain' as const) : ('kept' as const),
    }));
    return {
      rows: new RowList(runs, { line: 18, gap: 30 }),
      lines: { get: (line) => texts[line - 1], need: () => undefined },
      errors: new Set(),
      warnings: new Set(),
      errorLines: [],
      warningLines: [],
      fetched: [],
      hits: new Set(),
      marks,
      block: undefined,
      picked: undefined,
      cursor: 0,
      wrap,
      label: (line) => {
        const at = stored[line - 1];
        return at === undefined ? '·' : formatCount(at);
      },
    };
  }, [texts, stored, marks, wrap]);
}
