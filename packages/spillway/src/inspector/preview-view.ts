/**
 * The preview: one output or text under several settings. It is read once for all of them, nothing
 * is frozen, and who goes away ends the work. What becomes known is told line by line.
 */
import { parseSettings, type SettingsInput } from '@spillway/core';
import { isShownPart, type PreviewedProjection } from '@spillway/core/plugin';
import type { Streamed } from './answer.ts';
import type {
  FindingsAnswer,
  LineSet,
  PartView,
  PreviewDifference,
  PreviewLine,
  PreviewResult,
  PreviewText,
} from './api.ts';
import { type ApiRequest, field, isScalar, isText } from './api-request.ts';
import { partFindings } from './content-view.ts';
import type { FoundOutput, Inspected } from './inspected.ts';
import { partViews, shownWhole } from './kept-lines.ts';
import { madePreviews } from './made-previews.ts';
import { Problem, problemOf } from './problem.ts';
import { withProgress } from './progress.ts';
import { partRow } from './rows.ts';

/** Ranges that are named; the numbers count all. */
const MOST_RANGES = 2_000;

type Range = readonly [first: number, last: number];

function differenceOf(a: readonly PartView[], b: readonly PartView[]): PreviewDifference[] {
  return a.flatMap((one) => {
    const other = b.find(({ part }) => part === one.part);
    if (other === undefined) return [];
    return [{ part: one.part, only_a: onlyIn(one, other), only_b: onlyIn(other, one) }];
  });
}

/** What the other leaves out and this one does not. */
function onlyIn(one: PartView, other: PartView): LineSet {
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
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

const MOST_TEXT_BYTES = 128 * 1024 * 1024;
const MOST_VARIANTS = 12;

export async function takeText(inspected: Inspected, request: ApiRequest): Promise<PreviewText> {
  const name = (request.text('name') ?? 'text').slice(0, 200);
  const tool = (request.text('tool') ?? 'execute_command').slice(0, 200);
  const exitCode = request.number('exit_code', 0, 255);
  const bytes = await request.bytes(MOST_TEXT_BYTES);
  if (bytes.length === 0) throw new Problem('invalid_argument', 'There is nothing in it.');
  const { record, spillway } = await inspected.texts.add({ name, tool, exitCode, bytes }, inspected.opened);
  return { id: record.id, name, parts: (await spillway.reader.parts(record)).map((part) => partRow(part)) };
}

interface Order {
  readonly tool: string | undefined;
  readonly variants: readonly Readonly<Record<string, unknown>>[];
  readonly isFull: boolean;
}

export async function preview(inspected: Inspected, request: ApiRequest): Promise<Streamed> {
  const body = await request.json();
  const found = await inspected.find(field(body, 'source', isText, 'the handle of an output'));
  const order = orderIn(body);
  if (found.isPreview) {
    const layers = inspected.spillway.settings.layers(order.tool ?? found.record.tool);
    found.spillway.settings.replace('configuration', layers);
  }
  return { stream: 'lines', items: lines(found, order, request.signal) };
}

function orderIn(body: Readonly<Record<string, unknown>>): Order {
  const { tool, variants, detail } = body;
  const isList = Array.isArray(variants) && variants.length > 0 && variants.length <= MOST_VARIANTS;
  if (!isList || !variants.every(isSettings))
    throw new Problem('invalid_argument', `variants must be 1 to ${MOST_VARIANTS} objects with settings.`);
  if (detail !== 'numbers' && detail !== 'full')
    throw new Problem('invalid_argument', 'detail must be numbers or full.');
  if (tool !== undefined && !isText(tool)) throw new Problem('invalid_argument', 'tool must be a name.');
  return { tool, variants, isFull: detail === 'full' };
}

function isSettings(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.values(value).every(isScalar);
}

async function* lines(found: FoundOutput, order: Order, signal: AbortSignal): AsyncGenerator<PreviewLine> {
  const began = performance.now();
  const { record, spillway } = found;
  const valid: { readonly variant: number; readonly settings: SettingsInput }[] = [];
  for (const [variant, given] of order.variants.entries()) {
    const settings = checked(found, order, given);
    if (typeof settings === 'string') yield { type: 'problem', variant, message: settings };
    else valid.push({ variant, settings });
  }
  const of = record.parts.reduce((sum, part) => sum + (isShownPart(part) ? part.bytes : 0), 0);
  const wished = { settings: valid.map(({ settings }) => settings), tool: order.tool, signal };
  const { result, progress } = withProgress((seen) => madePreviews(found, { ...wished, seen }));
  for await (const done of progress) yield { type: 'progress', done, of };
  const made = await result;
  const errors = await findings(found, signal);
  const all: PartView[][] = [];
  for (const [i, { variant }] of valid.entries()) {
    const one = made[i];
    if (one === undefined) continue;
    const views = await partViews(spillway, record, one.record);
    all.push(views);
    yield { type: 'variant', variant, result: resultOf(found, one, views, errors, order.isFull) };
  }
  const [a, b] = all;
  if (order.isFull && a !== undefined && b !== undefined && all.length === 2)
    yield { type: 'difference', parts: differenceOf(a, b) };
  const [chars, total] = [sumOf(record.parts, 'chars'), sumOf(record.parts, 'lines')];
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

/** The lines of each part that tell of something. */
async function findings(found: FoundOutput, signal: AbortSignal): Promise<FindingsAnswer[]> {
  const texts = found.record.parts.filter((part) => isShownPart(part) && part.kind !== 'binary');
  const all: FindingsAnswer[] = [];
  for (const { index } of texts) all.push(await partFindings(found, index, signal));
  return all;
}

function resultOf(
  { spillway }: FoundOutput,
  { record }: PreviewedProjection,
  views: readonly PartView[],
  found: readonly FindingsAnswer[],
  isFull: boolean,
): PreviewResult {
  const { metadata, text, notice } = record.projection;
  const tally = (kind: 'errors' | 'warnings') => {
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
    kept_lines: views.reduce((sum, { kept_lines }) => sum + kept_lines, 0),
    errors: tally('errors'),
    warnings: tally('warnings'),
    inline_limit: Number(record.policy.inlineLimit),
    text: isFull ? text : null,
    notice: isFull ? notice : null,
    views: isFull ? views : [],
  };
}

function sumOf(parts: FoundOutput['record']['parts'], unit: 'chars' | 'lines'): number {
  return parts.reduce((sum, part) => sum + (isShownPart(part) ? part[unit] : 0), 0);
}
