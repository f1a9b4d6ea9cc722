/**
 * Shapes of lines as regular expressions. Every pattern is anchored at the start of the line and
 * runs in linear time: lengths are bounded and neighbouring repetitions never share characters.
 */

export function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

/** A path without blanks that has a letter; `C:` in front is allowed. */
const PATH = String.raw`(?:[A-Za-z]:(?=[\\/]))?(?=[^\s:]{0,200}[A-Za-z_])[^\s:"'\`<>|*?;={},()[\]]{1,200}`;

export function pathThen(rest: string): RegExp {
  return new RegExp(`^${PATH}${rest}`);
}
