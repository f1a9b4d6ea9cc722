/** JSON as a tree: how its gaps are marked and addressed. */
import type { FormatStrategy } from '../../model/strategy.ts';
import { JsonScan } from '../../table/tree/json-scan.ts';
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import { jsonGap } from '../../wording/json-gap.ts';
import type { TreeGrammar } from '../tree/layout.ts';
import { TreeReader } from '../tree/reader.ts';
import { nameOf, pathStep } from './find/label.ts';

const jsonGrammar: TreeGrammar = {
  isXml: false,
  mark: jsonGap,
  paths: {
    argument: 'json_path',
    stepsTo,
    childStep: () => '',
    range: (from, to) => `[${from}:${to}]`,
  },
};

/** `$`, `.items`, `[3]`. Several values are read as one array. */
function stepsTo(table: TreeTable, row: number): string[] {
  const steps: string[] = [];
  for (let at = row; at > 0; at = table.parent[at] as number) {
    const up = table.parent[at] as number;
    if (table.kind[up] === Kind.object) {
      const name = nameOf(Buffer.from(`"${table.keyText(at)}"`));
      steps.push(/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : pathStep(name));
    } else if (up > 0 || (table.count[0] as number) > 1) steps.push(pathStep(table.index[at] as number));
  }
  return ['$', ...steps.reverse()];
}

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
