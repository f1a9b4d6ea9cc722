/**
 * In which order a diff is shown: what is said around it, the heads of all files if they fit (gaps
 * name files in less room than heads do), then whole hunks by the new names they bring, the others
 * file by file, and pieces of hunks that are too long; generated files last.
 */
import type { UnitChoice } from '../../model/line-grammar.ts';
import type { NamedUnits } from '../by-line/fill-by-names.ts';
import { inTurns } from '../by-line/order.ts';
import { type DiffFile, filesOf, type Hunk } from './files.ts';

/**
 * Of the share: what text between diffs, and headers alone, may take before hunks get their turn.
 */
const TEXT_SHARE = 0.25;
const HEADS_SHARE = 0.75;
/** A hunk that takes more of the share may be cut. */
const LONG_SHARE = 0.4;

type Fill = (candidates: readonly NamedUnits[]) => void;

export function planDiff(choice: UnitChoice, fill: Fill): void {
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
  // Renames, modes and binary files say all in their heads.
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
