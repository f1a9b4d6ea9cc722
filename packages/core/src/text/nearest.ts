/**
 * The right name for one that was typed wrong: the fewest letters changed, added, left out or
 * swapped with their neighbour, at most a third of the name. Case, and `-` for `_`, do not count. A
 * name of which only the beginning was typed is near too.
 */

/** The nearest of the names, or undefined if none is near. */
export function nearest(typed: string, names: Iterable<string>): string | undefined {
  const wanted = plain(typed.slice(0, LONGEST));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const known = plain(name);
    const begun = wanted.length >= 3 && known.startsWith(wanted);
    const distance = begun ? 1 : editDistance(wanted, known.slice(0, LONGEST));
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name, distance };
  }
  return best?.name;
}

/**
 * The name that a word almost is: at most two letters away, or another case. Undefined if it is one
 * of them, or like none.
 */
export function misspelt(typed: string, names: Iterable<string>): string | undefined {
  if (typed.length > LONGEST) return undefined;
  const wanted = plain(typed);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    if (name === typed) return undefined;
    const most = Math.min(MOST_SLIPS, Math.floor(name.length / 3));
    if (Math.abs(name.length - typed.length) > most) continue;
    const distance = editDistance(wanted, plain(name));
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name, distance };
  }
  return best?.name;
}

/** ` Did you mean X?`, to follow a sentence that refuses a name; empty if no name is near. */
export function didYouMean(typed: unknown, names: Iterable<string>): string {
  const near = typeof typed === 'string' ? nearest(typed, names) : undefined;
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

const LONGEST = 80;
const MOST_SLIPS = 2;

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** Changes between two words; a swap of neighbours is one. Three rows are kept. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const changed = (above[j - 1] ?? 0) + (same ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      row.push(Math.min(changed, swapped, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}
