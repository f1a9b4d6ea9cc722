/**
 * `element` for XML and HTML: what comes out is well-formed if what goes in is, for any shape and
 * any budget. One pass, memory bounded by the reach; names, values, references and order stay as
 * written; indentation between tags is left out. XML that is not well-formed, and HTML whose
 * nesting cannot be understood, set `failure`.
 */
import { FIELDS, type Policy } from '../../../model/policy.ts';
import type { Selection } from '../../../model/selection.ts';
import type { FormatReader, FormatStrategy, Share } from '../../../model/strategy.ts';
import type { Markup } from '../scanner.ts';
import { Chooser } from './choose.ts';
import type { Frame } from './frame.ts';
import { allowsAll, allowsPredefined, declaration } from './references.ts';
import { type LineEnds, XmlRuns } from './runs.ts';
import { type Sketched, XmlSketch } from './sketch.ts';
import { KnownTags } from './tag-reader.ts';
import { type Entry, entriesOf, type Reading } from './tree.ts';

/**
 * Bytes kept unparsed for each char that may be shown: indentation and dropped parts take room too.
 */
const RAW_FACTOR = 4;
const LEAST_RAW_BYTES = 16_384;
const MOST_RAW_BYTES = 1 << 26;
/** Below this, fewer chars do not make fewer lines. */
const FEWEST_CHARS = 100;

export const keepXml: FormatStrategy = {
  name: 'element',
  start: (policy, reachChars) => new XmlSelector(policy, reachChars, 'xml'),
};
export const keepHtml: FormatStrategy = {
  name: 'element',
  start: (policy, reachChars) => new XmlSelector(policy, reachChars, 'html'),
};

class XmlSelector implements FormatReader {
  readonly #policy: Policy;
  readonly #markup: Markup;
  readonly #sketch: XmlSketch;
  #finished: Sketched | { readonly failure: string } | undefined;
  readonly #trees = new Map<Reading['allows'], readonly Entry[]>();
  readonly #known = new KnownTags();
  #runs = new XmlRuns('kept');

  constructor(policy: Policy, reachChars: number, markup: Markup) {
    this.#policy = policy;
    this.#markup = markup;
    const rawBytes = Math.min(MOST_RAW_BYTES, Math.max(LEAST_RAW_BYTES, reachChars * RAW_FACTOR));
    this.#sketch = new XmlSketch(rawBytes, markup);
  }

  push(piece: Parameters<FormatReader['push']>[0]): void {
    this.#sketch.push(piece);
  }

  get failure(): string | null {
    const finished = this.#finish();
    return 'failure' in finished ? finished.failure : null;
  }

  select(share: Share): Selection {
    const finished = this.#finish();
    if ('failure' in finished) return [];
    let selection = this.#attempt(finished, share.chars, 'kept');
    for (let chars = share.chars; this.#runs.breaks + 1 > share.lines; ) {
      const lineEnds = this.#runs.breaks;
      selection = this.#attempt(finished, chars, 'elided');
      if (chars < FEWEST_CHARS) break;
      chars = Math.floor((Math.min(chars, finished.total.chars) * Math.max(1, share.lines)) / (lineEnds + 2));
    }
    return selection;
  }

  bytes({ start, end }: { readonly start: number; readonly end: number }): Uint8Array {
    return this.#runs.bytes(start, end);
  }

  #finish(): Sketched | { readonly failure: string } {
    this.#finished ??= this.#sketch.finish();
    return this.#finished;
  }

  #attempt(sketched: Sketched, chars: number, lineEnds: LineEnds): Selection {
    const selection = this.#choose(sketched, chars, lineEnds, allowsAll);
    const declared = this.#markup === 'xml' ? declaration(sketched.top) : undefined;
    if (declared === undefined || keeps(selection, declared.start.bytes)) return selection;
    return this.#choose(sketched, chars, lineEnds, allowsPredefined);
  }

  #choose(
    { top, total, lastByte }: Sketched,
    chars: number,
    lineEnds: LineEnds,
    allows: Reading['allows'],
  ): Selection {
    const runs = new XmlRuns(lineEnds);
    this.#runs = runs;
    const reading = { markup: this.#markup, allows, known: this.#known };
    const entries = this.#entries(top, reading);
    const [first] = entries;
    if (first !== undefined) runs.leading(first.start);
    const { firstElements, lastElements, maxDepth } = this.#policy;
    const chooser = new Chooser(runs, {
      first: firstElements,
      last: lastElements,
      fill: firstElements === FIELDS.firstElements.default && lastElements === FIELDS.lastElements.default,
      maxDepth: maxDepth ?? Number.POSITIVE_INFINITY,
      reading,
    });
    chooser.document(entries, chars);
    return runs.finish(total, lastByte);
  }

  #entries(top: Frame, reading: Reading): readonly Entry[] {
    const known = this.#trees.get(reading.allows) ?? entriesOf(top, reading);
    this.#trees.set(reading.allows, known);
    return known;
  }
}

function keeps(selection: Selection, offset: number): boolean {
  return selection.some(({ kind, start, end }) => kind === 'keep' && start <= offset && offset < end);
}
