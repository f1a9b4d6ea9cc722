/** The first lines of a text, for telling its form. */
import type { TextStart } from '../../model/line-grammar.ts';
import { decode } from '../../text/utf8.ts';

/** The last line counts only if the text ends with it. */
export function linesOfStart({ bytes, complete }: TextStart, most: number): string[] {
  const lines = decode(bytes).split(/\r\n|\r|\n/, most + 1);
  if (lines.length <= most && !complete && lines.length > 1) lines.pop();
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(0, most);
}
