/** The part of a stored diff that changes one file, asked for by the path of the file. */

import { invalidArgument } from '../../model/errors.ts';
import type { FormatAddress } from '../../model/format.ts';
import type { MatchSink, StoredText } from '../../model/stored-text.ts';
import { type LinePosition, type LineSink, LineSplitter } from '../../text/lines.ts';
import { filesWords } from '../../wording/pages.ts';
import { REFUSED_ARGUMENT } from '../../wording/refused-fetches.ts';
import { DiffLines } from './lines.ts';
import { meansFile, namesIn } from './paths.ts';

/**
 * The part of a diff for one file: its head and hunks, each a block. Hunk line counts are followed,
 * so removed lines that look like a head are not taken for one. Handles unified and git diffs, also
 * below commit messages. Positions are bytes.
 */
interface FilesFound {
  readonly files: number;
  readonly matching: number;
}

async function findFile(stored: StoredText, wanted: string, matches: MatchSink): Promise<FilesFound> {
  const reader = new DiffReader(wanted, matches);
  const lines = new LineSplitter(reader, { bytes: 0, chars: 0, breaks: 0 });
  for await (const piece of stored.from(0)) {
    lines.push(piece);
    if (matches.enough) return reader;
  }
  lines.finish();
  reader.finish(stored.byteLength);
  if (reader.files === 0) throw invalidArgument(REFUSED_ARGUMENT.noDiff);
  return reader;
}

const LINE_CHARS = 8_192;

class DiffReader implements LineSink {
  files = 0;
  matching = 0;
  readonly #wanted: string;
  readonly #matches: MatchSink;
  readonly #lines = new DiffLines();
  #block: 'text' | 'head' | 'hunk' = 'text';
  #blockAt = 0;
  #names = new Set<string>();
  /** After an unannounced `---`, only `+++` makes it a head. */
  #isFile = false;
  #wantedFile = false;
  #text = '';

  constructor(wanted: string, matches: MatchSink) {
    this.#wanted = wanted;
    this.#matches = matches;
  }

  text(text: string, _position: LinePosition, skippedChars: number): void {
    if (skippedChars === 0) this.#text = text.slice(0, LINE_CHARS);
  }

  end({ byte }: LinePosition): void {
    const text = this.#text;
    this.#text = '';
    const role = this.#lines.next(text);
    if (role === 'head' || role === 'hunk' || (role === 'text' && this.#block !== 'text')) {
      this.finish(byte);
      this.#block = role;
      this.#blockAt = byte;
      if (role === 'head') {
        this.#names = new Set();
        this.#isFile = !text.startsWith('--- ');
      }
    }
    if (this.#block !== 'head') return;
    if (text.startsWith('+++ ')) this.#isFile = true;
    for (const name of namesIn(text)) this.#names.add(name);
  }

  finish(byte: number): void {
    if (this.#block === 'head') {
      this.#wantedFile = this.#isFile && meansFile(this.#wanted, this.#names);
      if (this.#isFile) this.files++;
      if (this.#wantedFile) this.matching++;
    }
    if (this.#block !== 'text' && this.#wantedFile) this.#matches.add(this.#blockAt, byte, () => '');
  }
}

export const fileOfDiff: FormatAddress = {
  argument: 'file',
  value: 'text',
  description: 'For diffs: only the file with this path, or pattern with *.',
  unit: 'block',
  units: 'blocks',
  ending: '',
  async find(stored, { text, sink }) {
    const matches = sink();
    const { files, matching } = await findFile(stored, text, matches);
    const describe = (words: string, isFirst: boolean) =>
      isFirst ? filesWords(words, matching, files) : words;
    return { matches, describe: describe };
  },
};
