/**
 * The arguments of a retrieval, parsed once from whatever a model or a person sent. Everything
 * wrong is told before a store is touched. Lines and chars are 1-based and inclusive; an open end
 * means up to the end.
 */

import { addressesOf } from '../formats/index.ts';
import { type ArtifactId, parseArtifactId } from '../model/artifact.ts';
import { invalidArgument } from '../model/errors.ts';
import type { Format, FormatAddress } from '../model/format.ts';
import { didYouMean } from '../text/nearest.ts';
import { parseSpan } from '../text/span.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';

export interface FetchRequest {
  readonly id: ArtifactId;
  readonly part: string | null;
  readonly want: Want;
}

export type Want =
  | { readonly kind: 'all' }
  | { readonly kind: 'lines' | 'chars'; readonly first: number; readonly last: number }
  | SearchWant
  | StructureWant
  | { readonly kind: 'cursor'; readonly cursor: Cursor };

export interface SearchWant {
  readonly kind: 'pattern';
  readonly pattern: string;
  /** Lines shown before and after each match. */
  readonly context: number;
  readonly cursor: Cursor | null;
}

/** Where a page goes on: a byte of a part, and the byte before which it ends. */
export interface Cursor {
  readonly part: number;
  readonly start: number;
  readonly end: number;
  /** Of a search: how many lines match in all. */
  readonly total?: number;
  /** It ends with its part: a part or a range was asked for, not everything. */
  readonly only?: true;
}

export interface StructureWant {
  readonly kind: 'structure';
  readonly address: FormatAddress;
  readonly value: string;
  /** From 1 and inclusive; everything, where the argument is no range. */
  readonly first: number;
  readonly last: number;
  readonly cursor: StructureCursor | null;
}

/**
 * Where a page of structural matches continues. A cursor comes back from a model and is not
 * trusted: it can only move the reading within the part.
 */
export interface StructureCursor {
  readonly part: number;
  readonly done: number;
  readonly offset: number;
  readonly total: number;
  /** A byte at which scanning may begin; 0 where it has to begin at the start. */
  readonly from: number;
}

const KNOWN = ['artifact_id', 'id', 'part', 'start_line', 'end_line', 'lines', 'chars', 'pattern', 'context'];

