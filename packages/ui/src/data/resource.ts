/**
 * What a view has asked the API for. The last answer stays on the screen while a newer one is on
 * its way, and a request ends when nobody waits for it any more.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, type GetPath, type Got, get, type Query } from './api-client.ts';
import { observable } from './observable.ts';

export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface GetOptions {
  /** Another one asks again. */
  readonly stamp?: unknown;
  /** The answer to the query before is shown until the next one comes. */
  readonly keeps?: boolean;
}

/** The answer of a route; with `undefined` it asks for nothing. */
export function useGet<P extends GetPath>(
  path: P,
  query: Query<P> | undefined,
  { stamp, keeps = false }: GetOptions = {},
): Resource<Got<P>> {
  const key = query && JSON.stringify([path, query, stamp]);
  return useResource(key, (signal) => get(path, query as Query<P>, signal), keeps);
}

/** Loads when `key` changes; with `undefined` it loads nothing. */
export function useResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  keeps = false,
): Resource<T> {
  const [state, setState] = useState<{ key?: string; data?: T; error?: ApiError }>({});
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    if (key === undefined) return;
    const abort = new AbortController();
    latest.current(abort.signal).then(
      (data) => abort.signal.aborted || setState({ key, data }),
      (error: ApiError) => abort.signal.aborted || setState({ key, error }),
    );
    return () => abort.abort();
  }, [key, turn]);
  const isCurrent = key !== undefined && state.key === key;
  return {
    data: isCurrent || keeps ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: key !== undefined && !isCurrent,
    reload,
  };
}

/** The value once it has stayed the same for a while: what a person types is asked for at its end. */
export function useDelayed<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

const PAUSE_MS = 2_000;

/** For what costs the server much: however often it is called, it acts once in two seconds. */
export function useSlowly(action: () => void): () => void {
  const latest = useRef(action);
  latest.current = action;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, PAUSE_MS);
  };
}

/** The workspace that is looked at; read again when something happens in it. */
export const workspace = observable<Got<'/api/workspace'> | undefined>(undefined);

let isLoading = false;
let isStale = false;

/** At most one request at a time; what happens meanwhile asks once more. */
export async function loadWorkspace(): Promise<void> {
  if (isLoading) {
    isStale = true;
    return;
  }
  isLoading = true;
  try {
    workspace.set(await get('/api/workspace', {}));
  } catch {
    // The live dot and the lock say so already.
  }
  isLoading = false;
  if (!isStale) return;
  isStale = false;
  await loadWorkspace();
}
