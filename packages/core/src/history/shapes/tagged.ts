/**
 * What frameworks hand over is not always JSON: bytes, big numbers, maps, things that refer to
 * themselves. In a message it is kept in the tagged form that values of tools have too, and comes
 * back as what it was where there is a way back; a cycle or a function stays visible as its tag.
 * Plain data is not copied.
 */
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

/** The value that kept data stands for. */
export function restored(value: unknown): unknown {
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
