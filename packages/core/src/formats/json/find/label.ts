/** Normalized paths (RFC 9535, 2.7), as they are written in front of a match: `$['items'][3]`. */
import { Kind } from '../../../table/tree/tree-sink.ts';
import type { TreeTable } from '../../../table/tree/tree-table.ts';
import { decode } from '../../../text/utf8.ts';

const LABEL_CHARS = 1_000;

/** A name, or a position in an array. */
type Step = string | number;

/** What leads to a row. Several values are read as one array. */
export function stepsTo(table: TreeTable, row: number): Step[] {
  const { kind, parent, index, count } = table;
  const steps: Step[] = [];
  for (let at = row; at > 0; at = parent[at] as number) {
    const up = parent[at] as number;
    if (kind[up] === Kind.object) steps.push(textIn(table.key(at)));
    else if (up > 0 || (count[0] as number) > 1) steps.push(index[at] as number);
  }
  return steps.reverse();
}

export function pathStep(step: Step): string {
  return typeof step === 'number' ? `[${step}]` : `['${escapeName(step)}']`;
}

export function pathLabel(steps: readonly Step[]): string {
  const path = `$${steps.map(pathStep).join('')}`;
  const shown = path.length <= LABEL_CHARS ? path : `${path.slice(0, LABEL_CHARS).toWellFormed()}…`;
  return `${shown}: `;
}

const SHORT: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};

const TO_ESCAPE = /[^ -\uffff]|['\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escapeName(name: string): string {
  return name.replace(
    TO_ESCAPE,
    (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What the inside of a string stands for. */
export function textIn(written: Uint8Array): string {
  const text = decode(written);
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    // A key that was cut may end inside an escape.
    return text;
  }
}

/** Without a backslash the inside of a string is the text itself. */
export function standsFor(written: Uint8Array, text: Buffer): boolean {
  return written.includes(0x5c) ? textIn(written) === text.toString() : text.equals(written);
}
