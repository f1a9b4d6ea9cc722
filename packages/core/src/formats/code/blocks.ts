/**
 * Blocks that go over several lines: comments, Markdown fences, literal blocks below `::`,
 * documentation inside Perl.
 */

const FENCE = /^(?:```|~~~)/;
const LITERAL = /(?:^|[\s\w.)])::$/;
const POD = /^=(?:head\d|pod|over|item|begin|for|encoding)\b/;

/** Whether each line lies in such a block. `indent`: blanks before the trimmed text. */
export function blockReader(): (text: string, indent: number) => 'comment' | 'fenced' | undefined {
  /** Empty if none is open. */
  let fence = '';
  let comment = '';
  /** Indent of a literal block; 0 if none is open. */
  let literal = 0;
  return (text, indent) => {
    if (comment !== '') {
      if (text.includes(comment)) comment = '';
      return 'comment';
    }
    const mark = '`~'.includes(text[0] ?? ' ') ? FENCE.exec(text)?.[0] : undefined;
    if (mark !== undefined && (fence === '' || fence === mark)) fence = fence === '' ? mark : '';
    if (mark !== undefined || fence !== '') return 'fenced';
    if (literal > 0 && indent >= literal) return 'fenced';
    literal = text.endsWith('::') && LITERAL.test(text) ? indent + 1 : 0;
    const [closer, own] = opened(text);
    comment = closer;
    return own ? 'comment' : undefined;
  };
}

/** What ends the comment opened here (empty if it is closed), and whether the line is comment. */
function opened(text: string): readonly [string, boolean] {
  if (text.startsWith('/*')) return [text.includes('*/', 2) ? '' : '*/', !/\*\/ *\S/.test(text)];
  if (text.startsWith('<!--')) return [text.includes('-->', 4) ? '' : '-->', true];
  if (text.startsWith('=') && POD.test(text)) return ['=cut', true];
  const marks = text.includes('"""') ? '"""' : text.includes("'''") ? "'''" : '';
  if (marks === '') return ['', false];
  return [text.split(marks).length % 2 === 0 ? marks : '', /^\w?["']{3}/.test(text)];
}
