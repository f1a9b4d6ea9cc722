/** The content of one output: lines, searches, findings. */
import type { LineRange } from '@spillway/core/plugin';
import type { FindingsAnswer, LineAnswer, LinesAnswer, MatchedLine, SearchAnswer } from './api.ts';
import type { ApiRequest } from './api-request.ts';
import type { FoundOutput, Inspected } from './inspected.ts';
import { nothingShown, partView, shownIn } from './kept-lines.ts';
import { Problem } from './problem.ts';
import { SharedWork } from './shared-work.ts';

const MOST_RANGES = 500;
const MOST_LINES = 5_000;
const MOST_TEXT_CHARS = 8_000_000;
const USUAL_CLIP = 2_000;
const MOST_CLIP = 100_000;
const MOST_MATCHES = 10_000;
const USUAL_MATCHES = 1_000;
/** Findings that are kept: reading a large part again takes seconds. */
const MOST_FINDINGS = 32;

export async function showLines(inspected: Inspected, request: ApiRequest): Promise<LinesAnswer> {
  const { record, spillway } = await inspected.find(request.param('id'));
  const part = partIn(request);
  const ranges = rangesIn(request.text('ranges') ?? '1-200');
  const clip = request.number('clip', 1, MOST_CLIP) ?? USUAL_CLIP;
  const { signal } = request;
  const starts = ranges.map(({ first }) => first);
  const styles = await spillway.reader.stylesAt(record, part, starts, { signal });
  const blocks = ranges.map(({ first }, i) => ({
    first_line: first,
    style: styles[i] ?? '',
    texts: [] as string[],
    clipped: [] as [number, number][],
  }));
  let [lines, chars, complete] = [0, 0, true];
  for await (const line of spillway.reader.lines(record, { part, ranges, clip, signal })) {
    const block = blocks[line.range];
    lines++;
    chars += line.text.length;
    if (lines > MOST_LINES || chars > MOST_TEXT_CHARS || block === undefined) {
      complete = false;
      break;
    }
    block.texts.push(line.text);
    if (line.chars > line.text.length) block.clipped.push([line.number, line.chars]);
  }
  const total = (await spillway.reader.parts(record, 1_000)).find(({ index }) => index === part)?.lines ?? 0;
  return { part, lines: total, ranges: blocks, complete };
}

export function partIn(request: ApiRequest): number {
  const part = request.number('part', 0, 1e9);
  if (part === undefined) throw new Problem('invalid_argument', 'part takes the index of a part.');
  return part;
}

function rangesIn(text: string): LineRange[] {
  const ranges = text.split(',').map((range) => {
    const [, first, last = first] = /^(\d{1,12})(?:-(\d{1,12}))?$/.exec(range) ?? [];
    if (first === undefined || Number(first) < 1 || Number(last) < Number(first))
      throw new Problem('invalid_argument', 'ranges takes lines such as 1-200,900-950.');
    return { first: Number(first), last: Number(last) };
  });
  if (ranges.length > MOST_RANGES)
    throw new Problem('invalid_argument', `At most ${MOST_RANGES} ranges can be asked for.`);
  return ranges;
}

export async function showLine(inspected: Inspected, request: ApiRequest): Promise<LineAnswer> {
  const { record, spillway } = await inspected.find(request.param('id'));
  const line = request.number('line', 1, 1e12) ?? 1;
  const from = request.number('from', 1, 1e12) ?? 1;
  const chars = request.number('chars', 1, MOST_CLIP) ?? 20_000;
  const { signal } = request;
  const found = await spillway.reader.line(record, { part: partIn(request), line, from, chars, signal });
  if (found === null) throw new Problem('not_found', 'There is no such line.');
  return { line, from, text: found.text.toWellFormed(), chars: found.chars };
}

