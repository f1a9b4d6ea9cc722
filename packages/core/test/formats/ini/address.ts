/** A section of a stored INI text, asked for by its name. */
import { type FormatAddress, LineSplitter } from '@spillway/core/plugin';

export const iniSection: FormatAddress = {
  argument: 'section',
  value: 'text',
  description: 'For INI: only the section with this name, e.g. "database".',
  unit: 'section',
  units: 'sections',
  ending: '',
  async find(stored, { text, sink }) {
    const matches = sink();
    let open: number | null = null;
    let line = '';
    const splitter = new LineSplitter(
      {
        text: (part) => {
          line = part;
        },
        end: ({ byte }) => {
          const name = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
          if (name === undefined) return;
          if (open !== null) matches.add(open, byte, () => '');
          open = name === text ? byte : null;
        },
      },
      { bytes: 0, chars: 0, breaks: 0 },
    );
    for await (const piece of stored.from(0)) splitter.push(piece);
    splitter.finish();
    if (open !== null) matches.add(open, stored.byteLength, () => '');
    return { matches };
  },
};
