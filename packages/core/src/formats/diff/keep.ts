/**
 * `element` for unified diffs, from git or not. Hunks are whole or left out, but for those that
 * would take most of the share: of these the best pieces are shown. Every file is named: by its
 * first header lines (with renames, modes and `Binary files differ`) or, where there are too many
 * files, in the list of the gap it is in. What is left out is counted by file, hunks and lines.
 * Generated files come last. Text between diffs (a commit message, a table of changes) stays where
 * it fits.
 */
import type { OmittedThings } from '../../model/selection.ts';
import type { Strategy } from '../../model/strategy.ts';
import { FirstSeen } from '../../text/first-seen.ts';
import { formatCount, pluralize } from '../../text/numbers.ts';
import { Query } from '../../text/query.ts';
import type { Choice } from '../by-line/choice.ts';
import { fillByNames, SpanNames } from '../by-line/fill-by-names.ts';
import type { Gap } from '../by-line/gap-sums.ts';
import type { Line } from '../by-line/line-reader.ts';
import { type LineGrammar, lineStrategy } from '../by-line/line-strategy.ts';
import { joinList, MOST_OF_CHARS, shortList } from '../by-line/names.ts';
import { Showable } from '../by-line/showable.ts';
import type { Span } from '../by-line/span.ts';
import { DiffLines } from './lines.ts';
import { planDiff } from './plan.ts';

export const keepDiff: Strategy = lineStrategy(
  'element:diff',
  (_sample, _policy, reachChars, { input, about }) => new Diff(reachChars, new Query(input, about)),
);

/** Files that a program wrote: nobody reads their changes first. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|flake\.lock|mix\.lock|pubspec\.lock|packages\.lock\.json|gradle\.lockfile)$|\.(?:min\.(?:js|css)|map|snap|pb\.go|g\.dart|generated\.\w+|lock)$|(?:^|\/)(?:dist|vendor|node_modules|__snapshots__|generated)\//;

const MOST_NAMES_CHARS = 8_000;
/** What the new names of a hunk count for remembering it. */
const MOST_NAMES_WORTH = 2;
const NAMES_PER_POINT = 4;

class Diff implements LineGrammar {
  readonly #lines = new DiffLines();
  readonly #showable: Showable;
  readonly #query: Query;
  /** Names of files that are only counted are remembered up to here, in each gap. */
  readonly #mostNamesChars: number;
  readonly #names = new FirstSeen();
  #spanNames: SpanNames | undefined;
  #newNames = 0;
  #file = 0;
  #name = '';
  #generated = false;
  #hunksOfFile = 0;

  constructor(reachChars: number, query: Query) {
    this.#query = query;
    this.#showable = new Showable(reachChars);
    this.#mostNamesChars = Math.min(MOST_NAMES_CHARS, reachChars >> 1);
    this.joinNames = this.joinNames.bind(this);
  }

  begins(line: Line, open: Span | null): boolean {
    return this.#lines.begins(line, open?.lines ?? 0);
  }

  note(line: Line, span: Span): void {
    const lines = this.#lines;
    if (span.lines === 0) this.#open(span);
    if (lines.path !== null && lines.path !== this.#name) this.#nameFile(lines.path, span);
    if (!isOfHunk(span)) return;
    this.#newNames += this.#names.add(line.bytes, line.from, line.to);
    if (lines.change === '+') span.plus++;
    else if (lines.change === '-') span.minus++;
  }

  close(span: Span): void {
    this.#showable.add(span.chars);
    if (!isOfHunk(span)) return;
    const names = Math.min(MOST_NAMES_WORTH, this.#newNames / NAMES_PER_POINT);
    span.score = (this.#generated ? 1 : 3) + names - Math.min(0.9, span.chars / 1e5);
  }

  failure(): string | null {
    if (this.#lines.hunks === 0 && this.#lines.announced === 0) return 'no diff was found in it';
    return this.#showable.tooLittle ? 'its hunks are longer than what can be shown' : null;
  }

  plan(choice: Choice, bytesOf: (span: Span) => Uint8Array): void {
    this.#spanNames ??= new SpanNames(bytesOf);
    const names = this.#spanNames;
    planDiff(choice, (candidates) => fillByNames(choice, candidates, names, this.#query));
  }

  mostChars(gap: Gap): number {
    if (gap.count === 0 && gap.heads === 0) return -1;
    const changes = changesOf(gap).length + 3;
    if (gap.groups === 1) return Math.min(MOST_OF_CHARS, gap.first.name.length + changes);
    return isListed(gap) ? gap.listChars + FILES_CHARS + changes : MOST_OF_CHARS;
  }

  things(gap: Gap, names: () => string): OmittedThings | undefined {
    const { count: hunks, heads } = gap;
    if (hunks === 0 && heads === 0) return undefined;
    const changes = changesOf(gap);
    const most = isListed(gap) ? gap.listChars : MOST_OF_CHARS - changes.length - 3;
    const list = () => shortList(names(), most);
    // A gap that begins inside a file leaves out hunks of it; all others leave out whole files.
    const isInside = isOfHunk(gap.first) || gap.first.role === 'index';
    if (!isInside || hunks === 0)
      return { unit: 'file', count: heads, of: changes === '' ? list() : `${list()}; ${changes}` };
    const files = pluralize(heads + 1, 'file');
    const where = heads === 0 ? list() : isListed(gap) ? `${files}: ${list()}` : files;
    return { unit: 'hunk', count: hunks, of: changes === '' ? where : `${where} (${changes})` };
  }

  joinNames(one: string, other: string): string {
    return joinList(one, other, this.#mostNamesChars);
  }

  #open(span: Span): void {
    const { role } = this.#lines;
    this.#newNames = 0;
    span.role = role;
    if (role === 'head' || role === 'text') {
      this.#file++;
      this.#hunksOfFile = 0;
      this.#name = '';
      this.#generated = false;
    }
    span.group(this.#file, this.#name);
    if (role === 'hunk') {
      span.count = 1;
      span.tier = 1;
      span.depth = this.#hunksOfFile++;
    } else if (role === 'more') span.tier = 1;
    else {
      span.heads = role === 'head' ? 1 : 0;
      span.score = role === 'text' ? 4 : this.#generated ? 2 : 3;
    }
  }

  /**
   * The path is known by the `+++` line at the latest, which is in the head or in what follows it.
   */
  #nameFile(path: string, span: Span): void {
    this.#name = path;
    this.#generated = GENERATED.test(path);
    span.name = path;
    if (isOfHunk(span)) return;
    span.depth = this.#generated ? 1 : 0;
    span.score = this.#generated ? 2 : 3;
  }
}

function isOfHunk({ role }: Span): boolean {
  return role === 'hunk' || role === 'more';
}

/** `12 files: `. */
const FILES_CHARS = 16;

/** Whether there is room for the names of all its files, or most. */
function isListed(gap: Gap): boolean {
  return gap.groups > 1 && gap.listChars > 0;
}

/** `+120 −40`. */
function changesOf({ plus, minus }: Gap): string {
  return plus + minus === 0 ? '' : `+${formatCount(plus)} −${formatCount(minus)}`;
}