export async function searchOutput(inspected: Inspected, request: ApiRequest): Promise<SearchAnswer> {
  const found = await inspected.find(request.param('id'));
  const { record, spillway } = found;
  const limit = request.number('limit', 1, MOST_MATCHES) ?? USUAL_MATCHES;
  const after = cursorIn(request.text('after'));
  const sought = soughtIn(request);
  const only = request.number('part', 0, 1e9);
  const parts = (await spillway.reader.parts(record)).filter(
    ({ kind, role, index }) =>
      kind !== 'binary' && (only === undefined ? role === 'content' : index === only),
  );
  const matches: MatchedLine[] = [];
  let [total, leftOut, next] = [0, 0, null as string | null];
  for (const { index } of parts) {
    if (after !== null && index < after.part) continue;
    const isShown = await shownTest(found, index);
    const from = after?.part === index ? { after: after.line } : {};
    const lines = spillway.reader.search(record, { part: index, ...sought, ...from, signal: request.signal });
    for await (const some of lines) {
      for (const match of some) {
        const shown = isShown(match.line);
        total++;
        if (!shown) leftOut++;
        if (matches.length < limit) matches.push({ part: index, ...match, shown });
        else next ??= cursorBehind(matches);
      }
      // A further page need not count the rest.
      if (next !== null && after !== null) return { matches, next, total: null, left_out: null };
    }
  }
  const isFirst = after === null;
  return { matches, next, total: isFirst ? total : null, left_out: isFirst ? leftOut : null };
}

function cursorBehind(matches: readonly MatchedLine[]): string {
  const last = matches.at(-1);
  return `${last?.part}.${last?.line}`;
}

function soughtIn(request: ApiRequest) {
  const [text, pattern] = [request.text('q'), request.text('pattern')];
  const matchCase = request.text('case') === '1';
  if (pattern !== undefined) return { pattern: matchCase ? pattern : `(?i)${pattern}` };
  if (text === undefined || /[\r\n]/.test(text))
    throw new Problem('invalid_argument', 'q takes the text to look for, on one line.');
  return { text, matchCase };
}

function cursorIn(text: string | undefined): { readonly part: number; readonly line: number } | null {
  if (text === undefined) return null;
  const [, part, line] = /^(\d{1,9})\.(\d{1,12})$/.exec(text) ?? [];
  if (part === undefined) throw new Problem('invalid_argument', 'after must be the next of the page before.');
  return { part: Number(part), line: Number(line) };
}

/** Whether the model was shown a line of a part. */
async function shownTest(
  { record, spillway, store }: FoundOutput,
  part: number,
): Promise<(line: number) => boolean> {
  const frozen = await store.frozen(record.id, 'model');
  if (frozen === undefined) return nothingShown;
  return shownIn(await partView(spillway, record, part, frozen));
}

const findings = new SharedWork<FindingsAnswer>(MOST_FINDINGS);

export async function showFindings(inspected: Inspected, request: ApiRequest): Promise<FindingsAnswer> {
  return partFindings(await inspected.find(request.param('id')), partIn(request), request.signal);
}

/** Findings of a part, read once. */
export async function partFindings(
  found: FoundOutput,
  part: number,
  signal: AbortSignal,
): Promise<FindingsAnswer> {
  const { record, spillway, store } = found;
  const frozen = await store.frozen(record.id, 'model');
  return findings.get(`${record.id} ${part} ${frozen?.at ?? ''}`, signal, async (shared) => {
    const isShown = await shownTest(found, part);
    return { part, ...(await spillway.reader.findings(record, part, isShown, { signal: shared })) };
  });
}

/** The exact bytes of a content part. */
export async function* bytesOf(
  spillway: FoundOutput['spillway'],
  record: FoundOutput['record'],
  part: number,
): AsyncGenerator<Uint8Array> {
  const asCame = record.parts.some(
    ({ index, role, of }) => (index === part && role === 'input') || of === part,
  );
  if (asCame) yield* (await spillway.store.read(record.id, part, { bytes: 0 })).pieces;
  else for await (const content of spillway.contents(record, part)) yield* content.bytes;
}
