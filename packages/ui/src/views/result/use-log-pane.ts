/**
 * A log in a view: the lines it has loaded, everything it shows as one model, and the pane that
 * shows it. The result, its literal text and both sides of a preview are such logs.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { PartRow } from '../../../../spillway/src/inspector/api.ts';
import { type Got, get } from '../../data/api-client.ts';
import { type Resource, useResource } from '../../data/resource.ts';
import { LineCache, type PartUnit } from '../../log/line-cache.ts';
import type { LogModel } from '../../log/log-model.ts';
import { type LogActions, LogPane } from '../../log/log-pane.ts';
import { RowList, type Run } from '../../log/row-list.ts';

export interface PaneRef {
  current: LogPane | undefined;
}

/** Lines of a part, shown by the pane as they come. */
export function useLines(
  id: string,
  { index, by }: PartUnit,
  pane: PaneRef,
  onLines?: () => void,
): LineCache {
  const latest = useRef(onLines);
  latest.current = onLines;
  const lines = useMemo(
    () =>
      new LineCache(id, { index, by }, (widest) => {
        pane.current?.loaded(widest);
        latest.current?.();
      }),
    [id, index, by, pane],
  );
  useEffect(() => () => lines.close(), [lines]);
  return lines;
}

/** Rows of these runs; gaps are taller where they are touched. */
export function rowsOf(runs: readonly Run[]): RowList {
  return new RowList(runs, { line: 18, gap: matchMedia('(max-width: 819px)').matches ? 40 : 30 });
}

const NONE: readonly never[] = [];
const EMPTY: Omit<LogModel, 'rows' | 'lines'> = {
  errorLines: NONE,
  warningLines: NONE,
  hitLines: NONE,
  fetched: NONE,
  marks: () => NONE,
  block: undefined,
  picked: undefined,
  cursor: 0,
  wrap: false,
  gaps: NONE,
};

/** The same object as long as everything in it stays the same. */
export function useLogModel(given: Pick<LogModel, 'rows' | 'lines'> & Partial<LogModel>): LogModel {
  return useSame<LogModel>({ ...EMPTY, ...given });
}

function useSame<T extends object>(value: T): T {
  const last = useRef(value);
  const names = Object.keys(value) as (keyof T)[];
  if (names.some((name) => !Object.is(value[name], last.current[name]))) last.current = value;
  return last.current;
}

/** Makes the pane in its element, and hands each new model to it. */
export function useLogPane(
  scroller: RefObject<HTMLElement | null>,
  pane: PaneRef,
  model: LogModel,
  actions: Partial<LogActions>,
): void {
  const latest = useRef(actions);
  latest.current = actions;
  useLayoutEffect(() => {
    if (!scroller.current) return;
    const made = new LogPane(scroller.current, {
      onToggle: (gap) => latest.current.onToggle?.(gap),
      onMore: (gap) => latest.current.onMore?.(gap),
      onPick: (line, extend) => latest.current.onPick?.(line, extend),
      onCursor: (line) => latest.current.onCursor?.(line),
      onShow: (span, byScrolling) => latest.current.onShow?.(span, byScrolling),
    });
    pane.current = made;
    return () => {
      pane.current = undefined;
      made.close();
    };
  }, [scroller, pane]);
  useLayoutEffect(() => pane.current?.update(model), [model, pane]);
}

export type Findings = Got<'/api/outputs/:id/findings'>;

/** Outputs of many parts: their first ones tell enough. */
const MOST_PARTS = 6;

/** Lines that tell of errors and warnings, of every part that a model is shown. */
export function useFindings(
  id: string,
  parts: readonly PartRow[],
  isWanted = true,
): Resource<readonly Findings[]> {
  const indexes = parts
    .filter(({ is_shown, kind, lines }) => is_shown && kind !== 'binary' && lines > 0)
    .map(({ index }) => index)
    .slice(0, MOST_PARTS);
  return useResource(isWanted ? `findings ${id} ${indexes}` : undefined, (signal) =>
    Promise.all(indexes.map((part) => get('/api/outputs/:id/findings', { id, part }, signal))),
  );
}
