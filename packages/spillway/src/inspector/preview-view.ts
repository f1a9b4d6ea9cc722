/**
 * The preview: one output or text under several settings. It is read once for all of them, nothing
 * is frozen, and who goes away ends the work. What becomes known is told line by line.
 */

import { parseSettings, type SettingsInput } from '@spillway/core';
import { isShownPart, type PreviewedProjection, readerOf } from '@spillway/core/plugin';
import { sum } from '../fields.ts';
import {
  type ApiRequest,
  type BodyOf,
  check,
  type Lines,
  oneOf,
  Problem,
  type Progress,
  problemOf,
  type Scalar,
  scalar,
  text,
  withProgress,
} from './answer.ts';
import { type Findings, partFindings } from './content-view.ts';
import type { FoundOutput, Inspected } from './inspected.ts';
import { partReasons } from './output-view.ts';
import { isShownText, keepLast, type PartView, partViews, rowUnit, shownWhole } from './rows.ts';

/** Ranges that are named; the numbers count all. */
const MOST_RANGES = 2_000;

type Range = readonly [first: number, last: number];

function differenceOf(a: readonly PartView[], b: readonly PartView[]) {
  return a.flatMap((one) => {
    const other = b.find(({ part }) => part === one.part);
    if (other === undefined) return [];
    return [{ part: one.part, only_a: onlyIn(one, other), only_b: onlyIn(other, one) }];
  });
}

/** What the other leaves out and this one does not. */
function onlyIn(one: PartView, other: PartView) {
  const lines = without(hiddenLines(other), hiddenLines(one));
  const chars = without(hiddenChars(other), hiddenChars(one));
  return {
    lines: sizeOf(lines),
    chars: sizeOf(chars),
    ranges: lines.slice(0, MOST_RANGES),
    char_ranges: chars.slice(0, MOST_RANGES),
  };
}

function hiddenLines({ runs }: PartView): Range[] {
  return runs.flatMap(({ kept, first_line, last_line }) => (kept ? [] : [[first_line, last_line] as const]));
}

function hiddenChars({ gaps }: PartView): Range[] {
  return gaps.map(({ first_char, last_char }) => [first_char, last_char]);
}

/** Sorted ranges without what others cover. */
function without(ranges: readonly Range[], others: readonly Range[]): Range[] {
  const left: Range[] = [];
  let at = 0;
  for (const [first, last] of ranges) {
    let from = first;
    while (at < others.length && (others[at] as Range)[1] < first) at++;
    for (let i = at; i < others.length && (others[i] as Range)[0] <= last; i++) {
      const [begin, end] = others[i] as Range;
      if (begin > from) left.push([from, begin - 1]);
      from = Math.max(from, end + 1);
    }
    if (from <= last) left.push([from, last]);
  }
  return left;
}

function sizeOf(ranges: readonly Range[]): number {
  return sum(ranges, ([first, last]) => last - first + 1);
}

const MOST_TEXT_BYTES = 128 * 1024 * 1024;
const MOST_VARIANTS = 12;

export async function takeText(inspected: Inspected, request: ApiRequest) {
  const name = (request.text('name') ?? 'text').slice(0, 200);
  const tool = (request.text('tool') ?? 'execute_command').slice(0, 200);
  const bytes = await request.bytes(MOST_TEXT_BYTES);
  if (bytes.length === 0) throw new Problem('invalid_argument', 'The text is empty.');
  const { record } = await inspected.takeText({ name, tool, bytes });
  return { id: record.id };
}

/** Settings by their names in files (`inline_limit`), as values of the right type. */
export type SettingsGiven = Readonly<Record<string, Scalar>>;

const PREVIEW = {
  /** A handle, or the id of a text. */
  source: text,
  /** Settings of this tool apply; absent: those of the output's own. */
  tool: check('a name', (value): value is string | undefined => value === undefined || text.is(value)),
  /** Each over the settings of the tool. `{}` is what would be shown now. */
  variants: check(
    `1 to ${MOST_VARIANTS} objects with settings`,
    (value): value is readonly SettingsGiven[] =>
      Array.isArray(value) && value.length > 0 && value.length <= MOST_VARIANTS && value.every(isSettings),
  ),
  /** `numbers` leaves `views` out, and tells why blocks of what was shown were kept. */
  detail: oneOf('numbers', 'full'),
};

type Order = BodyOf<typeof PREVIEW>;
export type PreviewResult = ReturnType<typeof resultOf>;

export type PreviewLine =
  | Progress
  | { readonly type: 'variant'; readonly variant: number; readonly result: PreviewResult }
  /** Why blocks of the output were kept, by part, where a model was shown it. */
  | { readonly type: 'reasons'; readonly parts: ReturnType<typeof partReasons>[] }
  /** The settings of one variant are not valid; the others go on. */
  | { readonly type: 'problem'; readonly variant: number; readonly message: string }
  /** With two variants in full: what only one of them keeps. */
  | { readonly type: 'difference'; readonly parts: ReturnType<typeof differenceOf> }
  | { readonly type: 'done'; readonly ms: number; readonly chars: number; readonly lines: number };

export async function preview(
  inspected: Inspected,
  request: ApiRequest<typeof PREVIEW>,
): Promise<Lines<PreviewLine>> {
  const order = await request.body(PREVIEW);
  const found = await inspected.find(order.source);
  if (found.isPreview) {
    const layers = inspected.spillway.settings.layers(order.tool ?? found.record.tool);
    found.spillway.settings.replace('configuration', layers);
  }
  return { jsonLines: lines(found, order, request.signal) };
}

function isSettings(value: unknown): value is SettingsGiven {
  return typeof value === 'object' && value !== null && Object.values(value).every(scalar.is);
}

