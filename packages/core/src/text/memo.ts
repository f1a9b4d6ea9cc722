/**
 * Remembers what a pure function gave, by its one argument, for as many arguments as are said: what
 * is asked for each result of the same call is then worked out once.
 */
export function remembered<T>(most: number, work: (key: string) => T): (key: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found.value;
    if (known.size >= most) known.clear();
    const value = work(key);
    known.set(key, { value });
    return value;
  };
}

export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
