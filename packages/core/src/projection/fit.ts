/**
 * Makes a projection fit: prices notice and labels, shares out the rest, asks the selectors,
 * renders and measures. The result is within every cap. Under tight budgets our own words are
 * shortened first (full → short → least), then the text; handle, total and exit code stay.
 */
import type { Detail } from '../model/dialect.ts';
import { endedBadly, type Outcome } from '../model/outcome.ts';
import type { Selected } from '../model/part-text.ts';
import { MIN_CHARS } from '../model/policy.ts';
import type { Omission } from '../model/projection.ts';
import type { Grammar, Share } from '../model/strategy.ts';
import { allocate } from '../text/allocate.ts';
import { linesIn } from '../text/utf8.ts';
import { countLookalikes } from '../wording/lookalikes.ts';
import { charsOf, factsOf, NO_FACTS, omissionsOf } from './notice-facts.ts';
import { framePrice, gapPrice, noticeCost, type Room } from './price.ts';
import { joinLines, keptRuns, renderViews } from './render/text.ts';
import {
  type FitJob,
  isCut,
  type Layout,
  layOut,
  type Section,
  textsIn,
  type View,
  viewsOf,
} from './section.ts';

/** Our own words may take this share of a cap before they are shortened. */
const MOST_OVERHEAD = 0.55;
/** So many chars left are worth another try; of a document this share, since it is chosen anew. */
const WORTH_ANOTHER = 40;
const WORTH_SHARE = 0.02;
const DETAILS: readonly Detail[] = ['full', 'short', 'least'];

export interface Caps {
  readonly chars: number;
  /** Up to this size the text is shown whole. */
  readonly wholeChars?: number;
  readonly lines: number;
  readonly tokens: number;
}

export interface Fitted {
  readonly text: string;
  /**
   * The notice is not in the text, because the text must stay JSON or XML; it counts all the same.
   */
  readonly apart: boolean;
  readonly notice: string;
  readonly views: readonly View[];
  /** What is written of each. */
  readonly texts: readonly string[];
  readonly omissions: readonly Omission[];
  readonly elidedChars: number;
  readonly lookalikes: number;
}

/** What our own words cost. */
type Prices = Pick<Share, 'gap' | 'noticeCost'>;

export function fit(job: FitJob, caps: Caps): Fitted {
  const all = whole(job, caps);
  if (all !== undefined && elided(all.views) === 0) return all;
  const noticed = cut(job, { ...caps, chars: Math.min(caps.chars, fullChars(job)) });
  // If only formatting is missing, the notice must not cost text or make it longer.
  if (all !== undefined && (noticed === undefined || noticed.omissions.length > 0)) return all;
  return noticed ?? cut(job, { ...caps, chars: MIN_CHARS }) ?? leastOf(job);
}

function whole(job: FitJob, given: Caps): Fitted | undefined {
  const { dialect, facts } = job;
  const caps = { ...given, chars: given.wholeChars ?? given.chars };
  if (facts.totalChars > caps.chars || facts.totalLines > caps.lines) return undefined;
  if (job.sections.some(({ part, text }) => text !== null && part.chars > partLimit(job))) return undefined;
  const status = dialect.status(facts.outcome, facts.complete);
  if (facts.totalBytes === 0 && job.sections.every((section) => section.text !== null)) {
    return { ...NOTHING_SHOWN, text: dialect.empty(facts.outcome, facts.complete) };
  }
  const layout = layOut(job.sections, Number.POSITIVE_INFINITY);
  const views = viewsOf(
    layout,
    select(layout, () => ({
      chars: caps.chars,
      lines: caps.lines,
      gap: { chars: 0, lines: 0 },
      ...(job.policy.clean === 'always' ? {} : { asIs: true as const }),
    })),
  );
  const texts = renderViews(views, { dialect, detail: 'short', addressed: false });
  const text = joinLines([status, ...texts]);
  if (views.some(isCut) || exceeds(job, text, caps)) return undefined;
  const elidedChars = elided(views) + blankChars(layout);
  const lookalikes = lookalikesIn(views, job);
  return { ...NOTHING_SHOWN, text, notice: status, texts, views, elidedChars, lookalikes };
}

const NOTHING_SHOWN: Fitted = {
  text: '',
  apart: false,
  notice: '',
  views: [],
  texts: [],
  omissions: [],
  elidedChars: 0,
  lookalikes: 0,
};

/** A lower bound; a projection must not exceed the full rendering. */
function fullChars({ dialect, facts }: FitJob): number {
  return dialect.status(facts.outcome, facts.complete).length + facts.totalChars;
}

