/**
 * The ledger as it is read for statistics: what became of each output, from all that was noted of
 * it. Numbers and names only; memory grows with the outputs, not with their size.
 */

import type { ArtifactId, LedgerEvent, Store } from '@spillway/core';
import { everyItem } from '@spillway/core/store';
import { numberOf, sum } from '../fields.ts';

/** What the ledger knows of one output. */
export interface OutputTrail {
  readonly id: ArtifactId;
  readonly tool: string;
  readonly session: string;
  readonly scope: string;
  /** When it was captured. */
  readonly at: number;
  /** How the call ended. */
  readonly status: string;
  readonly bytes: number;
  /**
   * Chars of the full text, and of what the model was shown; `shown` is null where nothing was
   * projected.
   */
  readonly chars: number;
  /** Chars that the agent itself would have shown; the full text where nothing is known of it. */
  readonly hostChars: number;
  /** The agent that made the call; null if it is not known. */
  readonly agent: string | null;
  shown: number | null;
  cut: boolean;
  /** Which strategy decided; null where nothing was projected. */
  strategy: string | null;
  /** Whether a strategy failed and plain ends were shown. */
  strategyFailed: boolean;
  /** The inline_limit in force; null where it was not noted. */
  limit: number | null;
  /** The settings that do not have their default values. */
  settings: readonly string[];
  /** Chars of what was fetched of it later, and how often. */
  fetchedChars: number;
  fetches: number;
  /** Which of its lines were fetched, where that was noted. */
  readonly wanted: WantedLines[];
  /** What became of the same call, made again after it; null where it was not. */
  madeAgain: OutputTrail | null;
  /** A person said that nothing was lost. */
  isDismissed: boolean;
}

/** Lines of a part that were fetched; the first line is 1. */
export interface WantedLines {
  readonly part: string;
  readonly first: number;
  readonly last: number;
}

/** What happened to a tool beside its outputs. */
export interface ToolIncidents {
  /** Outputs that could not be stored. */
  notStored: number;
  /** Texts of our own that were offered as its results. */
  renderedWrites: number;
  /** Its calls that had no result when a request was made. */
  readonly missing: Set<string>;
}

export interface Ledger {
  readonly trails: readonly OutputTrail[];
  readonly incidents: ReadonlyMap<string, ToolIncidents>;
  /** Requests that were refused or reduced to fit the window. */
  readonly overflowsAvoided: number;
  readonly shadow: Readonly<ShadowCounts>;
}

/** What shadows compared: results, those whose old text differs, and the chars that it lacks. */
export interface ShadowCounts {
  /** Results that were compared. */
  results: number;
  /** Results whose old text differs. */
  differing: number;
  /** Chars that the old texts lack. */
  lost_chars: number;
}

/** Reads the ledger from a point in time on, page by page. */
export async function readLedger(
  store: Store,
  { scope, since }: { readonly scope: string; readonly since?: number },
): Promise<Ledger> {
  const reading = new LedgerReading();
  const asked = { scope, ...(since === undefined ? {} : { since }) };
  for await (const event of everyItem((page) => store.events({ ...asked, ...page }))) reading.take(event);
  return reading.ledger;
}

/** Puts together what became of each output, event by event. */
export class LedgerReading {
  readonly #trails = new Map<string, OutputTrail>();
  readonly #incidents = new Map<string, ToolIncidents>();
  readonly #shadow: ShadowCounts = { results: 0, differing: 0, lost_chars: 0 };
  #overflowsAvoided = 0;

  get ledger(): Ledger {
    const trails = [...this.#trails.values()];
    return {
      trails,
      incidents: this.#incidents,
      overflowsAvoided: this.#overflowsAvoided,
      shadow: this.#shadow,
    };
  }

  /** What became of an output. */
  trail(id: string): OutputTrail | undefined {
    return this.#trails.get(id);
  }

  take(event: LedgerEvent): void {
    const { type, output, data = {}, tool = '' } = event;
    if (type === 'not_stored') this.#of(tool).notStored++;
    if (type === 'rendered_write') this.#of(tool).renderedWrites++;
    // Every process that makes requests of a session notes the call once.
    if (type === 'missing_result') this.#of(tool).missing.add(`${event.session} ${data.call}`);
    if (type === 'overflow_avoided') this.#overflowsAvoided++;
    if (type === 'compared') {
      this.#shadow.results++;
      if (data.what !== '') this.#shadow.differing++;
      this.#shadow.lost_chars += numberOf(data.lost_chars);
    }
    if (type === 'captured' && output !== undefined) this.#trails.set(output, trailOf(output, tool, event));
    // Outputs that were captured before the period are not counted, nor what happened to them later.
    const trail = this.#trails.get(type === 'reexecuted' ? String(data.of) : (output ?? ''));
    if (trail === undefined) return;
    goOn(trail, event);
    if (type === 'reexecuted') trail.madeAgain = this.#trails.get(output ?? '') ?? null;
  }

  #of(tool: string): ToolIncidents {
    const known = this.#incidents.get(tool) ?? { notStored: 0, renderedWrites: 0, missing: new Set() };
    this.#incidents.set(tool, known);
    return known;
  }
}

function goOn(trail: OutputTrail, { type, data = {} }: LedgerEvent): void {
  if (type === 'projected' && data.audience === 'model') {
    trail.shown = numberOf(data.chars);
    trail.cut = data.cut === true;
    trail.strategy = String(data.strategy ?? '');
    trail.strategyFailed = data.error !== undefined;
    trail.limit = typeof data.limit === 'number' ? data.limit : null;
    trail.settings = typeof data.settings === 'string' ? data.settings.split(' ') : [];
  }
  if (type === 'fetched') {
    trail.fetches += 1;
    trail.fetchedChars += typeof data.chars === 'number' ? data.chars : trail.chars;
    if (typeof data.first_line === 'number' && typeof data.last_line === 'number')
      trail.wanted.push({ part: String(data.part), first: data.first_line, last: data.last_line });
  }
  if (type === 'judged') trail.isDismissed = data.loss === false;
}

/** Chars that were shown of the same call, made again after a cut. */
function againChars({ cut, madeAgain }: OutputTrail): number {
  return cut ? (madeAgain?.shown ?? 0) : 0;
}

/**
 * What the agent would have shown, less what was shown, less what was fetched later, less what was
 * shown of the call when it was made again. Statistics, the program and the inspector use this one.
 */
export function savedChars(trail: OutputTrail): number {
  const { shown, hostChars, fetchedChars } = trail;
  return shown === null ? 0 : hostChars - shown - fetchedChars - againChars(trail);
}

function trailOf(
  id: ArtifactId,
  tool: string,
  { scope, at, session = '', data = {} }: LedgerEvent,
): OutputTrail {
  return {
    id,
    tool,
    session,
    scope,
    at,
    status: String(data.status ?? 'ok'),
    bytes: numberOf(data.bytes),
    chars: numberOf(data.chars),
    agent: typeof data.agent === 'string' ? data.agent : null,
    hostChars: typeof data.host_chars === 'number' ? data.host_chars : numberOf(data.chars),
    shown: null,
    strategy: null,
    strategyFailed: false,
    cut: false,
    limit: null,
    settings: [],
    fetchedChars: 0,
    fetches: 0,
    wanted: [],
    madeAgain: null,
    isDismissed: false,
  };
}

// What Spillway saved (`savedChars`), by day, week, session, tool or agent. A group may come out
// negative. Sizes are UTF-16 code units.

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
