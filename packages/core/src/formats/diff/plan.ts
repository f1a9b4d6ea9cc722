/**
 * In which order a diff is shown: what is said around it, the heads of all files if they fit (gaps
 * name files in less room than heads do), small files whole, then hunks file by file; generated
 * files last.
 */
import type { Choice } from '../by-line/choice.ts';
import { inTurns } from '../by-line/order.ts';

/**
 * Of the share: what text between diffs, and headers alone, may take before hunks get their turn.
 */
const TEXT_SHARE = 0.25;
const HEADS_SHARE = 0.75;

interface File {
  readonly head: number[];
  readonly hunks: number[];
  readonly generated: boolean;
  /** Whether all its hunks can still be read. */
  whole: boolean;
  chars: number;
}

export function planDiff(choice: Choice): void {
  const { share } = choice;
  const { files, texts } = filesOf(choice);
  const start = choice.chars;
  const room = share.chars - start;
  for (const index of texts) choice.add([index], start + room * TEXT_SHARE);
  const ordered = [...files.filter((file) => !file.generated), ...files.filter((file) => file.generated)];
  const heads = choice.chars + (share.chars - choice.chars) * HEADS_SHARE;
  const all = ordered.flatMap(({ head }) => head.slice(0, 1));
  if (!choice.add(all, heads) && choice.listed === 0) for (const head of all) choice.add([head], heads);
  const bySize = ordered.filter(({ whole }) => whole).sort((a, b) => a.chars - b.chars);
  for (const generated of [false, true]) {
    for (const file of bySize) if (file.generated === generated) choice.add([...file.head, ...file.hunks]);
    const files = ordered.filter((file) => file.generated === generated);
    const hunks = files.map((file) => file.hunks.map((hunk) => [...file.head, hunk]));
    inTurns(hunks, (hunk) => choice.add(hunk));
    for (const hunk of hunks.flat()) choice.add(hunk);
  }
  for (const { head } of ordered) choice.add(head.slice(0, 1));
  for (const index of texts) choice.add([index]);
}

function filesOf({ spans }: Choice): { files: File[]; texts: number[] } {
  const files = new Map<number, File>();
  const texts: number[] = [];
  spans.forEach((span, index) => {
    if (span.state === 'dropped') {
      for (const group of [span.firstGroup, span.lastGroup]) {
        const file = files.get(group);
        if (file !== undefined) file.whole = false;
      }
    } else if (span.role === 'text') texts.push(index);
    else if (span.role === 'head') {
      files.set(span.firstGroup, {
        head: [index],
        hunks: [],
        generated: span.depth === 1,
        whole: true,
        chars: span.chars,
      });
    } else {
      const file = files.get(span.firstGroup);
      if (file === undefined) return;
      (span.role === 'index' ? file.head : file.hunks).push(index);
      file.chars += span.chars;
    }
  });
  return { files: [...files.values()].filter(({ head }) => head.length > 0), texts };
}
