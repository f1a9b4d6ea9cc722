/**
 * What Spillway saved, by day, week, session or tool: what the agent would have shown, less what was
 * shown, less what was fetched later, less the results of calls that were made again after a cut. A
 * group may come out negative. Sizes are UTF-16 code units.
 */
import type { OutputTrail } from './ledger.ts';

const DAY_MS = 86_400_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** How outputs are put into groups; a week begins on Monday (UTC). */
export const GROUPINGS = {
  day: ({ at }: OutputTrail): string => dayOf(at),
  week: ({ at }: OutputTrail): string => dayOf(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS),
  session: ({ session }: OutputTrail): string => session,
  tool: ({ tool }: OutputTrail): string => tool,
} as const;

export type Grouping = keyof typeof GROUPINGS;

/** What was saved in one group. */
export interface Gain {
  readonly group: string;
  readonly outputs: number;
  readonly cut: number;
  /** What the agent would have shown. */
  readonly host_chars: number;
  readonly shown_chars: number;
  readonly fetched_chars: number;
  /** Shown of calls that were made again after a cut. */
  readonly again_chars: number;
  /** The first less all others. */
  readonly saved_chars: number;
}

/** Groups in their order of time; sessions and tools by what they saved, the most first. */
export function gainsOf(trails: readonly OutputTrail[], by: Grouping): Gain[] {
  const shownOf = new Map<string, number>(trails.map(({ id, shown }) => [id, shown ?? 0]));
  const groups = Map.groupBy(
    trails.filter(({ shown }) => shown !== null),
    GROUPINGS[by],
  );
  const gains = [...groups].map(([group, own]): Gain => {
    const sum = (of: (trail: OutputTrail) => number) => own.reduce((all, trail) => all + of(trail), 0);
    const host_chars = sum(({ hostChars }) => hostChars);
    const shown_chars = sum(({ shown }) => shown ?? 0);
    const fetched_chars = sum(({ fetchedChars }) => fetchedChars);
    const again_chars = sum(({ cut, madeAgain }) => (cut && madeAgain ? (shownOf.get(madeAgain) ?? 0) : 0));
    return {
      group,
      outputs: own.length,
      cut: own.filter(({ cut }) => cut).length,
      host_chars,
      shown_chars,
      fetched_chars,
      again_chars,
      saved_chars: host_chars - shown_chars - fetched_chars - again_chars,
    };
  });
  const isTime = by === 'day' || by === 'week';
  return gains.sort((a, b) => (isTime ? (a.group < b.group ? -1 : 1) : b.saved_chars - a.saved_chars));
}
