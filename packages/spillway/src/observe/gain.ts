/**
 * What Spillway saved (`savedChars`), by day, week, session, tool or agent. A group may come out negative.
 * Sizes are UTF-16 code units.
 */
import { sum } from '../fields.ts';
import { againChars, type OutputTrail, savedChars } from './ledger.ts';

const DAY_MS = 86_400_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** How outputs are put into groups; a week begins on Monday (UTC). */
export const GROUPINGS = {
  day: ({ at }: OutputTrail): string => dayOf(at),
  week: ({ at }: OutputTrail): string => dayOf(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS),
  session: ({ session }: OutputTrail): string => session,
  tool: ({ tool }: OutputTrail): string => tool,
  agent: ({ agent }: OutputTrail): string => agent ?? 'not known',
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

/** Groups in their order of time; others by what they saved, the most first. */
export function gainsOf(trails: readonly OutputTrail[], by: Grouping): Gain[] {
  const groups = Map.groupBy(
    trails.filter(({ shown }) => shown !== null),
    GROUPINGS[by],
  );
  const gains = [...groups].map(([group, own]): Gain => {
    return {
      group,
      outputs: own.length,
      cut: own.filter(({ cut }) => cut).length,
      host_chars: sum(own, ({ hostChars }) => hostChars),
      shown_chars: sum(own, ({ shown }) => shown ?? 0),
      fetched_chars: sum(own, ({ fetchedChars }) => fetchedChars),
      again_chars: sum(own, againChars),
      saved_chars: sum(own, savedChars),
    };
  });
  const isTime = by === 'day' || by === 'week';
  return gains.sort((a, b) => (isTime ? (a.group < b.group ? -1 : 1) : b.saved_chars - a.saved_chars));
}
