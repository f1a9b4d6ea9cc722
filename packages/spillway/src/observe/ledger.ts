/** The ledger as it is read for statistics: what became of each output, from all that was noted of it. Numbers and names only; memory grows with the outputs, not with their size. */
import type { ArtifactId, LedgerEvent, Page, Store } from '@spillway/core';

/** What the ledger knows of one output. */
export interface OutputStory {
  readonly id: ArtifactId;
  readonly tool: string;
  readonly scope: string;
  readonly bytes: number;
  /** Chars of the full text, and of what the model was shown; `shown` is null where nothing was projected. */
  readonly chars: number;
  shown: number | null;
  cut: boolean;
  /** The inline_limit in force; null where it was not noted. */
  limit: number | null;
  /** Chars of what was fetched of it later, and how often. */
  fetchedChars: number;
  fetches: number;
  /** The same call was made again after it. */
  madeAgain: boolean;
}

export interface Ledger {
  readonly stories: readonly OutputStory[];
  /** Outputs that could not be stored, by tool. */
  readonly notStored: ReadonlyMap<string, number>;
}

/** Reads the ledger from a point in time on, page by page. */
export async function readLedger(
  store: Store,
  { scope, since }: { readonly scope: string; readonly since?: number },
): Promise<Ledger> {
  const stories = new Map<string, OutputStory>();
  const notStored = new Map<string, number>();
  let after: string | undefined;
  do {
    const page: Page<LedgerEvent> = await store.events({
      scope,
      limit: 1_000,
      ...(since === undefined ? {} : { since }),
      ...(after === undefined ? {} : { after }),
    });
    for (const event of page.items) tell(event, stories, notStored);
    after = page.next;
  } while (after !== undefined);
  return { stories: [...stories.values()], notStored };
}

function tell(event: LedgerEvent, stories: Map<string, OutputStory>, notStored: Map<string, number>): void {
  const { type, output, data = {}, tool = '' } = event;
  if (type === 'not_stored') notStored.set(tool, (notStored.get(tool) ?? 0) + 1);
  if (type === 'captured' && output !== undefined) stories.set(output, storyOf(output, tool, event));
  // What was captured before the time that is asked for is not counted, nor is what happened to it.
  const story = stories.get(type === 'reexecuted' ? String(data.of) : (output ?? ''));
  if (story === undefined) return;
  if (type === 'projected' && data.audience === 'model') {
    story.shown = number(data.chars);
    story.cut = data.cut === true;
    story.limit = typeof data.limit === 'number' ? data.limit : null;
  }
  if (type === 'fetched') {
    story.fetches += 1;
    story.fetchedChars += typeof data.chars === 'number' ? data.chars : story.chars;
  }
  if (type === 'reexecuted') story.madeAgain = true;
}

function storyOf(id: ArtifactId, tool: string, { scope, data = {} }: LedgerEvent): OutputStory {
  return {
    id,
    tool,
    scope,
    bytes: number(data.bytes),
    chars: number(data.chars),
    shown: null,
    cut: false,
    limit: null,
    fetchedChars: 0,
    fetches: 0,
    madeAgain: false,
  };
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
