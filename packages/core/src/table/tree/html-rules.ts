/**
 * What HTML leaves unsaid: elements that have no content, elements whose inside is not markup, and
 * which end tags may be missing. A simple reading of the standard's rules: enough to know what
 * belongs together, not to build the tree that a browser would. Names are known by their hashes.
 */
import { lazy } from '../../text/memo.ts';
import { hashWord } from './tree-sink.ts';

interface Implied {
  readonly closes: ReadonlySet<number>;
  readonly within: ReadonlySet<number>;
}

const CLOSES_P = `address article aside blockquote center details dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
  header hr main menu nav ol p pre section table ul`;
/** Made with the first look: few texts are HTML. */
const rules = lazy(() => ({
  empty: names('area base basefont br col embed frame hr img input keygen link meta param source track wbr'),
  raw: names('script style textarea title xmp iframe noembed noframes'),
  /** Their end tags may be left out. */
  optional: names(
    'html head body p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rt rp rb',
  ),
  known: names(
    `a abbr address article aside b blockquote body button canvas caption center cite code colgroup dd details div dl dt em fieldset
     figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header html i iframe label legend li main map nav noscript object ol
     optgroup option p pre script section select small span strong style sub summary sup table tbody td textarea tfoot th thead title tr
     u ul video`,
  ),
  /** An end tag does not reach out of these, unless it is one of theirs. */
  scopes: names('table td th caption template'),
  tableParts: names('table tbody thead tfoot tr td th caption template body html'),
  /** By the element that begins: which open ones end before it, and what they are looked for within. */
  implied: new Map<number, Implied>([
    ...rule(CLOSES_P, 'p', 'button td th table caption object template body'),
    ...rule('li', 'li', 'ul ol menu dir body'),
    ...rule('dt dd', 'dt dd', 'dl body'),
    ...rule('option', 'option', 'select datalist optgroup body'),
    ...rule('optgroup', 'option optgroup', 'select body'),
    ...rule('td th', 'td th', 'tr table body'),
    ...rule('tr', 'td th tr caption colgroup', 'table tbody thead tfoot body'),
    ...rule('tbody thead tfoot', 'td th tr tbody thead tfoot caption colgroup', 'table body'),
    ...rule('rt rp', 'rt rp', 'ruby body'),
    ...rule('body', 'head', 'html'),
  ]),
}));
/** How far up an element is looked for that a tag may close. */
const FARTHEST = 512;

export const html = {
  isEmpty: (name: number, isSlashed: boolean) =>
    rules().empty.has(name) || (isSlashed && !rules().known.has(name)),
  /** Whether what is inside is not markup. */
  isRaw: (name: number) => rules().raw.has(name),
  isOptional: (name: number) => rules().optional.has(name),

  /** The level down to which elements end where one with that name begins; `depth` if none does. */
  endedBy(name: number, open: readonly number[], depth: number): number {
    const implied = rules().implied.get(name);
    let ended = depth;
    if (implied === undefined) return ended;
    for (let level = depth - 1; level >= Math.max(0, depth - FARTHEST); level--) {
      if (implied.closes.has(open[level] as number)) ended = level;
      else if (implied.within.has(open[level] as number)) break;
    }
    return ended;
  },

  /** The level that an end tag with that name closes, or -1. */
  closedBy(name: number, open: readonly number[], depth: number): number {
    const { scopes, tableParts } = rules();
    const reachesOut = tableParts.has(name);
    for (let level = depth - 1; level >= Math.max(0, depth - FARTHEST); level--) {
      if (open[level] === name) return level;
      if (scopes.has(open[level] as number) && !reachesOut) return -1;
    }
    return -1;
  },
};

function rule(begins: string, closes: string, within: string): [number, Implied][] {
  const implied = { closes: names(closes), within: names(within) };
  return [...names(begins)].map((name) => [name, implied]);
}

/** Hashes of names. */
export function names(words: string): Set<number> {
  return new Set(words.trim().split(/\s+/).map(hashWord));
}
