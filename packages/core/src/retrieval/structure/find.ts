/**
 * Retrieval by structure: values under a JSONPath, rows of a table, one file's part of a diff, elements under an XML path. Each reads the part once,
 * from its start or a known place, in bounded memory; the first page reads to the end and tells the total.
 */

import { findFile } from '../../formats/diff/find-file.ts';
import { findJson } from '../../formats/json/find/find-json.ts';
import { findRows } from '../../formats/table/find-rows.ts';
import { findXml } from '../../formats/xml/find/find-xml.ts';
import { SpillwayError } from '../../model/errors.ts';
import { type FetchAddress, fetchCall } from '../../model/fetch.ts';
import { count } from '../../text/numbers.ts';
import { filesSaid, pageNotice, rowsSaid, SEVERAL_VALUES, thingsSaid } from '../../wording/pages.ts';
import type { FetchedPage, RetrieveContext } from '../fetched.ts';
import { Matches } from './matches.ts';
import { type Filled, fillPage, headerText } from './page.ts';
import { type Source, textOf } from './source.ts';
import {
  formatStructureCursor,
  type PathWant,
  type RowsWant,
  type StructureCursor,
  type StructureWant,
} from './want.ts';

/** The longest page header without the next call. */
const HEADER_CHARS = 250;
const LEAST_ROOM = 200;
const LARGEST_CURSOR = 's1.999999999.999999999.999999999.999999999';

export async function structurePage(
  context: RetrieveContext,
  source: Source,
  name: string | undefined,
  want: StructureWant,
): Promise<FetchedPage> {
  const call = (cursor: string) => fetchCall(context.hint, source.output.id, { ...addressOf(want), cursor });
  const room = context.pageLimit - HEADER_CHARS - (call(LARGEST_CURSOR)?.length ?? 0);
  if (room < LEAST_ROOM)
    throw new SpillwayError(
      'invalid_argument',
      `${want.kind} is too long for pages of ${count(context.pageLimit)} chars.`,
    );
  const found = await find(context, source, want, room);
  const nextCursor = found.next === null ? null : formatStructureCursor(found.next);
  const nextCall = nextCursor === null ? null : call(nextCursor);
  const header = pageNotice({ id: source.output.id, part: name }, found.said, nextCall);
  const { name: part, chars: totalChars, lines: totalLines, bytes: totalBytes } = source.part;
  return {
    text: header + found.body,
    header,
    body: found.body,
    part,
    totalChars,
    totalLines,
    totalBytes,
    lines: null,
    chars: null,
    found: found.found,
    nextCursor,
    nextCall,
  };
}

function addressOf(want: StructureWant): FetchAddress {
  if (want.kind === 'rows') return { rows: [want.first, want.last] };
  if (want.kind === 'file') return { file: want.path };
  return want.kind === 'json_path' ? { jsonPath: want.path } : { xmlPath: want.path };
}

interface Page {
  readonly body: string;
  /** What the header says. */
  readonly said: string;
  readonly found: NonNullable<FetchedPage['found']>;
  readonly next: StructureCursor | null;
}

function find(context: RetrieveContext, source: Source, want: StructureWant, room: number): Promise<Page> {
  const collect = () =>
    new Matches({ before: 0, skip: want.cursor?.done ?? 0, room, counting: want.cursor === null });
  switch (want.kind) {
    case 'json_path':
      return jsonPage(context, source, want, room, collect);
    case 'rows':
      return rowsPage(source, want, room);
    case 'file':
      return filePage(source, want, room, collect());
    default:
      return xmlPage(source, want, room, collect());
  }
}

async function jsonPage(
  { paths, patterns }: RetrieveContext,
  source: Source,
  want: PathWant,
  room: number,
  collect: () => Matches,
): Promise<Page> {
  if (paths === null)
    throw new SpillwayError(
      'invalid_argument',
      'json_path is not available here. Ask by lines, chars or pattern.',
    );
  const query = await paths.parse(want.path);
  const { matches, shape } = await findJson(textOf(source), query, patterns, collect);
  const filled = await fillPage(source, matches.kept, want.cursor?.offset ?? 0, room, '\n');
  const page = pageOf(source, want.cursor, matches, filled, 'match');
  return shape === 'values' ? { ...page, said: `${page.said}${SEVERAL_VALUES}` } : page;
}

async function xmlPage(source: Source, want: PathWant, room: number, matches: Matches): Promise<Page> {
  await findXml(textOf(source), want.path, matches);
  const filled = await fillPage(source, matches.kept, want.cursor?.offset ?? 0, room, '\n');
  return pageOf(source, want.cursor, matches, filled, 'match');
}

async function filePage(source: Source, want: PathWant, room: number, matches: Matches): Promise<Page> {
  const { files, matching } = await findFile(textOf(source), want.path, matches);
  const filled = await fillPage(source, matches.kept, want.cursor?.offset ?? 0, room, '');
  const page = pageOf(source, want.cursor, matches, filled, 'block');
  if (want.cursor !== null) return page;
  return { ...page, said: filesSaid(page.said, matching, files) };
}

/** Rows have numbers of their own: of a range only those in it are shown, but all are counted. */
async function rowsPage(source: Source, want: RowsWant, room: number): Promise<Page> {
  const { cursor } = want;
  const first = Math.max(want.first, (cursor?.done ?? 0) + 1);
  const matches = new Matches({ before: 0, skip: 0, room, counting: cursor === null });
  const resume = { from: cursor?.from ?? 0, before: cursor?.done ?? 0 };
  const { header, rows } = await findRows(textOf(source), { first, last: want.last }, resume, matches);
  const head = await headerText(source, header, Math.floor(room / 2));
  const filled = await fillPage(source, matches.kept, cursor?.offset ?? 0, room - head.length, '');
  const total = cursor?.total ?? rows;
  const shown = filled.whole + (filled.cut ? 1 : 0);
  const end = Math.min(want.last, total);
  const done = first - 1 + filled.whole;
  const nextAt = matches.kept[filled.whole]?.start ?? matches.kept.at(-1)?.end ?? 0;
  const more = shown > 0 && done < end;
  const range = shown === 0 ? null : ([first, first + shown - 1] as const);
  return {
    body: head + filled.body,
    said: rowsSaid(range, total, filled.cut),
    found: { unit: 'row', first: range?.[0] ?? null, last: range?.[1] ?? null, total },
    next: more ? { part: source.part.index, done, offset: filled.offset, total, from: nextAt } : null,
  };
}

function pageOf(
  source: Source,
  cursor: StructureCursor | null,
  matches: Matches,
  { whole, offset, cut, body }: Filled,
  unit: 'match' | 'block',
): Page {
  const before = cursor?.done ?? 0;
  const total = cursor?.total ?? matches.total;
  const shown = whole + (cut ? 1 : 0);
  const range = shown === 0 ? null : ([before + 1, before + shown] as const);
  const things = unit === 'match' ? 'matches' : 'blocks';
  const more = shown > 0 && before + whole < total;
  return {
    body,
    said: thingsSaid(things, range, total, { goesOn: cut, chars: source.part.chars }),
    found: { unit, first: range?.[0] ?? null, last: range?.[1] ?? null, total },
    next: more ? { part: source.part.index, done: before + whole, offset, total, from: 0 } : null,
  };
}
