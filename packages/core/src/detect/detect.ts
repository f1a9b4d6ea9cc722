/**
 * What kind of content a text is, from its first kilobytes and the hints of its tool. Three questions in order: does it follow a
 * grammar (JSON, XML, a diff)? Do its lines have the shapes that programs print? Is it something a person wrote? Pure and linear in the
 * sample. The answer steers which view is chosen, never what is stored.
 */
import type { ContentKind, Detected } from '../model/content.ts';
import { isBinary, isEncoded } from './binary.ts';
import { type Writing, writingOf, writtenKind } from './code.ts';
import { separatedKind, tableKind } from './columns.ts';
import { diffKind } from './diff.ts';
import { type Expected, expectedKinds, type Hints } from './hints.ts';
import { markupKind } from './markup.ts';
import { type Sample, sampleOf } from './sample.ts';
import { type Score, scoreLines } from './score.ts';
import { structuredKind } from './structured.ts';

export { SAMPLE_BYTES } from './sample.ts';

export function detect(bytes: Uint8Array, hints: Hints): Detected {
  const sample = sampleOf(bytes, hints.complete);
  const expected = expectedKinds(hints);
  const expects = (kind: ContentKind): boolean => expected.some((hint) => hint.kind === kind);
  if (isBinary(sample)) return { kind: 'binary' };
  const grammar = structuredKind(sample, expects('ndjson')) ?? markupKind(sample);
  if (grammar !== undefined) return { kind: grammar };
  if (sample.lines.length === 0) return { kind: 'text' };
  if (isEncoded(sample)) return { kind: 'binary', detail: 'base64' };
  return diffKind(sample.lines) ?? lineKind(sample, expects, expected);
}

/** Kinds whose salient lines (errors, warnings) are worth keeping. What commands print is decided by who ran them. */
export function isSalientKind(kind: ContentKind): boolean {
  return kind === 'log' || kind === 'test' || kind === 'compiler' || kind === 'trace';
}

/** In the order asked. `share`: weight per line that is needed; `least`: weight in all. A hint halves the share. */
const BARS: readonly { readonly kind: ContentKind; readonly share: number; readonly least: number }[] = [
  { kind: 'compiler', share: 0.3, least: 1 },
  { kind: 'hits', share: 0.7, least: 2 },
  { kind: 'listing', share: 0.75, least: 2 },
  { kind: 'trace', share: 0.3, least: 3 },
  { kind: 'test', share: 0.25, least: 3 },
  { kind: 'log', share: 0.35, least: 1 },
];
/** Kinds that a program prints even where most lines also look like code. */
const STAMPED_SHARE = 0.5;
const CODE_SHARE = 0.4;

function lineKind(
  sample: Sample,
  expects: (kind: ContentKind) => boolean,
  expected: readonly Expected[],
): Detected {
  const score = scoreLines(sample.lines);
  const writing = writingOf(sample.lines);
  const stamped = score.stamped >= score.lines * STAMPED_SHARE;
  const printed = BARS.find(({ kind, share, least }) => {
    const bar = Math.max(share * (expects(kind) ? 0.5 : 1), isSource(writing, kind, stamped) ? 0.8 : 0);
    return score.weight(kind) >= least && score.weight(kind) >= bar * score.lines;
  })?.kind;
  if (printed === 'hits' || printed === 'listing' || printed === 'compiler') return { kind: printed };
  const levelled = score.weight('log') >= score.lines * 0.5;
  const columns = levelled || isSource(writing, 'csv', stamped) ? undefined : separatedKind(sample);
  if (columns !== undefined) return columns;
  if (printed !== undefined) return { kind: printed };
  if (stamped) return { kind: 'log' };
  return (
    (isSource(writing, 'table', false) ? undefined : tableKind(sample.lines)) ??
    written(writing, score, expected)
  );
}

function isSource({ lines, code, comment, fenced }: Writing, kind: ContentKind, stamped: boolean): boolean {
  return (
    !stamped &&
    kind !== 'hits' &&
    kind !== 'listing' &&
    (code + fenced >= lines * CODE_SHARE || (code > 0 && code + comment >= lines * 0.6))
  );
}

function written(writing: Writing, score: Score, expected: readonly Expected[]): Detected {
  const found = writtenKind(writing);
  // Colours and overwritten lines come from programs that think they talk to a person at a terminal.
  if (found.kind !== 'code' && score.controlled >= Math.max(2, score.lines * 0.08)) return { kind: 'log' };
  const hint = expected.find(({ kind }) => kind === 'code' || kind === 'prose' || kind === 'log');
  if (hint?.kind === 'code' && writing.code + writing.comment + writing.hash > 0) return { ...hint };
  if (hint?.kind === 'prose' && found.kind === 'text') return { kind: 'prose' };
  if (hint?.kind === 'log' && found.kind === 'text' && score.weight('log') > 0) return { kind: 'log' };
  return found;
}
