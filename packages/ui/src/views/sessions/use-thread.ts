/**
 * The entries of a thread, loaded as they come into view: first the page that holds `call`, else the
 * last one, then whatever lies before and behind it. With a text, only the entries that hold it. It
 * follows the session while that goes on.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ThreadAnswer } from '../../../../spillway/src/inspector/api.ts';
import { type ApiError, get, type Query } from '../../data/api-client.ts';
import { useLiveEvents } from '../../data/live.ts';

const PAGE = 200;
const PAUSE_MS = 120;

interface LoadedThread {
  readonly answer: ThreadAnswer | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
  readonly earlier: () => void;
  readonly later: () => void;
}

export function useThread(session: string, call: string | undefined, text: string): LoadedThread {
  const [answer, setAnswer] = useState<ThreadAnswer | undefined>(undefined);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const request = useRef<AbortController | undefined>(undefined);
  const path = `/api/sessions/${encodeURIComponent(session)}/thread`;
  const load = useCallback(
    (query: Query, join: (page: ThreadAnswer) => void) => {
      request.current?.abort();
      const abort = new AbortController();
      request.current = abort;
      get<ThreadAnswer>(path, { limit: PAGE, ...query }, abort.signal).then(
        (page) => {
          if (abort.signal.aborted) return;
          request.current = undefined;
          setError(undefined);
          join(page);
        },
        (problem: ApiError) => abort.signal.aborted || setError(problem),
      );
    },
    [path],
  );
  const begin = () => load(text ? { q: text } : call ? { call } : { from: -PAGE }, setAnswer);
  useEffect(() => {
    const timer = setTimeout(begin, text ? PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [path, call, text]);
  useEffect(() => () => request.current?.abort(), []);
  const isIdle = () => request.current === undefined && answer !== undefined && text === '';
  const earlier = () => {
    if (!isIdle() || !answer || answer.from === 0) return;
    const from = Math.max(0, answer.from - PAGE);
    const limit = answer.from - from;
    load({ from, limit }, (page) => setAnswer({ ...page, entries: [...page.entries, ...answer.entries] }));
  };
  const later = () => {
    if (!isIdle() || !answer) return;
    const from = answer.from + answer.entries.length;
    load({ from }, (page) =>
      setAnswer({ ...page, from: answer.from, entries: [...answer.entries, ...page.entries] }),
    );
  };
  /** What is shown at the end may have changed: the last page is read again, with what is new. */
  const follow = () => {
    if (!answer || text !== '') return begin();
    const end = answer.from + answer.entries.length;
    if (end < answer.total) return;
    const from = Math.max(answer.from, end - PAGE);
    const kept = answer.entries.slice(0, from - answer.from);
    load({ from, limit: 2 * PAGE }, (page) =>
      setAnswer({ ...page, from: answer.from, entries: [...kept, ...page.entries] }),
    );
  };
  useLiveEvents((items) => items.some((item) => item.session === session) && follow());
  return { answer, error, reload: begin, earlier, later };
}
