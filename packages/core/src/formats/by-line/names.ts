/** Names as a marker says them: one line, at most 60 chars, and lists of them that stay short. */
import type { Gap } from '../../model/line-grammar.ts';

export const MOST_OF_CHARS = 60;

/** Keeps the end of a long name, which tells more. */
export function oneLine(name: string, most = MOST_OF_CHARS): string {
  const line = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return (line.length <= most ? line : `…${line.slice(line.length - most + 1)}`).toWellFormed();
}

/** As many names of a gap's groups as fit, each once in a row, then `…`. */
export function listNames({ groups, nameAt }: Gap, most: number): string {
  let list = '';
  let last = '';
  for (let i = 0; i < groups && list.length <= most; i++) {
    const name = nameAt(i);
    if (name === '' || name === last) continue;
    list += list === '' ? name : `, ${name}`;
    last = name;
  }
  return shortList(list, most);
}

/** As many names of a list as fit, whole, then `…`. */
function shortList(line: string, most: number): string {
  if (line.length <= most) return line.toWellFormed();
  const end = line.lastIndexOf(', ', most - 3);
  return end > 0 ? `${line.slice(0, end)}, …` : oneLine(line.split(', ')[0] ?? '', most);
}
