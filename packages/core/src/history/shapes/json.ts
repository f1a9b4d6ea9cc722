/**
 * Values from frameworks, which come from outside and are not always JSON: bytes, big numbers, maps,
 * things that refer to themselves. In a message they are kept in the tagged form that values of tools
 * have too, and come back as what they were where there is a way back; a cycle or a function stays
 * visible as its tag. Plain data is not copied.
 */
import type { ShapeExtras } from '../../model/message.ts';
import { valueToJson } from '../../text/value.ts';

/** An object with fields. */
export type Fields = Readonly<Record<string, unknown>>;

const TAG = '$spillway';

/** An object with fields, neither null nor a list. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields as they can be kept; what is undefined is not there. */
export function storable(fields: Fields): Fields {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined);
  const kept = there.length === Object.keys(fields).length ? fields : Object.fromEntries(there);
  const { text, notes } = valueToJson(kept);
  return notes.length === 0 ? kept : (JSON.parse(text) as Fields);
}

/** A value as JSON text: the usual one where there is one. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    // Big numbers and cycles have no usual one.
    return valueToJson(value).text;
  }
}

function restored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restored);
  if (!isRecord(value)) return value;
  if (typeof value[TAG] === 'string') return untagged(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restored(inner)]));
}

function untagged(form: Fields): unknown {
  const { [TAG]: tag, value } = form;
  if (tag === 'bytes') return new Uint8Array(Buffer.from(String(value), 'base64'));
  if (tag === 'bigint') return BigInt(String(value));
  if (tag === 'number') return Number(value);
  if (tag === 'undefined') return undefined;
  const inner = Array.isArray(value) ? value.map(restored) : [];
  if (tag === 'map') return new Map(inner as [unknown, unknown][]);
  if (tag === 'set') return new Set(inner);
  // The fields of an object that had the key of a tag itself.
  return tag === 'object' ? Object.fromEntries(inner as [string, unknown][]) : form;
}

/** The objects of a list; nothing if it is none. */
export function recordsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A field that is a text, or what stands in for it. */
export function textField(fields: Fields, name: string, otherwise = ''): string {
  const value = fields[name];
  return typeof value === 'string' ? value : otherwise;
}

/** The fields that have no word of ours, under the name of the shape. */
export function extrasOf(
  shape: string,
  fields: Fields,
  known: readonly string[],
  extra: Fields = {},
): { readonly foreign?: ShapeExtras } {
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !known.includes(name)));
  const kept = storable({ ...theirs(rest), ...extra });
  return Object.keys(kept).length === 0 ? {} : { foreign: { [shape]: kept } };
}

/** A part that has no word of its own with us, kept whole. */
export function dataOf(
  shape: string,
  fields: Fields,
  unnamed = 'part',
): { readonly type: 'data'; readonly name: string; readonly json: string; readonly foreign: ShapeExtras } {
  return {
    type: 'data',
    name: textField(fields, 'type', unnamed),
    json: jsonOf(storable(fields)),
    foreign: { [shape]: {} },
  };
}

/** What a shape left with a message or part; empty if it came from another. */
export function keptFor(shape: string, { foreign }: { readonly foreign?: ShapeExtras | undefined }): Fields {
  const kept = foreign?.[shape];
  return isRecord(kept) ? (restored(kept) as Fields) : {};
}

/** The same without our own fields, which begin with `$`; theirs that do begin with `$$`. */
export function ownFields(kept: Fields): Fields {
  const own = Object.entries(kept).filter(([name]) => !/^\$(?!\$)/.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name.startsWith('$') ? name.slice(1) : name, value]));
}

/** Fields from outside, none of which can be taken for one of ours. */
export function theirs(fields: Fields): Fields {
  if (!Object.keys(fields).some((name) => name.startsWith('$'))) return fields;
  const all = Object.entries(fields);
  return Object.fromEntries(all.map(([name, value]) => [name.startsWith('$') ? `$${name}` : name, value]));
}

/** The value of a text that is JSON; the text itself, under `otherwise`, if it is none. */
export function parsed(text: string, otherwise: (text: string) => unknown = (given) => given): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Arguments that a model wrote need not be JSON.
    return otherwise(text);
  }
}

/** Marks arguments that are no text at all, so that their own framework gets them back. */
export function blankOf(fields: Fields, name: string): Fields {
  return fields[name] === '' ? { $blank: true } : {};
}

/** Arguments as JSON text: an empty text becomes `{}`, unless it came that way. */
export function filled(input: string, kept: Fields): string {
  return input.trim() === '' && kept.$blank !== true ? '{}' : input;
}

/** A part that was kept whole, as it was. */
export function wholeAgain(json: string): Fields {
  return restored(parsed(json)) as Fields;
}

/** A data URL in base64, taken apart. */
export function dataUrl(url: string): { readonly mediaType: string; readonly base64: string } | null {
  const match = /^data:([^;,]+);base64,([A-Za-z0-9+/=]*)$/.exec(url);
  return match === null ? null : { mediaType: match[1] ?? '', base64: match[2] ?? '' };
}

/** JSON that does not depend on the order of fields. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