/** `formats`: those beyond the built-in ones, which may answer further arguments. */
export function parseRequest(args: unknown, formats: readonly Format[] = []): FetchRequest {
  if (args === null || typeof args !== 'object' || Array.isArray(args))
    throw invalidArgument(REFUSED_ARGUMENT.notAnObject);
  const given = withoutAliases(
    Object.entries(withoutUri(args)).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );
  const addresses = addressesOf(formats);
  const known = [...KNOWN, ...addresses.map(({ argument }) => argument), 'cursor'];
  const unknown = [...given.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalidArgument(REFUSED_ARGUMENT.unknown(unknown, didYouMean(unknown, known), known));
  const named = given.get('artifact_id') ?? given.get('id');
  if (!('artifact_id' in args) && !('id' in args)) throw invalidArgument(REFUSED_ARGUMENT.noId);
  const id = parseArtifactId(named);
  // A name, or a number from 1.
  const asked = given.get('part');
  const part = asked === undefined ? null : typeof asked === 'number' ? String(asked) : text(asked, 'part');
  return { id, part, want: parseWant(given, addresses) };
}

/** Aliases from other tools: `grep` and `query` for a pattern, `offset` and `limit` for lines. */
function withoutAliases(entries: readonly (readonly [string, unknown])[]): Map<string, unknown> {
  const { grep, query = grep, offset, limit, ...rest } = Object.fromEntries(entries);
  const given = new Map(Object.entries(rest));
  if (query !== undefined) {
    if (given.has('pattern')) throw invalidArgument(REFUSED_ARGUMENT.several);
    given.set('pattern', query);
  }
  if (offset === undefined && limit === undefined) return given;
  if (given.has('start_line') || given.has('end_line')) throw invalidArgument(REFUSED_ARGUMENT.several);
  // Some tools count from 0.
  const first = offset === undefined || Number(offset) === 0 ? 1 : position(offset, 'offset');
  given.set('start_line', first);
  if (limit !== undefined) given.set('end_line', first + position(limit, 'limit') - 1);
  return given;
}

/** An id may be given as the URI of the resource, `artifact://art_…?lines=1-20`. */
function withoutUri(args: object): Readonly<Record<string, unknown>> {
  const given = args as Readonly<Record<string, unknown>>;
  const named = given.artifact_id ?? given.id;
  const [, id, query = ''] = typeof named === 'string' ? (URI.exec(named) ?? []) : [];
  if (id === undefined) return given;
  const { id: _id, ...rest } = given;
  return { ...Object.fromEntries(new URLSearchParams(query)), ...rest, artifact_id: id };
}

const URI = /^artifact:\/\/([^/?#]{1,100})\/?(?:\?(.{0,2000}))?$/is;

function parseWant(given: ReadonlyMap<string, unknown>, addresses: readonly FormatAddress[]): Want {
  const startLine = given.get('start_line');
  const endLine = given.get('end_line');
  const pattern = given.get('pattern');
  const asked = addresses.filter(({ argument }) => given.has(argument));
  const ways = [
    given.has('lines'),
    given.has('chars'),
    pattern !== undefined,
    startLine !== undefined || endLine !== undefined,
    ...asked.map(() => true),
  ];
  if (ways.filter(Boolean).length > 1) throw invalidArgument(REFUSED_ARGUMENT.several);
  if (given.has('context') && pattern === undefined) throw invalidArgument(REFUSED_ARGUMENT.contextAlone);
  const [address] = asked;
  if (address !== undefined) return parseStructure(given, address);
  const cursor = given.has('cursor') ? parseCursor(given.get('cursor'), addresses) : null;
  if (pattern !== undefined) {
    const context = given.has('context') ? position(given.get('context'), 'context') : 0;
    return {
      kind: 'pattern',
      pattern: text(pattern, 'pattern'),
      context: Math.min(context, MOST_CONTEXT),
      cursor,
    };
  }
  if (cursor !== null && ways.some(Boolean)) throw invalidArgument(REFUSED_ARGUMENT.cursorAlone);
  if (cursor !== null) return { kind: 'cursor', cursor };
  if (given.has('lines')) return { kind: 'lines', ...parseRange(given.get('lines'), 'lines') };
  if (given.has('chars')) return { kind: 'chars', ...parseRange(given.get('chars'), 'chars') };
  if (startLine === undefined && endLine === undefined) return { kind: 'all' };
  return {
    kind: 'lines',
    ...range(
      position(startLine ?? 1, 'start_line'),
      endLine === undefined ? OPEN : position(endLine, 'end_line'),
      'end_line',
    ),
  };
}

function parseStructure(given: ReadonlyMap<string, unknown>, address: FormatAddress): StructureWant {
  const { argument } = address;
  const cursor = given.has('cursor') ? parseStructureCursor(text(given.get('cursor'), 'cursor')) : null;
  if (address.value === 'range') {
    const { first, last } = parseRange(given.get(argument), argument);
    return { kind: 'structure', address, value: `${first}-${last}`, first, last, cursor };
  }
  const value = text(given.get(argument), argument);
  if (value.length > LONGEST_PATH) throw invalidArgument(REFUSED_ARGUMENT.tooLong(argument, LONGEST_PATH));
  return { kind: 'structure', address, value, first: 1, last: OPEN, cursor };
}

const LONGEST_PATH = 1_000;
const OPEN = Number.MAX_SAFE_INTEGER;
const MOST_CONTEXT = 50;

/** `12-40`, `12-`, `-40` (the first 40) or `12`. */
function parseRange(value: unknown, name: string): { first: number; last: number } {
  const span = parseSpan(typeof value === 'number' ? String(value) : text(value, name));
  if (span === null) throw invalidArgument(REFUSED_ARGUMENT.notARange(name));
  const first = position(span.first ?? 1, name);
  return range(first, span.last === null ? OPEN : position(span.last, name), name);
}

function range(first: number, last: number, name: string): { first: number; last: number } {
  if (last < first) throw invalidArgument(REFUSED_ARGUMENT.reversed(name, first, last));
  return { first, last };
}

function position(value: unknown, name: string): number {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    throw invalidArgument(REFUSED_ARGUMENT.notANumber(name));
  return number;
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length > 10_000)
    throw invalidArgument(REFUSED_ARGUMENT.notText(name));
  return value;
}

export function formatCursor({ part, start, end, total, only }: Cursor): string {
  return `${part}.${start}.${end}${total === undefined ? '' : `.${total}`}${only === true ? ONLY : ''}`;
}

const ONLY = 'e';

function parseCursor(value: unknown, addresses: readonly FormatAddress[]): Cursor {
  if (text(value, 'cursor').startsWith('s'))
    throw invalidArgument(REFUSED_ARGUMENT.cursorWithout(addresses.map(({ argument }) => argument)));
  const match = /^(\d{1,9})\.(\d{1,15})\.(\d{1,15})(?:\.(\d{1,15}))?(e?)$/.exec(text(value, 'cursor'));
  const [part, start, end, total] = (match ?? [])
    .slice(1, 5)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  if (part === undefined || start === undefined || end === undefined || end < start)
    throw invalidArgument(REFUSED_ARGUMENT.cursor);
  const only = match?.[5] === ONLY ? { only: true as const } : {};
  return { part, start, end, ...(total === undefined ? {} : { total }), ...only };
}

export function formatStructureCursor({ part, done, offset, total, from }: StructureCursor): string {
  return `s${part}.${done}.${offset}.${total}.${from}`;
}

function parseStructureCursor(text: string): StructureCursor {
  const match = /^s(\d{1,9})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(text);
  const [part, done, offset, total, from] = (match ?? []).slice(1).map(Number);
  const known = part !== undefined && done !== undefined && offset !== undefined;
  if (!known || total === undefined || from === undefined)
    throw invalidArgument(REFUSED_ARGUMENT.cursorOfQuestion);
  return { part, done, offset, total, from };
}
