/**
 * What HTML leaves unsaid: elements that have no content, elements whose inside is not markup, and
 * which end tags may be missing. A simple reading of the standard's rules: enough to know what
 * belongs together, not to build the tree that a browser would.
 */
import { nameKey } from './tags.ts';

const VOID = keys(
  'area base basefont br col embed frame hr img input keygen link meta param source track wbr',
);
const RAW_NAMES = ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'];
const RAW = new Map(RAW_NAMES.map((name) => [keyOf(name), name]));
/** Their end tags may be left out. */
const OPTIONAL = keys(
  'html head body p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rt rp rb',
);
const KNOWN = keys(
  `a abbr address article aside b blockquote body button canvas caption center cite code colgroup dd details div dl dt em fieldset
   figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header html i iframe label legend li main map nav noscript object ol
   optgroup option p pre script section select small span strong style sub summary sup table tbody td textarea tfoot th thead title tr
   u ul video`,
);
/** An end tag does not reach out of these, unless it is one of theirs. */
const SCOPES = keys('table td th caption template');
const TABLE_PARTS = keys('table tbody thead tfoot tr td th caption template body html');

interface Implied {
  readonly closes: ReadonlySet<number>;
  readonly within: ReadonlySet<number>;
}

const CLOSES_P = `address article aside blockquote center details dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
  header hr main menu nav ol p pre section table ul`;
/**
 * By the element that begins: which open ones end before it, and what they are looked for within.
 */
const IMPLIED: ReadonlyMap<number, Implied> = new Map([
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
]);
/** Shown only where there is room for all else. */
const LEAST = keys('script style noscript template svg link meta');
const HEAD = keyOf('head');

export const html = {
  isVoid: (name: number) => VOID.has(name),
  rawName: (name: number) => RAW.get(name),
  isOptional: (name: number) => OPTIONAL.has(name),
  isKnown: (name: number) => KNOWN.has(name),
  isLeast: (name: number) => LEAST.has(name),
  isHead: (name: number) => name === HEAD,
  implied: (name: number) => IMPLIED.get(name),
  isScope: (name: number) => SCOPES.has(name),
  reachesOut: (name: number) => TABLE_PARTS.has(name),
};

function rule(begins: string, closes: string, within: string): [number, Implied][] {
  const implied = { closes: keys(closes), within: keys(within) };
  return [...keys(begins)].map((key) => [key, implied]);
}

function keys(names: string): Set<number> {
  return new Set(names.trim().split(/\s+/).map(keyOf));
}

function keyOf(name: string): number {
  return nameKey(Buffer.from(name, 'latin1'), 0, name.length, 'html');
}
