/** The log of a part in a result: one pane or two, and the map. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { OutputAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { LogView, useLines } from '../../components/log.tsx';
import type { Got } from '../../data/api-client.ts';
import { formatCount, pluralize } from '../../data/figures.ts';
import { useGet } from '../../data/resource.ts';
import { CLIP_CHARS, type Line, type PartUnit } from '../../log/line-cache.ts';
import type { Log } from '../../log/log.ts';
import { BARE, firstIndex, type LineSpan, type LogFacts, ROW_CHARS, rowOfChar } from '../../log/rows.ts';
import { PLAIN, visiblePieces } from '../../log/visible.ts';
import { useColors } from '../../shell/page.ts';
import type { View } from './head.tsx';
import type { LogState } from './log-state.ts';

type ShownProjection = NonNullable<OutputAnswer['projection']>;

interface ResultLogProps {
  readonly id: string;
  readonly part: PartRow;
  readonly projection: ShownProjection | null;
  readonly view: View;
  readonly wrap: boolean;
  readonly state: LogState;
  /** Lines have come. */
  readonly onLines: () => void;
}

export function ResultLog({ id, part, projection, view, wrap, state, onLines }: ResultLogProps) {
  const { log } = state;
  const [span, setSpan] = useState<LineSpan | undefined>(undefined);
  const showOnMap = useRef<(span: LineSpan) => void>(() => undefined);
  const beside = view === 'beside' ? projection : null;
  const lines = useLines(id, part, log, onLines);
  const facts = {
    ...BARE,
    ...state.facts,
    lines,
    lineCount: part.lines,
    by: part.by,
    isWhole: view !== 'folded',
    wrap,
  };
  const onShow = (shown: LineSpan, byScrolling: boolean) => {
    // Not by state: the page is not rendered anew for each frame of scrolling.
    showOnMap.current(shown);
    // Once without scrolling, too: the address may have led to a line.
    const isMoved = byScrolling || (span === undefined && shown.first > 1);
    if (isMoved && beside) setSpan(shown);
  };
  const size = part.by === 'chars' ? pluralize(part.chars, 'char') : pluralize(part.lines, 'line');
  const last = part.by === 'chars' ? part.chars : part.lines;
  const label = `${part.name}, ${size}${view === 'folded' ? ', gaps folded' : ''}`;
  return (
    <div class={beside ? 'body beside' : 'body'}>
      {beside && (
        <>
          <h2 class="pane-head">What the model read</h2>
          <h2 class="pane-head">Stored: {part.name}</h2>
          <ReadByModel
            id={id}
            part={part.index}
            projection={beside}
            stored={facts}
            last={last}
            line={span?.first}
            onLine={(line) => log.current?.scrollTo(line)}
          />
        </>
      )}
      <LogView
        label={label}
        log={log}
        facts={facts}
        last={last}
        onShow={onShow}
        onPick={state.pick}
        onCursor={state.setCursor}
      />
      <MapOf facts={facts} onGo={(line) => log.current?.show(line)} showOnMap={showOnMap} />
    </div>
  );
}

interface ReadByModelProps {
  readonly id: string;
  readonly part: number;
  readonly projection: ShownProjection;
  /** The log beside it, and the line that it has at its top. */
  readonly stored: LogFacts;
  readonly last: number;
  readonly line: number | undefined;
  readonly onLine: (line: number) => unknown;
}

/**
 * The literal text that the model read, in step with the stored one. The server tells which of it
 * stands where in the output.
 */
function ReadByModel({ id, part, projection, stored, last, line, onLine }: ReadByModelProps) {
  const log = useRef<Log | undefined>(undefined);
  const { data } = useGet('/api/outputs/:id/origins', { id }, { stamp: projection.at });
  const rows = useMemo(
    () => modelRows(projection, data?.origins ?? [], { index: part, by: stored.by }),
    [projection, data, part, stored.by],
  );
  const lines = useMemo(() => ({ get: (at: number) => rows[at - 1], need: () => undefined }), [rows]);
  const own = useMemo(() => (at: number) => look(rows[at - 1]), [rows]);
  const errors = useMemo(() => {
    const failed = new Set<number | undefined>(stored.errors);
    return rows.flatMap(({ beside }, at) => (failed.has(beside) ? [at + 1] : []));
  }, [rows, stored.errors]);
  useLayoutEffect(() => {
    if (line === undefined) return;
    const at = rows.findLastIndex(({ beside }) => beside !== undefined && beside <= line);
    log.current?.scrollTo(at < 0 ? 1 : at + 1);
  }, [line, rows]);
  return (
    <LogView
      label={`What the model read, ${pluralize(rows.length, 'line')}`}
      log={log}
      facts={{
        ...BARE,
        ...{ lines, own, errors, marks: stored.marks, wrap: stored.wrap },
        lineCount: rows.length,
      }}
      last={last}
      onShow={({ first }, byScrolling) => {
        const target = rows.slice(first - 1).find(({ beside }) => beside !== undefined)?.beside;
        if (byScrolling && target !== undefined) onLine(target);
      }}
    />
  );
}

function look(row: ModelRow | undefined) {
  return row?.origin === undefined
    ? ({ label: '·', state: 'plain' } as const)
    : ({ label: formatCount(row.origin), state: 'kept' } as const);
}

interface ModelRow extends Line {
  /** The line or the char of the part that it begins with, and the row of the stored log with that. */
  readonly origin: number | undefined;
  readonly beside: number | undefined;
}

/**
 * The text and its notice in rows: lines, or what the rows of chars beside it hold. A very long line
 * of anything else is cut as well.
 */
