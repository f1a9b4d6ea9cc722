/** Names as a marker says them: one line, at most 60 chars, and lists of them that stay short. */

/** The most chars of `of`. */
export const MOST_OF_CHARS = 60;

/** One line, at most `most` chars: the end of a long name tells more than its beginning. */
export function oneLine(name: string, most = MOST_OF_CHARS): string {
  const line = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return (line.length <= most ? line : `…${line.slice(line.length - most + 1)}`).toWellFormed();
}

const MOST_NAMES_CHARS = 240;

/**
 * Joins two lists of names; once it is long, more names only add `…`. A name that ends one list and
 * begins the other is one name.
 */
export function joinList(one: string, other: string, most = MOST_NAMES_CHARS): string {
  if (one === '' || other === '') return one + other;
  if (one.endsWith(', …')) return one;
  const last = one.slice(one.lastIndexOf(', ') + 1).trimStart();
  if (other === last) return one;
  const more = other.startsWith(`${last}, `) ? other.slice(last.length + 2) : other;
  const joined = `${one}, ${more}`;
  return joined.length <= most ? joined : `${one}, …`;
}

/** As many names of a list as fit, whole, then `…`. */
export function shortList(names: string, most: number): string {
  const line = names.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  if (line.length <= most) return line.toWellFormed();
  const end = line.lastIndexOf(', ', most - 3);
  return end > 0 ? `${line.slice(0, end)}, …` : oneLine(line.split(', ')[0] ?? '', most);
}
