/** The part of a stored diff that changes one file, asked for by the path of the file. */
import type { FormatAddress } from '../../model/format.ts';
import { count, counted } from '../../text/numbers.ts';
import { findFile } from './find-file.ts';

export const fileOfDiff: FormatAddress = {
  argument: 'file',
  value: 'text',
  description: 'For diffs: only the file with this path, or pattern with *.',
  unit: 'block',
  ending: '',
  async find(stored, { text, sink }) {
    const matches = sink();
    const { files, matching } = await findFile(stored, text, matches);
    const total = counted(files, 'file');
    const note =
      matching === 0
        ? ({
            text: `none of the ${total} of this diff has that path; file="*" shows all`,
            instead: true,
          } as const)
        : { text: ` (heads and hunks) in ${count(matching)} of ${total}` };
    return { matches, note };
  },
};
