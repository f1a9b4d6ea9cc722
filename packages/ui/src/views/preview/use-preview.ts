/**
 * Works two variants out. What took less than 200 ms the last time is done again as a person types;
 * anything longer waits for a click, shows how far it is, and can be stopped.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  PreviewDifference,
  PreviewLine,
  PreviewResult,
  SettingsGiven,
} from '../../../../spillway/src/inspector/api.ts';
import type { ApiError } from '../../data/api-client.ts';
import { readPreview } from '../../data/streamed.ts';

const AT_ONCE_MS = 200;
const AT_ONCE_BYTES = 1_000_000;
const WAIT_MS = 120;

export interface PreviewState {
  readonly results: readonly (PreviewResult | undefined)[];
  readonly problems: readonly (string | undefined)[];
  readonly difference: readonly PreviewDifference[] | undefined;
  readonly ms: number | undefined;
  readonly progress: number | undefined;
  readonly error: string | undefined;
}

const NOTHING: PreviewState = {
  results: [],
  problems: [],
  difference: undefined,
  ms: undefined,
  progress: undefined,
  error: undefined,
};

export interface PreviewInput {
  readonly source: string | undefined;
  readonly bytes: number;
  readonly tool: string | undefined;
  readonly variants: readonly SettingsGiven[];
}

export function usePreview({ source, bytes, tool, variants }: PreviewInput) {
  const [state, setState] = useState(NOTHING);
  const [done, setDone] = useState('');
  const running = useRef<AbortController | undefined>(undefined);
  const key = source === undefined ? '' : JSON.stringify([source, tool, variants]);
  const isQuick = (state.ms ?? (bytes <= AT_ONCE_BYTES ? 0 : Number.POSITIVE_INFINITY)) <= AT_ONCE_MS;
  const run = () => {
    if (source === undefined) return;
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setState((before) => ({ ...before, progress: 0, error: undefined, problems: [] }));
    const order = { source, variants, detail: 'full' as const, ...(tool ? { tool } : {}) };
    readPreview(order, abort.signal, (line) => setState((before) => after(before, line))).then(
      () => setDone(key),
      (error: ApiError) =>
        abort.signal.aborted ||
        setState((before) => ({ ...before, progress: undefined, error: error.message })),
    );
  };
  const cancel = () => {
    running.current?.abort();
    setState((before) => ({ ...before, progress: undefined }));
  };
  useEffect(() => {
    if (key === '' || !isQuick) return;
    const timer = setTimeout(run, WAIT_MS);
    return () => clearTimeout(timer);
  }, [key]);
  useEffect(() => () => running.current?.abort(), []);
  return { ...state, run, cancel, isStale: key !== done && state.progress === undefined && !isQuick };
}

function after(before: PreviewState, line: PreviewLine): PreviewState {
  switch (line.type) {
    case 'progress':
      return { ...before, progress: line.done / Math.max(1, line.of) };
    case 'variant':
      return { ...before, results: put(before.results, line.variant, line.result) };
    case 'problem':
      return { ...before, problems: put(before.problems, line.variant, line.message) };
    case 'difference':
      return { ...before, difference: line.parts };
    case 'done':
      return { ...before, ms: line.ms, progress: undefined };
  }
}

function put<T>(list: readonly (T | undefined)[], index: number, value: T): (T | undefined)[] {
  const next = [...list];
  next[index] = value;
  return next;
}
