/**
 * The right name for one that was typed wrong: the fewest letters changed, added, left out or
 * swapped with their neighbour, at most a third of the name. Case, and `-` for `_`, do not count. A
 * name of which only the beginning was typed is near too.
 */

/** The nearest of the names, or undefined if none is near. */
export function nearest(typed: string, names: Iterable<string>): string | undefined {
  const wanted = plain(typed.slice(0, LONGEST));
  return closest(names, (name) => {
    const known = plain(name);
    const begun = wanted.length >= 3 && known.startsWith(wanted);
    const distance = begun ? 1 : editDistance(wanted, known.slice(0, LONGEST));
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    return distance <= allowed ? distance : null;
  });
}

/**
 * The name that a word almost is: at most two letters away, or another case. Undefined if it is one
 * of them, or like none.
 */
export function misspelt(typed: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  if (typed.length > LONGEST || all.includes(typed)) return undefined;
  const wanted = plain(typed);
  return closest(all, (name) => {
    const most = Math.min(MOST_SLIPS, Math.floor(name.length / 3));
    if (Math.abs(name.length - typed.length) > most) return null;
    const distance = editDistance(wanted, plain(name));
    return distance <= most ? distance : null;
  });
}

/** Those without a distance are skipped. */
function closest(names: Iterable<string>, distanceOf: (name: string) => number | null): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const distance = distanceOf(name) ?? Number.POSITIVE_INFINITY;
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
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

/** A swap of neighbours is one change. */
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
