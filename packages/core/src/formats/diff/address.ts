/** The part of a stored diff that changes one file, asked for by the path of the file. */
import type { FormatAddress } from '../../model/format.ts';
import { filesWords } from '../../wording/pages.ts';
import { findFile } from './find-file.ts';

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
