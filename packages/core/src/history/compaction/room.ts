/**
 * How much a summary may say. Its parts get shares of what the window leaves for it; the tokens of
 * the whole are counted, and the shares made smaller until it fits. Pure: what has no room is only
 * counted here. Units: tokens for the whole, chars for parts.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { boundedBy, narrative, renderSummary, resultLine, type SummaryRoom } from './render.ts';
import type { CompactState } from './state.ts';

/** What a summary may have. */
export interface Room {
  /** Null without a window: then only the parts are bounded. */
  readonly tokens: number | null;
  readonly chars: SummaryRoom;
}

const SUMMARY_SHARE = 0.3;
const CHARS_A_TOKEN = 3;
const SHARES = { users: 0.35, narrative: 0.3, list: 0.35 };
const WITHOUT_WINDOW = { users: 30_000, narrative: 40_000, list: 60_000 };
const SMALLEST = 60;
/** As long as a handle is. */
const SOME_ID: ArtifactId = 'art_1700000000_0123456789abcdef';

type RoomOptions = Readonly<Partial<Record<'window' | 'summaryTokens' | 'listChars', number>>>;

/** The room that options leave for a summary. */
export function roomFor({ window, summaryTokens, listChars }: RoomOptions): Room {
  const tokens = summaryTokens ?? (window === undefined ? null : Math.floor(window * SUMMARY_SHARE));
  const chars = tokens === null ? WITHOUT_WINDOW : scaled(SHARES, tokens * CHARS_A_TOKEN);
  return { tokens, chars: listChars === undefined ? chars : { ...chars, list: listChars } };
}

/** The room with which a summary fits, and how many results then move to an index. */
export function fitSummary(
  state: CompactState,
  room: Room,
  count: (text: string) => number,
): { readonly chars: SummaryRoom; readonly moved: number } {
  let { chars } = room;
  for (;;) {
    const moved = resultsToMove(state, chars.list);
    if (room.tokens === null) return { chars, moved };
    const tokens = count(measured(state, chars, moved));
    const total = chars.users + chars.narrative + chars.list;
    if (tokens <= room.tokens || total <= 3 * SMALLEST) return { chars, moved };
    const smaller = Math.min(0.8, (room.tokens / tokens) * 0.95);
    chars = scaled(chars, smaller, SMALLEST);
  }
}

/** A summary with these shares; `rest` holds a longer text of the host. */
export function renderedWith(state: CompactState, chars: SummaryRoom, rest: ArtifactId | null): string {
  const narrated =
    state.told === null ? narrative(state, chars.narrative) : boundedBy(state.told, chars.narrative, rest);
  return renderSummary(state, narrated, chars);
}

function measured(state: CompactState, chars: SummaryRoom, moved: number): string {
  const index = moved === 0 ? state.index : SOME_ID;
  const kept = { ...state, results: state.results.slice(moved), indexed: state.indexed + moved, index };
  return renderedWith(kept, chars, SOME_ID);
}

/** How many of the oldest results to move: down to half the list, so that this is rare. */
function resultsToMove({ results }: CompactState, chars: number): number {
  let listed = results.reduce((sum, line) => sum + resultLine(line).length + 3, 0);
  if (listed <= chars) return 0;
  let moved = 0;
  for (const line of results) {
    if (listed <= chars / 2) break;
    listed -= resultLine(line).length + 3;
    moved++;
  }
  return moved;
}

function scaled({ users, narrative, list }: SummaryRoom, by: number, least = 0): SummaryRoom {
  const part = (chars: number) => Math.max(least, Math.floor(chars * by));
  return { users: part(users), narrative: part(narrative), list: part(list) };
}
