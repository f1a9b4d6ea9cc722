/**
 * The search through a whole part, on the server: what was left out is searched too. A text between
 * slashes is a pattern. Pages of 1,000 matches; the first one counts everything.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ApiError, type Got, get } from '../../data/api-client.ts';
import type { PartUnit } from '../../log/line-cache.ts';

type MatchedLine = Got<'/api/outputs/:id/search'>['matches'][number];

const WAIT_MS = 150;
const NOTHING: readonly MatchedLine[] = [];

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

interface Answered {
  readonly key: string;
  readonly matches: readonly MatchedLine[];
  readonly next: string | null;
  readonly total: number;
  readonly leftOut: number;
  readonly problem?: string;
}

export function useSearch(id: string, part: PartUnit | undefined, text: string): Search {
  const [answered, setAnswered] = useState<Answered | undefined>(undefined);
  const key = text === '' || part === undefined ? '' : `${id} ${part.index} ${part.by} ${text}`;
  const query = { ...queryOf(text), id, part: part?.index, by: part?.by, limit: 1_000 };
  useEffect(() => {
    if (key === '') return;
    const abort = new AbortController();
    const ask = () =>
      get('/api/outputs/:id/search', query, abort.signal).then(
        ({ matches, next, total, left_out }) =>
          setAnswered({ key, matches, next, total: total ?? matches.length, leftOut: left_out ?? 0 }),
        (error: ApiError) =>
          abort.signal.aborted ||
          setAnswered({ key, matches: NOTHING, next: null, total: 0, leftOut: 0, problem: error.message }),
      );
    const timer = setTimeout(ask, WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  const current = answered?.key === key ? answered : undefined;
  const marks = useMemo(() => marksOf(text), [text]);
  const more = () => {
    if (!current?.next) return;
    void get('/api/outputs/:id/search', { ...query, after: current.next }).then(({ matches, next }) =>
      setAnswered((now) => (now === current ? { ...now, matches: [...now.matches, ...matches], next } : now)),
    );
  };
  return {
    matches: current?.matches ?? NOTHING,
    total: current?.total,
    leftOut: current?.leftOut,
    isSearching: key !== '' && !current,
    problem: current?.problem,
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
