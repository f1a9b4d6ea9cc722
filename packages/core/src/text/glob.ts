/**
 * Names matched by patterns with `*` (any run) and `?` (one char), whole and in any case; time
 * linear in both but for one step back.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  const glob = pattern.toLowerCase();
  const text = name.toLowerCase();
  let at = 0;
  let inGlob = 0;
  let star = -1;
  let starAt = 0;
  while (at < text.length) {
    if (glob[inGlob] === '*') {
      star = inGlob++;
      starAt = at;
    } else if (glob[inGlob] === '?' || glob[inGlob] === text[at]) {
      inGlob++;
      at++;
    } else if (star >= 0) {
      inGlob = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (glob[inGlob] === '*') inGlob++;
  return inGlob === glob.length;
}

/**
 * How closely a pattern fits: the number of chars that must be there, above all for a name without
 * any wildcard.
 */
export function globWeight(pattern: string): number {
  const literal = pattern.replace(/[*?]/g, '').length;
  return literal === pattern.length ? Number.MAX_SAFE_INTEGER : literal;
}