function cut(job: FitJob, caps: Caps): Fitted | undefined {
  const layout = layOut(job.sections, caps.chars);
  for (const detail of DETAILS) {
    const overhead = framePrice(job, layout, detail);
    const tight = overhead.chars > caps.chars * MOST_OVERHEAD || overhead.lines > caps.lines * MOST_OVERHEAD;
    if (tight && detail !== 'least') continue;
    const fitted = shrinkToFit(job, layout, detail, caps, {
      chars: caps.chars - overhead.chars,
      lines: caps.lines - overhead.lines,
    });
    if (fitted !== undefined) return fitted;
  }
  return undefined;
}

/** Less and less body until every cap holds. */
function shrinkToFit(
  job: FitJob,
  layout: Layout,
  detail: Detail,
  caps: Caps,
  room: Room,
): Fitted | undefined {
  let { chars, lines } = room;
  const prices = { gap: gapPrice(job, detail), ...noticeCost(job, detail) };
  if (caps.tokens !== Number.POSITIVE_INFINITY) chars = Math.min(chars, caps.tokens * 4);
  while (chars >= 0 && lines >= 0) {
    const fitted = attempt(job, layout, detail, prices, { chars, lines });
    const over = exceeds(job, allText(fitted), caps);
    if (over === null) return grown(job, layout, detail, prices, caps, { chars, lines }, fitted);
    chars = Math.min(chars - over.chars, Math.floor(chars * over.factor)) - 1;
    // Room that a document leaves unused need not be tried again: what it shows has to shrink.
    if (embedderOf(fitted.views) !== null) {
      const [findings = null] = textsIn(fitted.views).map(({ selected }) => selected.findings);
      const body = allText(fitted).length - fitted.notice.length;
      chars = Math.min(chars, body + (prices.noticeCost?.(findings, fitted.elidedChars) ?? 0) - over.chars);
    }
    lines -= over.lines;
  }
  return undefined;
}

/** Markers and notice were priced at their maximum: give the difference to the text. */
function grown(
  job: FitJob,
  layout: Layout,
  detail: Detail,
  prices: Prices,
  caps: Caps,
  { chars, lines }: Room,
  fitted: Fitted,
): Fitted {
  const used = allText(fitted);
  const left = caps.chars - used.length;
  const leftLines = Number.isFinite(caps.lines) ? caps.lines - linesIn(used) : 0;
  const isExact = textsIn(fitted.views).every(({ selected }) => selected.isExact);
  // Lines are not priced exactly: each marker may leave one.
  if (fitted.omissions.length < 2 || (isExact && leftLines === 0)) return fitted;
  const worth = Math.max(WORTH_ANOTHER, embedderOf(fitted.views) === null ? 0 : caps.chars * WORTH_SHARE);
  for (const moreLines of new Set([leftLines, leftLines >> 1, 0])) {
    if (left < worth && moreLines === 0) break;
    const longer = attempt(job, layout, detail, prices, {
      chars: left < worth ? chars : chars + left,
      lines: lines + moreLines,
    });
    if (exceeds(job, allText(longer), caps) === null) return longer;
  }
  return fitted;
}

function allText({ apart, notice, text }: Fitted): string {
  return apart ? joinLines([notice, text]) : text;
}

function endOf(outcome: Outcome): Pick<Share, 'ended'> {
  if (endedBadly(outcome)) return { ended: 'badly' };
  return outcome.exitCode === 0 ? { ended: 'well' } : {};
}

function attempt(job: FitJob, layout: Layout, detail: Detail, prices: Prices, room: Room): Fitted {
  const shares = sharesOf(job, layout, room, prices.gap);
  const selections = select(layout, (section) => ({
    ...(shares.get(section) ?? room),
    ...prices,
    ...endOf(job.facts.outcome),
  }));
  const views = viewsOf(layout, selections);
  const omissions = omissionsOf(views);
  const elidedChars = elided(views);
  const lookalikes = lookalikesIn(views, job);
  const facts = { ...job.facts, ...factsOf(job, views, omissions), elidedChars, lookalikes };
  const { dialect } = job;
  const notice = dialect.notice(facts, detail);
  const texts = renderViews(views, { dialect, detail, addressed: job.facts.artifact !== null });
  const { text, apart } = compose(job, views, notice, texts);
  return {
    text,
    apart,
    notice: job.policy.notice === 'metadata' && embedderOf(views) !== null ? '' : notice,
    texts,
    views,
    omissions,
    elidedChars: elidedChars + blankChars(layout),
    lookalikes,
  };
}

