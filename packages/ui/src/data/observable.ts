/** A value that many parts of the page watch: the smallest store that Preact needs. */
import { useEffect, useState } from 'preact/hooks';

export interface Observable<T> {
  readonly value: T;
  set(value: T): void;
  /** Calls `listener` after each change, until the answer is called. */
  watch(listener: (value: T) => void): () => void;
}

export function observable<T>(first: T): Observable<T> {
  const listeners = new Set<(value: T) => void>();
  let current = first;
  return {
    get value() {
      return current;
    },
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value now; the component renders again when it changes. */
export function useValue<T>(source: Observable<T>): T {
  const [value, setValue] = useState(source.value);
  useEffect(() => {
    setValue(() => source.value);
    return source.watch((next) => setValue(() => next));
  }, [source]);
  return value;
}
