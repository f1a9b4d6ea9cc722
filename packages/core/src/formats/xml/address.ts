/** Elements and attributes of a stored XML text, asked for by a path. */
import type { FormatAddress } from '../../model/format.ts';
import { findXml } from './find/find-xml.ts';

export const xmlPath: FormatAddress = {
  argument: 'xml_path',
  value: 'text',
  description: 'For XML: only elements under this path, e.g. "/a/b[3]/c", "//c" or "//c/@id".',
  unit: 'match',
  units: 'matches',
  ending: '\n',
  async find(stored, { text, sink }) {
    const matches = sink();
    await findXml(stored, text, matches);
    return { matches };
  },
};
