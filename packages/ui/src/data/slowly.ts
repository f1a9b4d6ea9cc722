/** For what costs the server much: however often it is asked for, it happens once in two seconds. */
import { useEffect, useRef } from 'preact/hooks';

const PAUSE_MS = 2_000;

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
