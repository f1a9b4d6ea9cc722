/**
 * `element` for listings of files. Shows the tree level by level as deep as it fits, then of the
 * first level that does not fit small folders whole and large ones by their first and last entries.
 * Only lines of the listing are shown, in their order; what is left out is counted by folder.
 */
import type {
  Gap,
  Line,
  LineFacts,
  LineGrammar,
  TextStart,
  Unit,
  UnitChoice,
} from '../../model/line-grammar.ts';
import type { Policy } from '../../model/policy.ts';
import type { OmittedThings } from '../../model/selection.ts';
import { MOST_OF_CHARS, oneLine, shortList } from '../by-line/names.ts';
import { inTurns, outerFirst } from '../by-line/order.ts';
import { depthOf, type ListingForm, ListingLines, listingForm, sharedDepth } from './lines.ts';

/**
 * Of the share, what whole levels may take: below the last one, something of the next is to be
 * seen.
 */
const LEVELS_SHARE = 0.85;

/** `underFolders`: entries stand below a line with their folder, and mean nothing without it. */
function planListing(choice: UnitChoice, { maxDepth }: Policy, underFolders: boolean): void {
  const folderLines = new Map<number, number>();
  const levels = new Map<number, number[]>();
  choice.units.forEach((unit, index) => {
    if (!unit.isWhole || unit.role === 'blank') return;
    if (unit.role === 'folder') folderLines.set(unit.group, index);
    // The line of a folder comes after the entries it stands among, and before those below it.
    const depth = unit.depth + (unit.role === 'folder' ? 0.5 : 0);
    const level = levels.get(depth) ?? [];
    levels.set(depth, level);
    level.push(index);
  });
  const bundle = (index: number): number[] => {
    const group = choice.units[index]?.group ?? 0;
    const folder = folderLines.get(group);
    if (folder === undefined) return underFolders && group > 0 ? [] : [index];
    return folder === index ? [index] : [folder, index];
  };
  const most = choice.chars + (choice.share.chars - choice.chars) * LEVELS_SHARE;
  for (const level of [...levels.keys()].sort((a, b) => a - b)) {
    if (maxDepth !== null && level > maxDepth) break;
    const indices = levels.get(level) ?? [];
    if (choice.add(indices.flatMap(bundle), most)) continue;
    sample(choice, indices, bundle);
  }
  choice.units.forEach((unit, index) => {
    if (unit.role === 'entry' && (maxDepth === null || unit.depth <= maxDepth)) choice.add(bundle(index));
  });
}

/** Entries of every folder in turn: first, last, second … of each, while there is room. */
function sample(choice: UnitChoice, indices: readonly number[], bundle: (index: number) => number[]): void {
  const folders = new Map<string, number[]>();
  for (const index of indices) {
    const unit = choice.units[index];
    if (unit === undefined) continue;
    const parent = unit.name
      .split('/')
      .slice(0, Math.max(0, unit.depth - 1))
      .join('/');
    const folder = folders.get(parent) ?? [];
    folders.set(parent, folder);
    folder.push(index);
  }
  const orders = [...folders.values()].map((folder) => outerFirst(folder, folder.length, folder.length));
  inTurns(orders, (index) => choice.add(bundle(index)));
}

export class Listing implements LineGrammar {
  readonly #form: ListingForm | null;
  readonly #lines: ListingLines;
  readonly #policy: Policy;
  #folder = '';
  #group = 0;
  #ordinal = 0;
  #entries = 0;
  /** By folder: how many names from the top it has in common with the one before, and its top. */
  readonly #shared: number[] = [0];
  readonly #tops: string[] = [''];

  constructor(start: TextStart, { policy }: LineFacts) {
    this.#form = listingForm(start);
    this.#lines = new ListingLines(this.#form ?? 'paths');
    this.#policy = policy;
  }

  begins(line: Line, open: Unit | null): boolean {
    const lines = this.#lines;
    lines.read(line);
    if (lines.folder !== this.#folder) {
      // The last entry of a folder is worth more than one in its middle.
      if (open !== null && open.role === 'entry' && open.tier === 1) open.score += 0.5;
      this.#group++;
      if (this.#group < MOST_FOLDERS) {
        this.#shared.push(sharedDepth(this.#folder, lines.folder));
        this.#tops.push(oneLine(topOf(lines.folder)));
      }
      this.#folder = lines.folder;
      this.#ordinal = 0;
    }
    return true;
  }

  note(_line: Line, unit: Unit): void {
    const { role, level, opens } = this.#lines;
    unit.group = this.#group;
    unit.name = this.#folder;
    unit.role = role;
    unit.depth = level;
    if (role === 'blank') return;
    const isEntry = role === 'entry';
    if (isEntry) {
      unit.count = 1;
      this.#entries++;
    }
    const ordinal = this.#ordinal++;
    unit.tier = isEntry && !opens ? 1 : 0;
    unit.score = 1_000 - level + (ordinal < this.#policy.firstElements ? 0.5 - ordinal / 100 : 0);
  }

  failure(): string | null {
    return this.#form !== null && this.#entries > 0 ? null : 'no listing was found in it';
  }

  plan(choice: UnitChoice): void {
    planListing(choice, this.#policy, this.#form === 'folders');
  }

  label(gap: Gap): OmittedThings | undefined {
    if (gap.count === 0) return undefined;
    const of = gap.groups === 1 ? oneLine(gap.nameAt(0)) : shortList(this.#folders(gap), MOST_OF_CHARS);
    return { unit: 'entry', count: gap.count, ...(of === '' ? {} : { of }) };
  }

  /** What encloses several folders; where nothing does, the folders at the top. */
  #folders({ firstGroup, groups, nameAt }: Gap): string {
    const end = firstGroup + groups;
    let shared = depthOf(nameAt(0));
    for (let group = firstGroup + 1; group < end && shared > 0; group++)
      shared = Math.min(shared, this.#shared[group] ?? 0);
    const common = nameAt(0).split('/').slice(0, shared).join('/');
    if (common !== '') return common;
    const tops = new Set<string>();
    let last = '';
    for (let group = firstGroup; group < end && tops.size < MOST_TOPS; group++) {
      const top = this.#tops[group] ?? '';
      if (top !== '' && top !== last) tops.add(top);
      last = top;
    }
    return [...tops].join(', ');
  }
}

/** Of more folders no more is remembered than their number. */
const MOST_FOLDERS = 200_000;
const MOST_TOPS = 12;

function topOf(folder: string): string {
  const [first = '', second] = folder.split('/');
  return first === '' && second !== undefined ? `/${second}` : first;
}
