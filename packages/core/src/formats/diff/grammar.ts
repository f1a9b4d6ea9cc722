/**
 * `element` for unified diffs, from git or not. Hunks are whole or left out, but for those that
 * would take most of the share: of these the best pieces are shown. Every file is named: by its
 * first header lines (with renames, modes and `Binary files differ`) or, where there are too many
 * files, in the list of the gap it is in. What is left out is counted by file, hunks and lines.
 * Generated files come last. Text between diffs (a commit message, a table of changes) stays where
 * it fits.
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
import type { OmittedThings } from '../../model/selection.ts';
import { FirstSeen } from '../../text/first-seen.ts';
import { formatCount, pluralize } from '../../text/numbers.ts';
import { fillByNames, type NamedUnits, UnitNames } from '../by-line/fill-by-names.ts';
import { listNames, MOST_OF_CHARS } from '../by-line/names.ts';
import { inTurns } from '../by-line/order.ts';
import { type DiffFile, filesOf, type Hunk } from './files.ts';
import { DiffLines } from './lines.ts';

/** Shares of text between diffs and of headers alone, before hunks. */
const TEXT_SHARE = 0.25;
const HEADS_SHARE = 0.75;
/** Larger hunks may be cut. */
const LONG_SHARE = 0.4;

type Fill = (candidates: readonly NamedUnits[]) => void;

function planDiff(choice: UnitChoice, fill: Fill): void {
  const { share } = choice;
  const { files, texts } = filesOf(choice.units);
  const start = choice.chars;
  const room = share.chars - start;
  for (const index of texts) choice.add([index], start + room * TEXT_SHARE);
  const ordered = [...files.filter((file) => !file.generated), ...files.filter((file) => file.generated)];
  addHeads(choice, ordered);
  for (const generated of [false, true])
    addHunks(
      choice,
      ordered.filter((file) => file.generated === generated),
      fill,
    );
  for (const { head } of ordered) choice.add(head.slice(0, 1));
  for (const index of texts) choice.add([index]);
}

function addHeads(choice: UnitChoice, files: readonly DiffFile[]): void {
  const heads = choice.chars + (choice.share.chars - choice.chars) * HEADS_SHARE;
  const all = files.flatMap(({ head }) => head.slice(0, 1));
  if (!choice.add(all, heads) && choice.listed === 0) for (const head of all) choice.add([head], heads);
}

function addHunks(choice: UnitChoice, files: readonly DiffFile[], fill: Fill): void {
  const most = choice.share.chars * LONG_SHARE;
  const isLong = ({ whole, chars }: Hunk) => !whole || chars > most;
  const bySize = files.filter(({ whole }) => whole).sort((a, b) => a.chars - b.chars);
  const small = bySize.filter(({ hunks }) => hunks.every(({ pieces }) => pieces.length === 1));
  // Renames, modes and binary files are complete in their heads.
  for (const { head, hunks } of files) if (hunks.length === 0) choice.add(head);
  fill(
    files.flatMap(({ head, hunks }) =>
      hunks.filter((hunk) => !isLong(hunk)).map(({ pieces }) => ({ own: pieces, with: head, factor: 1 })),
    ),
  );
  for (const { head, hunks } of small) choice.add([...head, ...hunks.flatMap(({ pieces }) => pieces)]);
  const whole = files.map(({ head, hunks }) =>
    hunks.filter((hunk) => !isLong(hunk)).map(({ pieces }) => [...head, ...pieces]),
  );
  inTurns(whole, (hunk) => choice.add(hunk));
  for (const hunk of whole.flat()) choice.add(hunk);
  fill(
    files.flatMap(({ head, hunks }) =>
      hunks
        .filter(isLong)
        .flatMap(({ pieces, heading }) =>
          pieces.map((piece) => ({ own: [piece] as const, with: [...head, ...heading], factor: 1 })),
        ),
    ),
  );
}

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|flake\.lock|mix\.lock|pubspec\.lock|packages\.lock\.json|gradle\.lockfile)$|\.(?:min\.(?:js|css)|map|snap|pb\.go|g\.dart|generated\.\w+|lock)$|(?:^|\/)(?:dist|vendor|node_modules|__snapshots__|generated)\//;

