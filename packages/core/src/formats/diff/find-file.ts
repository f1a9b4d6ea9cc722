/**
 * One file's part of a diff: its head and its hunks, each a block. Hunks are followed by their line
 * counts, so removed lines that look like a head are not taken for one. Reads unified and git
 * diffs, also below commit messages and mail heads, in one pass. Positions are bytes.
 */

import { SpillwayError } from '../../model/errors.ts';
import type { MatchSink, StoredText } from '../../model/stored-text.ts';
import { type LinePosition, type LineSink, LineSplitter } from '../../text/lines.ts';
import { meansFile, namesIn } from './paths.ts';

export interface FilesFound {
  readonly files: number;
  readonly matching: number;
}

export async function findFile(stored: StoredText, wanted: string, matches: MatchSink): Promise<FilesFound> {
  const reader = new DiffReader(wanted, matches);
  const lines = new LineSplitter(reader, { bytes: 0, chars: 0, breaks: 0 });
  for await (const piece of stored.from(0)) {
    lines.push(piece);
    if (matches.enough) return reader;
  }
  lines.finish();
  reader.finish(stored.byteLength);
  if (reader.files === 0)
    throw new SpillwayError(
      'invalid_argument',
      'This part is not a diff, so file cannot be used. Ask by lines, chars or pattern.',
    );
  return reader;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const COMBINED_HUNK = /^@@@+ (?:-\d+(?:,\d+)? )+\+\d+(?:,\d+)? @@@+/;
const BETWEEN_FILES = /^(?:commit [0-9a-f]{7,}|From [0-9a-f]{7,} |-- $)/;
/** Chars of a line that are looked at. */
const LINE_CHARS = 8_192;

class DiffReader implements LineSink {
  files = 0;
  matching = 0;
  readonly #wanted: string;
  readonly #matches: MatchSink;
  #state: 'between' | 'head' | 'hunk' = 'between';
  #blockAt = 0;
  #names = new Set<string>();
  #headHasOld = false;
  /** After a `---` that git did not announce only `+++` makes it a head. */
  #newNext = false;
  #wantedFile = false;
  /** Lines of the hunk still to come; null where they are not counted. */
  #left: { old: number; new: number } | null = null;
  #line = '';

  constructor(wanted: string, matches: MatchSink) {
    this.#wanted = wanted;
    this.#matches = matches;
  }

  text(text: string, _position: LinePosition, skippedChars: number): void {
    if (skippedChars === 0) this.#line = text.slice(0, LINE_CHARS);
  }

  end({ byte }: LinePosition): void {
    const line = this.#line;
    this.#line = '';
    if (this.#state === 'hunk' && this.#inHunk(line)) return;
    if (this.#newNext && !line.startsWith('+++ ')) this.#state = 'between';
    this.#newNext = false;
    if (this.#beginsFile(line)) {
      this.finish(byte);
      this.#state = 'head';
      this.#blockAt = byte;
      this.#names = new Set();
      this.#headHasOld = false;
      this.#newNext = line.startsWith('--- ');
    } else if (this.#state !== 'between' && this.#beginsHunk(line)) {
      this.#endBlock(byte);
      this.#state = 'hunk';
      this.#blockAt = byte;
      return;
    } else if (this.#state !== 'between' && (this.#state === 'hunk' || BETWEEN_FILES.test(line))) {
      this.finish(byte);
      return;
    }
    if (this.#state === 'head') this.#inHead(line);
  }

  /** Whatever is open ends before that byte. */
  finish(byte: number): void {
    if (this.#state !== 'between') this.#endBlock(byte);
    this.#state = 'between';
  }

  #beginsFile(line: string): boolean {
    if (/^diff (?:--(?:git|cc|combined) |-)/.test(line) || line.startsWith('Index: ')) return true;
    return line.startsWith('--- ') && (this.#state !== 'head' || this.#headHasOld);
  }

  #inHead(line: string): void {
    if (line.startsWith('--- ')) this.#headHasOld = true;
    for (const name of namesIn(line)) this.#names.add(name);
  }

  #beginsHunk(line: string): boolean {
    const counts = HUNK.exec(line);
    this.#left = counts === null ? null : { old: Number(counts[1] ?? 1), new: Number(counts[2] ?? 1) };
    return counts !== null || COMBINED_HUNK.test(line);
  }

  /** Whether the line belongs to the open hunk. */
  #inHunk(line: string): boolean {
    const sign = line[0] ?? ' ';
    if (sign === '\\') return true;
    if (this.#left === null) return ' +-'.includes(sign) && line !== '';
    const { old, new: fresh } = this.#left;
    if (old + fresh <= 0 || !' +-'.includes(sign)) return false;
    this.#left = { old: sign === '+' ? old : old - 1, new: sign === '-' ? fresh : fresh - 1 };
    return true;
  }

  #endBlock(byte: number): void {
    if (this.#state === 'head') {
      this.files++;
      this.#wantedFile = meansFile(this.#wanted, this.#names);
      if (this.#wantedFile) this.matching++;
    }
    if (this.#wantedFile) this.#matches.add(this.#blockAt, byte, () => '');
  }
}
