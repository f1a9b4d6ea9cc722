/**
 * A page of an artifact that an agent fetched and recorded as a result. It is never cut again: it
 * has the limit of pages. If a window has no room for it, the page is fetched again, smaller, so
 * that its notice names the exact next call. A page is recognised by the artifact it names, not by
 * the tool.
 */
import { type ArtifactId, isArtifactId } from '../model/artifact.ts';
import { SpillwayError } from '../model/errors.ts';
import type { OutputRecord } from '../model/output.ts';
import { isShown, type PartRecord } from '../model/part.ts';
import type { Omission, ProjectedText } from '../model/projection.ts';
import type { Store } from '../model/store.ts';
import { omissionAt } from '../projection/notice-facts.ts';
import type { Projected } from '../projection/project.ts';
import { parseRequest } from '../retrieval/request.ts';
import { retrieve } from '../retrieval/retrieve.ts';
import { decodeExact, encode, measure } from '../text/utf8.ts';
import type { Setup } from './setup.ts';

export interface RecordedPage {
  readonly source: ArtifactId;
  readonly part: PartRecord;
  readonly notice: string;
  readonly body: string;
  /** The arguments that fetched it; null if they are not known. */
  readonly args: unknown;
}

const MOST_INPUT_BYTES = 65_536;
const MOST_PAGE_BYTES = 4 * 1024 * 1024;
/** A notice lies within these bytes. */
const MOST_NOTICE_BYTES = 4_096;
const NOTICE = /^\[(art_\d{1,15}_[0-9A-Za-z]{4,64})(?: ([^\n:]{1,80}))?: [^\n]*\]\n/;
const RANGE =
  /: lines [\d,]+-[\d,]+ of [\d,]+, chars ([\d,]+)-([\d,]+) of [\d,]+(?:\. Next: (.{0,4000}))?\]\n$/;
const CURSOR = /\bcursor(?:=| )"?(\d{1,9})\.(\d{1,15})\.(\d{1,15})\b/;

/** The artifact that the arguments of a call name, if they do. */
export function artifactIn(input: unknown): ArtifactId | null {
  const given = typeof input === 'string' ? parsed(input) : input;
  if (given === null || typeof given !== 'object') return null;
  const { artifact_id: named, id } = given as Readonly<Record<string, unknown>>;
  return [named, id].find(isArtifactId) ?? null;
}

/** Null if it is not a page. */
export async function recordedPage(store: Store, record: OutputRecord): Promise<RecordedPage | null> {
  const [part, ...others] = record.parts.filter(isShown);
  if (part === undefined || others.length > 0 || part.kind !== 'text') return null;
  if (part.bytes > MOST_PAGE_BYTES) return null;
  const args = await inputOf(store, record);
  const opening = decodeExact(await readBytes(store, record, part, MOST_NOTICE_BYTES));
  const [notice = '', named, name] = NOTICE.exec(opening) ?? [];
  const source = isArtifactId(named) ? named : artifactIn(args);
  if (source === null) return null;
  // Anybody can print a notice; only an agent with the handle knows one of this scope.
  const asked = artifactIn(args) === source;
  if (!asked && (await store.find({ scope: record.scope, id: source })) === undefined) return null;
  const text = decodeExact(await readBytes(store, record, part, part.bytes));
  const body = text.slice(notice.length);
  const given = asked ? args : argumentsOf(source, name, notice, body);
  return { source, part, notice, body, args: given };
}

/**
 * The same page fetched with a smaller limit. Null if that is impossible, or it is not a beginning
 * of the recorded page.
 */
export async function smallerPage(
  setup: Setup,
  store: Store,
  { scope }: OutputRecord,
  page: RecordedPage,
  whole: Projected,
  chars: number,
): Promise<Projected | null> {
  const { source, args, notice, body } = page;
  if (notice === '' || args === null) return null;
  const found = await store.find({ scope, id: source });
  if (found === undefined || 'purgedAt' in found) return null;
  try {
    const context = { ...setup, store, pageLimit: chars };
    const smaller = await retrieve(context, found, parseRequest(args, setup.formats));
    return smaller.body !== '' && body.startsWith(smaller.body) ? asSmallerPage(whole, page, smaller) : null;
  } catch (error) {
    if (error instanceof SpillwayError) return null;
    throw error;
  }
}

function asSmallerPage(
  { projection }: Projected,
  { part, notice, body }: RecordedPage,
  smaller: { readonly text: string; readonly body: string },
): Projected {
  const text = smaller.text as ProjectedText;
  const start = encode(notice).length;
  const end = start + encode(smaller.body).length;
  const omitted = omissionOf(part, notice + smaller.body, body.slice(smaller.body.length), end);
  return {
    projection: {
      text,
      notice: null,
      blocks: [{ type: 'text', text, part: part.index }],
      metadata: {
        ...projection.metadata,
        truncated_size: text.length,
        estimated_tokens: Math.ceil(text.length / 4),
        strategy_used: 'paged',
        artifact_id: null,
        was_truncated: true,
        omitted: [omitted],
        elided_chars: notice.length,
      },
    },
    selections: [
      {
        part: part.index,
        segments: [
          ['elide', 0, start],
          ['keep', start, end],
          ['omit', end, part.bytes],
        ],
      },
    ],
    reasons: [],
  };
}

function omissionOf(part: PartRecord, before: string, rest: string, start: number): Omission {
  const { breaks } = measure(encode(before));
  const left = measure(encode(rest)).breaks + (/[\r\n]$/.test(rest) ? 0 : 1);
  return omissionAt({
    ...{ part, start, end: part.bytes, chars: rest.length, firstChar: before.length + 1 },
    lines: left - (/[\r\n]$/.test(before) ? 0 : 1),
    firstLine: breaks + 1,
    lastLine: breaks + left,
  });
}

function argumentsOf(source: ArtifactId, name: string | undefined, notice: string, body: string): unknown {
  const [, first, last, next] = RANGE.exec(notice) ?? [];
  if (first === undefined || last === undefined) return null;
  if (next === undefined) {
    const chars = `${first}-${last}`.replaceAll(',', '');
    return { artifact_id: source, chars, ...(name === undefined ? {} : { part: name }) };
  }
  const [, part, start, end] = CURSOR.exec(next) ?? [];
  const begin = Number(start) - encode(body).length;
  // A page that ends its part continues in another: its start is unknown.
  return begin >= 0 ? { artifact_id: source, cursor: `${part}.${begin}.${end}` } : null;
}

/** Undefined if there are none, or they are too long. */
export async function inputOf(store: Store, record: OutputRecord): Promise<unknown> {
  const input = record.parts.find(({ role, kind }) => role === 'input' && kind !== 'binary');
  if (input === undefined || input.bytes > MOST_INPUT_BYTES) return undefined;
  return parsed(decodeExact(await readBytes(store, record, input, input.bytes)));
}

function parsed(text: string): unknown {
  if (text.length > MOST_INPUT_BYTES || !text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Arguments that are not JSON.
    return undefined;
  }
}

async function readBytes(
  store: Store,
  { id }: OutputRecord,
  { index }: PartRecord,
  most: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of (await store.read(id, index, { bytes: 0 })).pieces) {
    pieces.push(bytes);
    size += bytes.length;
    if (size >= most) break;
  }
  return Buffer.concat(pieces).subarray(0, most);
}