/** Before a text; for JSON or XML apart, inside, or not at all. */
function compose(
  job: FitJob,
  views: readonly View[],
  notice: string,
  texts: readonly string[],
): { text: string; apart: boolean } {
  const noticeAt = job.policy.notice;
  const embed = embedderOf(views);
  if (embed === null || noticeAt === 'before') return { text: joinLines([notice, ...texts]), apart: false };
  const text = joinLines(texts);
  if (noticeAt === 'metadata') return { text, apart: false };
  // Hosts that take one string must see a failure.
  const failed = job.dialect.status(job.facts.outcome, job.facts.complete) !== '';
  return noticeAt === 'embedded' || failed
    ? { text: embed(text, notice), apart: false }
    : { text, apart: true };
}

function embedderOf(views: readonly View[]): NonNullable<Grammar['embed']> | null {
  const [only] = views;
  if (views.length !== 1 || only?.kind !== 'text' || only.labelled) return null;
  const { grammar } = only.selected;
  return grammar?.embed?.bind(grammar) ?? null;
}

/** For outputs so small that a marker would make them longer. */
function leastOf(job: FitJob): Fitted {
  const views: View[] = [{ kind: 'collapsed', sections: job.sections }];
  const omissions = omissionsOf(views);
  const facts = { ...job.facts, ...NO_FACTS, shown: { chars: 0, ends: null }, nextCall: null };
  const notice = job.dialect.notice(facts, 'least').trimEnd();
  return { ...NOTHING_SHOWN, text: notice, notice, views, omissions };
}

function sharesOf(job: FitJob, layout: Layout, room: Room, gap: Room): Map<Section, Room> {
  const texts = layout.shown.map(({ section }) => section).filter((section) => section.text !== null);
  const { shown, previewLimit } = job.policy;
  const body = Math.min(
    shown ?? Number.POSITIVE_INFINITY,
    job.facts.cardSummary === null ? Number.POSITIVE_INFINITY : (previewLimit ?? Number.POSITIVE_INFINITY),
  );
  const chars = Math.min(room.chars, body + gap.chars);
  const limit = partLimit(job);
  const need = (size: number, most: number, section: Section) => ({
    size,
    limit: most,
    preferred: section.part.name === 'stderr',
  });
  const charShares = allocate(
    chars,
    texts.map((section) => need(section.part.chars, limit, section)),
  );
  // A cut may show two halves of one line.
  const lineShares = allocate(
    room.lines,
    texts.map((section) => need(section.part.lines + gap.lines + 2, Number.POSITIVE_INFINITY, section)),
  );
  return new Map(
    texts.map((section, i) => [
      section,
      { chars: charShares[i] ?? room.chars, lines: lineShares[i] ?? room.lines },
    ]),
  );
}

function partLimit({ sections, policy }: FitJob): number {
  const several = sections.filter((section) => section.text !== null).length > 1;
  return several ? (policy.perPartLimit ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}

function select(layout: Layout, shareOf: (section: Section) => Share): Map<Section, Selected> {
  return new Map(
    layout.shown.flatMap(({ section }) =>
      section.text === null ? [] : [[section, section.text.select(shareOf(section))] as const],
    ),
  );
}

function elided(views: readonly View[]): number {
  return textsIn(views).reduce((sum, { selected }) => sum + charsOf(selected.selection, 'elide'), 0);
}

function blankChars(layout: Layout): number {
  return layout.blank.reduce((sum, part) => sum + part.chars, 0);
}

function lookalikesIn(views: readonly View[], { dialect }: FitJob): number {
  return textsIn(views).reduce((sum, view) => sum + countLookalikes(keptRuns(view).join('\n'), dialect), 0);
}

interface Excess {
  readonly chars: number;
  readonly lines: number;
  readonly factor: number;
}

function exceeds(job: FitJob, text: string, caps: Caps): Excess | null {
  const chars = text.length - caps.chars;
  const lines = Number.isFinite(caps.lines) ? linesIn(text) - caps.lines : 0;
  const tokens = caps.tokens === Number.POSITIVE_INFINITY ? 0 : job.tokens(text);
  if (chars <= 0 && lines <= 0 && tokens <= caps.tokens) return null;
  return {
    chars,
    lines: Math.max(0, lines),
    factor: tokens > caps.tokens ? caps.tokens / tokens : 1,
  };
}
