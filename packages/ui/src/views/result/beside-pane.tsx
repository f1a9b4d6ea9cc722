/**
 * The left pane of “Beside”: the literal text that the model read, in step with the stored one. The
 * server tells which stored line each of its lines is.
 */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { OriginsAnswer, ShownProjection } from '../../../../spillway/src/inspector/api.ts';
import { get } from '../../data/api-client.ts';
import { formatCount, pluralize } from '../../data/figures.ts';
import { useResource } from '../../data/resource.ts';
import { CLIP_CHARS, type Line } from '../../log/line-cache.ts';
import type { LogModel } from '../../log/log-model.ts';
import type { LogPane } from '../../log/log-pane.ts';
import { ROW_CHARS, rowOfChar } from '../../log/row-list.ts';
import { PLAIN, visiblePieces } from '../../log/visible.ts';
import { rowsOf, useLogModel, useLogPane } from './use-log-pane.ts';

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

export function BesidePane({ id, projection, part, errorLines, marks, line, wrap, onLine }: BesidePaneProps) {
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
  const { data } = useResource(`origins ${id} ${at}`, (signal) =>
    get<OriginsAnswer>(`/api/outputs/${encodeURIComponent(id)}/origins`, {}, signal),
  );
  return useMemo(
    () => data?.lines.map((origin) => (origin?.[0] === part ? origin[1] : undefined)) ?? NOT_KNOWN,
    [data, part],
  );
}
