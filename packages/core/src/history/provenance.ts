/**
 * Where an offered result comes from: whether it is what was recorded for its call, or what our own
 * renderer made of that. Looks only at results that are here as a whole; what streams in came from
 * a tool.
 */
import { createHash } from 'node:crypto';
import type { ContentBlock, ToolResult, ValueResult } from '../capture/result.ts';
import { type ArtifactId, isArtifactId } from '../model/artifact.ts';
import type { OutputRecord } from '../model/output.ts';
import { encode } from '../text/utf8.ts';
import { isRecord, parsed } from './shapes/json.ts';

/** Set in every preview for a screen or a stream: a preview must not be stored as a result. */
const TRANSPORT_FLAG = '"display_only":true';

/** Whether a text is, or holds, a preview that was made for a screen. */
export function isTransportPreview(text: string): boolean {
  return text.includes(TRANSPORT_FLAG);
}

/** Whether a result is what the tool said, part by part, files included. */
export function hasContent({ parts }: OutputRecord, result: ToolResult): boolean {
  const content = parts.filter(({ role }) => role === 'content');
  const given = contentsOf(result);
  if (content.length !== given.length) return false;
  return content.every(
    ({ hash }, i) =>
      hash ===
      createHash('sha256')
        .update(given[i] ?? '')
        .digest('hex'),
  );
}

function contentsOf(result: ToolResult): readonly Uint8Array[] {
  if (result.kind !== 'blocks') return (plainTexts(result) ?? []).map(encode);
  if (!Array.isArray(result.blocks)) return [];
  return (result.blocks as readonly ContentBlock[]).map((block) => {
    if (block.type === 'text') return encode(block.text);
    if (block.type === 'json') return encode(valueText({ kind: 'value', value: block.value }));
    if (block.type === 'other') return encode(block.json);
    return typeof block.data === 'string' ? encode(block.data) : block.data;
  });
}

/** Handles that are looked up; a projection names its own in its first lines. */
const MOST_HANDLES = 5;
/** Chars that a framework may put around a result, such as `An error occurred: …`. */
const MOST_AROUND = 1_000;

/** The first handles that texts name. */
export function handlesIn(texts: readonly string[]): readonly ArtifactId[] {
  const found = texts.flatMap(
    (text) => text.slice(0, MOST_LOOKED_AT).match(/art_\d{1,15}_[0-9A-Za-z]{4,64}/g) ?? [],
  );
  return [...new Set(found)].filter(isArtifactId).slice(0, MOST_HANDLES);
}

const MOST_LOOKED_AT = 200_000;

/** Whether a text is what was shown: as it is, as compact JSON, or with a few words around it. */
export function isRenderingOf(text: string, shown: string): boolean {
  if (text === shown) return true;
  const around = text.length - shown.length;
  if (around > 0 && around <= MOST_AROUND && text.includes(shown)) return true;
  const escaped = JSON.stringify(shown).slice(1, -1);
  if (text.length - escaped.length <= MOST_AROUND && text.includes(escaped)) return true;
  return /^\s*[[{]/.test(shown) && text === JSON.stringify(parsed(shown, () => undefined));
}

/** Below, a value is not looked into: results are no deep trees. */
const DEEPEST = 6;
const DEEPEST_JSON = 2;

/** Whether every part of the output is somewhere in a value, whatever its form. */
export function isMadeOf({ parts }: OutputRecord, content: unknown): boolean {
  const wanted = new Set(
    parts.flatMap(({ role, bytes, hash }) => (role === 'content' && bytes > 0 ? [hash] : [])),
  );
  if (wanted.size === 0) return false;
  const sizes = new Set(parts.map(({ bytes }) => bytes));
  for (const text of textsIn(content, 0)) {
    if (wanted.size === 0) break;
    const bytes = encode(text);
    if (sizes.has(bytes.length)) wanted.delete(createHash('sha256').update(bytes).digest('hex'));
  }
  return wanted.size === 0;
}

function* textsIn(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  if (depth <= DEEPEST_JSON) yield valueText({ kind: 'value', value });
  for (const inner of Object.values(value)) yield* textsIn(inner, depth + 1);
}

/** The texts of a result that is here as a whole; null if it streams. */
export function plainTexts(result: ToolResult): string[] | null {
  if (!isRecord(result)) return null;
  if (result.kind === 'text') return typeof result.text === 'string' ? [result.text] : null;
  if (result.kind === 'value') return [valueText(result)];
  if (result.kind === 'blocks') {
    if (!Array.isArray(result.blocks)) return null;
    return (result.blocks as readonly ContentBlock[]).flatMap((block) =>
      block?.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
    );
  }
  const sources = result.kind === 'exec' ? [result.stdout, result.stderr] : [result.printed];
  return sources.filter((source) => typeof source === 'string');
}

function valueText({ value }: ValueResult): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // A value that JSON cannot say never came from us.
    return '';
  }
}