const MOST_NAMES_WORTH = 2;
const NAMES_PER_POINT = 4;

export class Diff implements LineGrammar {
  readonly longThings = 'hunks';
  readonly #lines = new DiffLines();
  readonly #relevance: LineFacts['relevance'];
  readonly #names = new FirstSeen();
  readonly #unitNames = new UnitNames();
  #newNames = 0;
  #file = 0;
  #name = '';
  #generated = false;
  #hunksOfFile = 0;

  constructor(_start: TextStart, { relevance }: LineFacts) {
    this.#relevance = relevance;
  }

  begins(line: Line, open: Unit | null): boolean {
    return this.#lines.begins(line, open?.lines ?? 0);
  }

  note(line: Line, unit: Unit): void {
    const lines = this.#lines;
    if (unit.lines === 0) this.#open(unit);
    if (lines.path !== null && lines.path !== this.#name) this.#nameFile(lines.path, unit);
    if (!isOfHunk(unit)) return;
    this.#newNames += this.#names.add(line.bytes, line.from, line.to);
    if (lines.change === '+') unit.plus++;
    else if (lines.change === '-') unit.minus++;
  }

  close(unit: Unit): void {
    if (!isOfHunk(unit)) return;
    const names = Math.min(MOST_NAMES_WORTH, this.#newNames / NAMES_PER_POINT);
    unit.score = (this.#generated ? 1 : 3) + names - Math.min(0.9, unit.chars / 1e5);
  }

  failure(): string | null {
    return this.#lines.hunks === 0 && this.#lines.announced === 0 ? 'no diff was found in it' : null;
  }

  plan(choice: UnitChoice): void {
    planDiff(choice, (candidates) => fillByNames(choice, candidates, this.#unitNames, this.#relevance));
  }

  label(gap: Gap): OmittedThings | undefined {
    const { count: hunks, heads } = gap;
    if (hunks === 0 && heads === 0) return undefined;
    const changes = changesOf(gap);
    const isListed = gap.groups > 1 && gap.listChars > 0;
    const list = () => listNames(gap, isListed ? gap.listChars : MOST_OF_CHARS - changes.length - 3);
    // A gap inside a file omits hunks of it; others omit whole files.
    const isInside = gap.isContinued || heads === 0;
    if (!isInside || hunks === 0)
      return { unit: 'file', count: heads, of: changes === '' ? list() : `${list()}; ${changes}` };
    const files = pluralize(heads + 1, 'file');
    const where = heads === 0 ? list() : isListed ? `${files}: ${list()}` : files;
    return { unit: 'hunk', count: hunks, of: changes === '' ? where : `${where} (${changes})` };
  }

  #open(unit: Unit): void {
    const { role } = this.#lines;
    this.#newNames = 0;
    unit.role = role;
    if (role === 'head' || role === 'text') {
      this.#file++;
      this.#hunksOfFile = 0;
      this.#name = '';
      this.#generated = false;
    }
    unit.group = this.#file;
    unit.name = this.#name;
    if (role === 'hunk') {
      unit.count = 1;
      unit.tier = 1;
      unit.depth = this.#hunksOfFile++;
    } else if (role === 'more') {
      unit.tier = 1;
      unit.depth = this.#hunksOfFile - 1;
    } else {
      unit.heads = role === 'head' ? 1 : 0;
      unit.score = role === 'text' ? 4 : this.#generated ? 2 : 3;
    }
  }

  /** Known by the `+++` line at the latest. */
  #nameFile(path: string, unit: Unit): void {
    this.#name = path;
    this.#generated = GENERATED.test(path);
    unit.name = path;
    if (isOfHunk(unit)) return;
    unit.depth = this.#generated ? 1 : 0;
    unit.score = this.#generated ? 2 : 3;
  }
}

function isOfHunk({ role }: Unit): boolean {
  return role === 'hunk' || role === 'more';
}

/** `+120 −40`. */
function changesOf({ plus, minus }: Gap): string {
  return plus + minus === 0 ? '' : `+${formatCount(plus)} −${formatCount(minus)}`;
}
