/** XML and HTML as a tree: how gaps are marked and addressed. */
import type { FormatStrategy } from '../../model/strategy.ts';
import { names } from '../../table/tree/html-rules.ts';
import { Kind } from '../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../table/tree/tree-table.ts';
import { type Markup, XmlScan } from '../../table/tree/xml-scan.ts';
import { xmlGap } from '../../wording/xml-gap.ts';
import type { TreeGrammar } from '../tree/layout.ts';
import { TreeReader } from '../tree/reader.ts';

const LEAST = names('script style noscript template svg link meta');

const GRAMMARS: Readonly<Record<Markup, TreeGrammar>> = {
  xml: {
    isXml: true,
    mark: xmlGap,
    paths: {
      argument: 'xml_path',
      stepsTo,
      childStep: (table, row) => `/${commonName(table, row) ?? '*'}`,
      range: (from, to) => `[${to - from === 1 ? to : `${from + 1}-${to}`}]`,
    },
  },
  html: {
    isXml: true,
    mark: xmlGap,
    isLeast: (name) => LEAST.has(name),
  },
};

/** `/a`, `/b[3]`, `/@id`; a text is where its element is. */
function stepsTo(table: TreeTable, row: number): string[] {
  const steps: string[] = [];
  for (let at = row; at > 0; at = table.parent[at] as number)
    if (table.kind[at] === Kind.attribute) steps.push(`/@${table.keyText(at)}`);
    else if (table.kind[at] === Kind.element) steps.push(stepOf(table, at));
  return steps.length === 0 ? ['/*'] : steps.reverse();
}

function stepOf(table: TreeTable, row: number): string {
  const parent = table.parent[row] as number;
  const index = table.index[row] as number;
  const name = table.keyText(row);
  const isWritten = /^[A-Za-z_:][\w:.-]*$/.test(name);
  if (isWritten && commonName(table, parent) !== null)
    return table.count[parent] === 1 ? `/${name}` : `/${name}[${index + 1}]`;
  if (!isWritten || table.isPruned) return `/*[${index + 1}]`;
  const alike = table
    .children(parent)
    .filter((at) => table.name[at] === table.name[row] && table.keyText(at) === name);
  return alike.length === 1 ? `/${name}` : `/${name}[${alike.indexOf(row) + 1}]`;
}

const COMMON = new WeakMap<TreeTable, Map<number, string | null>>();

/** Null if they differ. */
function commonName(table: TreeTable, row: number): string | null {
  const known = COMMON.get(table) ?? new Map<number, string | null>();
  COMMON.set(table, known);
  let name = known.get(row);
  if (name === undefined) {
    const elements = table.children(row).filter((at) => table.kind[at] === Kind.element);
    const [first = 0] = elements;
    name = elements.some((at) => table.name[at] !== table.name[first]) ? null : table.keyText(first);
    if (name !== null && !/^[A-Za-z_:][\w:.-]*$/.test(name)) name = null;
    known.set(row, name);
  }
  return name;
}

export function keepMarkup(markup: Markup): FormatStrategy {
  return {
    name: 'element',
    start: (policy, reachChars) =>
      new TreeReader(policy, reachChars, {
        grammar: GRAMMARS[markup],
        spacing: 'lines',
        scan: (table) => new XmlScan(table, markup),
      }),
  };
}
