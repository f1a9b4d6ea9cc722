/** JSON as a tree: how its gaps are marked and addressed. */
import type { FormatStrategy } from '../../model/strategy.ts';
import { JsonScan } from '../../table/tree/json-scan.ts';
import { jsonGap } from '../../wording/json-gap.ts';
import type { TreeGrammar } from '../tree/layout.ts';
import { TreeReader } from '../tree/reader.ts';
import { pathStep, stepsTo } from './find/label.ts';

const IDENTIFIER = /^[A-Za-z_]\w*$/;

const jsonGrammar: TreeGrammar = {
  isXml: false,
  mark: jsonGap,
  paths: {
    argument: 'json_path',
    /** `$`, `.items`, `[3]`. */
    stepsTo: (table, row) => [
      '$',
      ...stepsTo(table, row).map((step) => (IDENTIFIER.test(String(step)) ? `.${step}` : pathStep(step))),
    ],
    childStep: () => '',
    range: (from, to) => `[${from}:${to}]`,
  },
};

export const keepJson: FormatStrategy = {
  name: 'element',
  start: (policy, reachChars, context) =>
    new TreeReader(policy, reachChars, {
      grammar: jsonGrammar,
      // Files are shown exactly.
      spacing: context?.isFile === true ? 'exact' : 'blanks',
      scan: (table) => new JsonScan(table, 'many'),
    }),
};
