/**
 * `element` for listings of files. Shows the tree level by level as deep as it fits, then of the
 * first level that does not fit small folders whole and large ones by their first and last entries.
 * Only lines of the listing are shown, in their order; what is left out is counted by folder.
 */
import type { Policy } from '../../model/policy.ts';
import type { OmittedThings } from '../../model/selection.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { Choice } from '../by-line/choice.ts';
import type { Gap } from '../by-line/gap-sums.ts';
import type { Line } from '../by-line/line-reader.ts';
import { type LineGrammar, lineStrategy } from '../by-line/line-strategy.ts';
import { MOST_OF_CHARS, oneLine, shortList } from '../by-line/names.ts';
import type { Span } from '../by-line/span.ts';
import { type ListingForm, ListingLines, listingForm, sharedDepth } from './lines.ts';
import { planListing } from './plan.ts';

export const keepListing: Strategy = lineStrategy(
  'element:listing',
  (sample, policy) => new Listing(listingForm(sample), policy),
);

class Listing implements LineGrammar {
  readonly #form: ListingForm | null;
  readonly #lines: ListingLines;
  readonly #policy: Policy;
  #folder = '';
  #group = 0;
  #ordinal = 0;
  #entries = 0;

  constructor(form: ListingForm | null, policy: Policy) {
    this.#form = form;
    this.#lines = new ListingLines(form ?? 'paths');
    this.#policy = policy;
  }

  begins(line: Line, open: Span | null): boolean {
    const lines = this.#lines;
    lines.read(line);
    if (lines.folder !== this.#folder) {
      // The last entry of a folder is worth more than one in its middle.
      if (open !== null && open.role === 'entry' && open.tier === 1) open.score += 0.5;
      this.#folder = lines.folder;
      this.#group++;
      this.#ordinal = 0;
    }
    return true;
  }

  note(_line: Line, span: Span): void {
    const { role, level, opens } = this.#lines;
    span.group(this.#group, this.#folder);
    span.role = role;
    span.depth = level;
    if (role === 'blank') return;
    const isEntry = role === 'entry';
    if (isEntry) {
      span.count = 1;
      this.#entries++;
    }
    const ordinal = this.#ordinal++;
    span.tier = isEntry && !opens ? 1 : 0;
    span.score = 1_000 - level + (ordinal < this.#policy.firstElements ? 0.5 - ordinal / 100 : 0);
  }

  failure(): string | null {
    return this.#form !== null && this.#entries > 0 ? null : 'no listing was found in it';
  }

  plan(choice: Choice): void {
    planListing(choice, this.#policy, this.#form === 'folders');
  }

  mostChars(gap: Gap): number {
    if (gap.count === 0) return -1;
    if (gap.groups === 1) return Math.min(MOST_OF_CHARS, gap.first.name.length);
    return MOST_OF_CHARS;
  }

  things(gap: Gap, names: () => string): OmittedThings | undefined {
    if (gap.count === 0) return undefined;
    const of =
      gap.groups === 1 ? oneLine(gap.first.name) : shortList(names().replace(/\n/g, ', '), MOST_OF_CHARS);
    return { unit: 'entry', count: gap.count, ...(of === '' ? {} : { of }) };
  }

  /** What encloses both; where nothing does, the folders at the top, one a line. */
  joinNames(one: string, other: string): string {
    if (one === other) return one;
    if (!one.includes('\n') && !other.includes('\n')) {
      const shared = sharedDepth(one, other);
      if (shared > 0 && one !== '' && other !== '') {
        const common = one.split('/').slice(0, shared).join('/');
        if (common !== '') return common;
      }
    }
    const tops = new Set([...one.split('\n'), ...other.split('\n')].map(topOf).filter((top) => top !== ''));
    return [...tops].slice(0, MOST_TOPS).join('\n');
  }
}

const MOST_TOPS = 12;

function topOf(folder: string): string {
  const [first = '', second] = folder.split('/');
  return first === '' && second !== undefined ? `/${second}` : first;
}
