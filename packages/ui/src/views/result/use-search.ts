/**
 * The search through a whole part, on the server: what was left out is searched too. A text between
 * slashes is a pattern. Pages of 1,000 matches; the first one counts everything.
 */
import { useMemo, useState } from 'preact/hooks';
import { type Got, get } from '../../data/api-client.ts';
import { useDelayed, useGet } from '../../data/resource.ts';
import type { PartUnit } from '../../log/line-cache.ts';

type MatchedLine = Got<'/api/outputs/:id/search'>['matches'][number];

const WAIT_MS = 150;
const NOTHING: readonly never[] = [];

export interface Search {
  readonly matches: readonly MatchedLine[];
  readonly total: number | undefined;
  readonly leftOut: number | undefined;
  readonly isSearching: boolean;
  readonly problem: string | undefined;
  readonly marks: (text: string) => readonly (readonly [number, number])[];
  /** Asks for the next page, if there is one. */
  readonly more: () => void;
}

type Page = Pick<Got<'/api/outputs/:id/search'>, 'matches' | 'next'>;

export function useSearch(id: string, part: PartUnit | undefined, text: string): Search {
  const asked = useDelayed(text, WAIT_MS);
  const query = asked !== '' &&
    part && { ...queryOf(asked), id, part: part.index, by: part.by, limit: 1_000 };
  const { data, error } = useGet('/api/outputs/:id/search', query || undefined);
  /** Pages behind the first one. */
  const [rest, setRest] = useState<{ of: typeof data; pages: readonly Page[] }>({ of: data, pages: [] });
  const current = text === asked ? data : undefined;
  const pages: readonly Page[] = current ? [current, ...(rest.of === data ? rest.pages : [])] : NOTHING;
  const next = pages.at(-1)?.next;
  const more = () => {
    if (!next || !query) return;
    void get('/api/outputs/:id/search', { ...query, after: next }).then((page) =>
      setRest({ of: data, pages: [...pages.slice(1), page] }),
    );
  };
  const matches = useMemo(() => pages.flatMap((page) => page.matches), [current, rest]);
  const marks = useMemo(() => marksOf(text), [text]);
  return {
    matches,
    total: current?.total ?? undefined,
    leftOut: current?.left_out ?? undefined,
    isSearching: text !== '' && !current && !error,
    problem: text === asked ? error?.message : undefined,
    marks,
    more,
  };
}

function queryOf(text: string): { q?: string; pattern?: string } {
  const pattern = /^\/(.+)\/$/.exec(text)?.[1];
  return pattern === undefined ? { q: text } : { pattern };
}

/** Where a line is to be marked. The server decides which lines match; this only colours them. */
function marksOf(text: string): (line: string) => [number, number][] {
  const matcher = matcherOf(text);
  if (!matcher) return () => [];
  return (line) => {
    const found: [number, number][] = [];
    for (const { 0: hit, index } of line.matchAll(matcher))
      if (hit.length > 0 && found.length < 200) found.push([index, index + hit.length]);
    return found;
  };
}

function matcherOf(text: string): RegExp | undefined {
  const { q, pattern } = queryOf(text);
  if (pattern === undefined) return q ? new RegExp(escaped(q), 'gi') : undefined;
  try {
    return new RegExp(pattern, 'gi');
  } catch {
    return undefined;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
