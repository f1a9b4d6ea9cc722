/**
 * Recognises a call that asks for a range of something (a file from line 200 on, an artifact's
 * chars 1-5000) and builds the call that continues it. The result of such a call is shown contiguously
 * from its start, because its middle was asked for, too.
 */
import { parseSpan } from '../text/span.ts';

interface ShownSoFar {
  readonly lines: number;
  readonly chars: number;
}

export interface RequestedRange {
  next(shown: ShownSoFar): Readonly<Record<string, unknown>>;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Names under which tools take the thing that they read. */
const TARGETS = [
  'path',
  'file_path',
  'filePath',
  'file',
  'filename',
  'absolute_path',
  'uri',
  'artifact_id',
  'id',
];
const STARTS = ['start_line', 'startLine', 'line_start', 'from_line', 'offset'];
const SPANS = ['lines', 'line_range', 'view_range', 'range'];

export function requestedRange(input: unknown): RequestedRange | null {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return null;
  const given = input as Arguments;
  if (!TARGETS.some((name) => typeof given[name] === 'string')) return null;
  return byStart(given) ?? bySpan(given) ?? byChars(given);
}

/**
 * `start_line` and `end_line`, or `offset` and `limit`, in lines. A start at the beginning without
 * an end is the whole.
 */
function byStart(given: Arguments): RequestedRange | null {
  const name = STARTS.find((candidate) => isCount(given[candidate]));
  if (name === undefined) return null;
  const start = Number(given[name]);
  const { limit } = given;
  const bounded =
    isCount(limit) || Object.keys(given).some((key) => /^(?:end_?line|line_?end|to_line)$/i.test(key));
  if (start <= 1 && !bounded) return null;
  return {
    next: ({ lines }) => ({
      ...given,
      [name]: start + lines,
      ...(isCount(limit) ? { limit: Math.max(1, limit - lines) } : {}),
    }),
  };
}

/** `"200-400"` or `[200, 400]`. */
function bySpan(given: Arguments): RequestedRange | null {
  const name = SPANS.find((candidate) => spanOf(given[candidate]) !== null);
  const span = name === undefined ? null : spanOf(given[name]);
  if (name === undefined || span === null) return null;
  const asText = typeof given[name] === 'string';
  return {
    next({ lines }) {
      const first = span[0] + lines;
      return { ...given, [name]: asText ? `${first}-${span[1] ?? ''}` : [first, span[1] ?? -1] };
    },
  };
}

function byChars(given: Arguments): RequestedRange | null {
  const span = spanOf(given.chars);
  return span === null
    ? null
    : { next: ({ chars }) => ({ ...given, chars: `${span[0] + chars}-${span[1] ?? ''}` }) };
}

function spanOf(value: unknown): readonly [first: number, last: number | null] | null {
  if (Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger))
    return [value[0], value[1] < 0 ? null : value[1]];
  const span = typeof value === 'string' && value.includes('-') ? parseSpan(value) : null;
  return span === null || span.first === null ? null : [span.first, span.last];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
