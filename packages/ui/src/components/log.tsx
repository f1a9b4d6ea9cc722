/** A log in a view: its element, the lines that it has loaded, and what was found in its part. */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { PartRow } from '../../../spillway/src/inspector/api.ts';
import { type Got, get } from '../data/api-client.ts';
import { formatCount } from '../data/figures.ts';
import { type Resource, useResource } from '../data/resource.ts';
import { LineCache, type PartUnit } from '../log/line-cache.ts';
import { Log, type LogActions } from '../log/log.ts';
import type { LogFacts } from '../log/rows.ts';

export interface LogRef {
  current: Log | undefined;
}

interface LogViewProps extends LogActions {
  readonly label: string;
  /** The log while it is shown. */
  readonly log: LogRef;
  readonly facts: LogFacts;
  /** The largest number that stands in front of a line. */
  readonly last: number;
}

export function LogView({ label, log, facts, last, ...actions }: LogViewProps) {
  const scroller = useRef<HTMLElement>(null);
  const latest = useRef<LogActions>(actions);
  latest.current = actions;
  useLayoutEffect(() => {
    const made = new Log(scroller.current as HTMLElement, () => latest.current);
    log.current = made;
    return () => {
      log.current = undefined;
      made.close();
    };
  }, [log]);
  useLayoutEffect(() => {
    scroller.current?.style.setProperty('--signs', String(formatCount(last).length));
    log.current?.set(facts);
  });
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
  return <section class="log" tabIndex={0} aria-label={label} ref={scroller} />;
}

/** Lines of a part, shown by the log as they come. */
export function useLines(id: string, { index, by }: PartUnit, log: LogRef, onLines?: () => void): LineCache {
  const latest = useRef(onLines);
  latest.current = onLines;
  const lines = useMemo(
    () =>
      new LineCache(id, { index, by }, (widest) => {
        log.current?.loaded(widest);
        latest.current?.();
      }),
    [id, index, by, log],
  );
  useEffect(() => () => lines.close(), [lines]);
  return lines;
}

export type Findings = Got<'/api/outputs/:id/findings'>;

/** Outputs of many parts: their first ones tell enough. */
const MOST_PARTS = 6;

/** Lines that tell of errors and warnings, of every part that a model is shown and that has lines. */
export function useFindings(
  id: string,
  parts: readonly PartRow[],
  isWanted: boolean,
): Resource<readonly Findings[]> {
  const indexes = parts
    .filter(({ is_shown, kind, lines, by }) => is_shown && kind !== 'binary' && lines > 0 && by === 'lines')
    .map(({ index }) => index)
    .slice(0, MOST_PARTS);
  return useResource(isWanted ? `findings ${id} ${indexes}` : undefined, (signal) =>
    Promise.all(indexes.map((part) => get('/api/outputs/:id/findings', { id, part }, signal))),
  );
}