function modelRows(
  { text, notice }: ShownProjection,
  origins: Got<'/api/outputs/:id/origins'>['origins'],
  { index, by }: PartUnit,
): ModelRow[] {
  const all = notice === null ? text : `${text}\n${notice}`;
  const known: (readonly [at: number, origin: number])[] = [];
  const cuts = new Set([0, ...Array.from(all.matchAll(/\n/g), (end) => end.index + 1), all.length]);
  for (const { at, chars, part, line, char } of origins) {
    if (part !== index) continue;
    if (by === 'lines') known.push([at, line]);
    else {
      for (let n = 0; n < chars; n += ROW_CHARS - ((char + n - 1) % ROW_CHARS))
        // The second of two chars goes with the first.
        known.push([at + n + Number(/[\udc00-\udfff]/.test(all.charAt(at + n))), char + n]);
      cuts.add(at + chars);
    }
  }
  if (by === 'chars') for (const [at] of known) cuts.add(at);
  const ends = [...cuts].sort((a, b) => a - b);
  return ends.slice(1).flatMap((end, i) => {
    const start = ends[i] ?? 0;
    const [at = end, char] = known[firstIndex(known, (one) => one[0] >= start)] ?? [];
    const origin = at < end ? char : undefined;
    const beside = by === 'chars' && origin !== undefined ? rowOfChar(origin) : origin;
    return rowsOf(all.slice(start, end).replace(/\r?\n$/, '')).map((each, row) => ({
      text: each,
      start: 0,
      pieces: visiblePieces(each, PLAIN).pieces,
      clippedFrom: undefined,
      ...(row === 0 ? { origin, beside } : { origin: undefined, beside: undefined }),
    }));
  });
}

function rowsOf(line: string): string[] {
  if (line.length <= CLIP_CHARS) return [line];
  const count = rowOfChar(line.length);
  return Array.from({ length: count }, (_, at) => line.slice(at * ROW_CHARS, (at + 1) * ROW_CHARS));
}

interface MapProps {
  readonly facts: LogFacts;
  readonly onGo: (line: number) => void;
  readonly showOnMap: { current: (span: LineSpan) => void };
}

/**
 * The map of a log: one strip of what was shown and left out, marks for errors, warnings and what was
 * read later, and a frame around what is on the screen. It is painted on a canvas, so that a million
 * lines cost no more than a hundred; scrolling moves the frame only. A click goes to the place.
 */
function MapOf({ facts, onGo, showOnMap }: MapProps) {
  const { lineCount, view, errors, warnings, hits, fetched } = facts;
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLElement>(null);
  const colors = useColors();
  const count = Math.max(1, lineCount);
  showOnMap.current = ({ first, last }) => {
    frame.current?.style.setProperty('top', `${((first - 1) / count) * 100}%`);
    frame.current?.style.setProperty('height', `${((last - first + 1) / count) * 100}%`);
  };
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(([entry]) => paint(entry?.target as HTMLCanvasElement, facts));
    sizes.observe(canvas.current as HTMLCanvasElement);
    return () => sizes.disconnect();
  }, [lineCount, view, errors, warnings, hits, fetched, colors]);
  const go = ({ buttons, offsetY, currentTarget }: PointerEvent & { currentTarget: HTMLElement }) => {
    if (buttons !== 1) return;
    onGo(Math.max(1, Math.min(count, Math.round((offsetY / currentTarget.clientHeight) * count))));
  };
  const gaps = view && pluralize(view.runs.filter(({ kept }) => !kept).length, 'gap');
  const found = `${pluralize(errors.length, 'error line')}, ${pluralize(warnings.length, 'warning')}`;
  return (
    <div class="mini">
      <div>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Map of the output: ${gaps ?? 'unknown what was shown'}, ${found}.`}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            go(event);
          }}
          onPointerMove={go}
        />
        <i ref={frame} />
      </div>
    </div>
  );
}

/** A pixel row at a time. */
function paint(
  canvas: HTMLCanvasElement,
  { lineCount, view, errors, warnings, hits, fetched }: LogFacts,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  context.scale(devicePixelRatio, devicePixelRatio);
  const strip = width * (width < 24 ? 0.55 : 0.58);
  const yOf = (line: number) => ((line - 1) * height) / Math.max(1, lineCount);
  // A token as the colour that it is now: a canvas does not know `light-dark()`.
  const fill = (name: string, alpha = 1) => {
    canvas.style.color = `var(--${name})`;
    context.fillStyle = getComputedStyle(canvas).color;
    context.globalAlpha = alpha;
  };
  const bar = (x: number, wide: number, first: number, last: number, least = 1) =>
    context.fillRect(x, yOf(first), wide, Math.max(least, yOf(last + 1) - yOf(first)));
  const marks = (some: readonly number[], x: number, wide: number, tall: number) => {
    for (const y of new Set(some.map((line) => Math.floor(yOf(line))))) context.fillRect(x, y, wide, tall);
  };
  // What was kept is drawn over what was left out: a pixel may stand for many lines.
  for (const isKept of [false, true]) {
    fill(isKept ? 'kept-bar' : 'omit-bar');
    for (const { kept, first_line: first, last_line: last } of view?.runs ?? [])
      if (kept === isKept) bar(0, strip, first, last);
  }
  fill('warning', 0.45);
  marks(warnings, strip + width * 0.16, width * 0.1, 1);
  fill('fetched');
  for (const { first_line: first, last_line: last } of fetched)
    if (first !== null && last !== null) bar(strip + width * 0.07, Math.max(2, width * 0.06), first, last, 3);
  fill('focus');
  marks(hits, strip + width * 0.02, Math.max(2, width * 0.05), 2);
  fill('error');
  marks(errors, strip + width * 0.16, width * 0.84 - strip, 3);
}