async function* lines(found: FoundOutput, order: Order, signal: AbortSignal): AsyncGenerator<PreviewLine> {
  const began = performance.now();
  const isFull = order.detail === 'full';
  const { record, spillway } = found;
  const valid: { readonly variant: number; readonly settings: SettingsInput }[] = [];
  for (const [variant, given] of order.variants.entries()) {
    const settings = checked(found, order, given);
    if (typeof settings === 'string') yield { type: 'problem', variant, message: settings };
    else valid.push({ variant, settings });
  }
  const frozen = isFull ? undefined : await found.store.frozen(record.id, 'model');
  const shown = frozen === undefined ? [] : [readerOf(spillway).settingsOf(record, frozen)];
  const settings = [...shown, ...valid.map((one) => one.settings)];
  const [first, ...others] = yield* madePreviews(found, { settings, tool: order.tool, signal });
  if (shown.length > 0) yield { type: 'reasons', parts: (first?.reasons ?? []).map(partReasons) };
  const made = shown.length > 0 ? others : [first, ...others];
  const errors = await findings(found, signal);
  const all: PartView[][] = [];
  for (const [i, { variant }] of valid.entries()) {
    const one = made[i];
    if (one === undefined) continue;
    const views = await partViews(spillway, record, one.record);
    all.push(views);
    yield { type: 'variant', variant, result: resultOf(found, one, views, errors, isFull) };
  }
  const [a, b] = all;
  if (isFull && a !== undefined && b !== undefined && all.length === 2)
    yield { type: 'difference', parts: differenceOf(a, b) };
  const parts = record.parts.filter(isShownPart);
  const [chars, total] = [sum(parts, (part) => part.chars), sum(parts, (part) => part.lines)];
  yield { type: 'done', ms: Math.round(performance.now() - began), chars, lines: total };
}

/** Settings that a projection can be made under, or what is wrong with them. */
function checked(
  { record, spillway }: FoundOutput,
  { tool = record.tool }: Order,
  given: Readonly<Record<string, unknown>>,
): SettingsInput | string {
  try {
    const settings = parseSettings(given);
    spillway.explain(tool, { policy: settings });
    return settings;
  } catch (error) {
    return problemOf(error).message;
  }
}

/** The lines of each part that tell of something; parts that are read in rows of chars have none. */
async function findings(found: FoundOutput, signal: AbortSignal): Promise<Findings[]> {
  const all: Findings[] = [];
  for (const part of found.record.parts.filter(isShownText))
    if (part.lines > 0 && rowUnit(part) === 'lines') all.push(await partFindings(found, part.index, signal));
  return all;
}

function resultOf(
  { spillway }: FoundOutput,
  { record }: PreviewedProjection,
  views: readonly PartView[],
  found: readonly Findings[],
  isFull: boolean,
) {
  const { metadata, text, notice } = record.projection;
  const tally = (kind: 'errors' | 'warnings') => {
    if (found.length === 0) return null;
    let [total, shown] = [0, 0];
    for (const { part, [kind]: one } of found) {
      const view = views.find((each) => each.part === part);
      total += one.total;
      if (view !== undefined) shown += one.lines.filter(shownWhole(view)).length;
    }
    return { total, shown };
  };
  return {
    chars: metadata.truncated_size + metadata.notice_size,
    tokens: spillway.countTokens(`${notice ?? ''}${text}`),
    cut: metadata.was_truncated,
    strategy: metadata.strategy_used,
    kept_lines: sum(views, ({ kept_lines }) => kept_lines),
    left_out_chars: sum(views, ({ gaps }) =>
      sum(gaps, ({ first_char, last_char }) => last_char - first_char + 1),
    ),
    /** Null where the text has no lines to count by. */
    errors: tally('errors'),
    warnings: tally('warnings'),
    views: isFull ? views : [],
  };
}

const MOST_KEPT = 32;

interface PreviewWish {
  readonly settings: readonly SettingsInput[];
  readonly tool?: string | undefined;
  readonly signal: AbortSignal;
}

/** Tells the progress now and then, and answers with the projections. */
async function* madePreviews(
  found: FoundOutput,
  wish: PreviewWish,
): AsyncGenerator<Progress, readonly PreviewedProjection[]> {
  const of = sum(found.record.parts.filter(isShownPart), ({ bytes }) => bytes);
  let done = 0;
  const work = previewsOf(found, wish, (bytes) => {
    done += bytes;
  });
  return yield* withProgress(work, of, () => done);
}

const kept = new Map<string, PreviewedProjection>();

async function previewsOf(
  { record, spillway, store }: FoundOutput,
  { settings, tool, signal }: PreviewWish,
  seen: (bytes: number) => void,
): Promise<readonly PreviewedProjection[]> {
  const frozen = await store.frozen(record.id, 'model');
  const keys = settings.map((policy) => {
    const { policy: inForce } = spillway.explain(tool ?? record.tool, { session: record.session, policy });
    return JSON.stringify([record.id, tool, frozen?.at, inForce]);
  });
  const missing = [...new Set(keys)].filter((key) => !kept.has(key));
  const wanted = missing.map((key) => settings[keys.indexOf(key)] ?? {});
  const options = { signal, seen, ...(tool === undefined ? {} : { tool }) };
  const made = wanted.length === 0 ? [] : await readerOf(spillway).previews(record, wanted, options);
  const fresh = new Map(missing.map((key, i) => [key, made[i] as PreviewedProjection]));
  const all = keys.map((key) => (fresh.get(key) ?? kept.get(key)) as PreviewedProjection);
  for (const [i, key] of keys.entries()) keepLast(kept, key, all[i] as PreviewedProjection, MOST_KEPT);
  return all;
}
