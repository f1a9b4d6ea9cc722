/** Values of a stored JSON text, asked for by a JSONPath. */
import { SpillwayError } from '../../model/errors.ts';
import type { FormatAddress } from '../../model/format.ts';
import { SEVERAL_VALUES } from '../../wording/pages.ts';
import { findJson } from './find/find-json.ts';

export const jsonPath: FormatAddress = {
  argument: 'json_path',
  value: 'text',
  description: 'For JSON: only values under this JSONPath (RFC 9535), e.g. "$.items[100:200].name".',
  unit: 'match',
  units: 'matches',
  ending: '\n',
  usesPatterns: true,
  async find(stored, { text, paths, patterns, sink }) {
    if (paths === null)
      throw new SpillwayError(
        'invalid_argument',
        'json_path is not available here. Ask by lines, chars or pattern.',
      );
    const { matches, areSeveral } = await findJson(stored, await paths.parse(text), patterns, sink);
    return { matches, describe: (words) => (areSeveral ? words + SEVERAL_VALUES : words) };
  },
};
