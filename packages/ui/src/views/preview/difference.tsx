/** What only one of the two variants keeps, as ranges that lead to the lines. */
import type { LineSet, PartRow, PreviewDifference } from '../../../../spillway/src/inspector/api.ts';
import { formatLines, pluralize } from '../../data/figures.ts';
import { rowOfChar } from '../../log/row-list.ts';

const SHOWN_RANGES = 200;

interface DifferenceProps {
  readonly parts: readonly PreviewDifference[] | undefined;
  readonly part: PartRow;
  readonly onGo: (line: number) => void;
}

export function Difference({ parts, part, onGo }: DifferenceProps) {
  const found = parts?.find((each) => each.part === part.index);
  if (!found) return null;
  return (
    <>
      <Only name="A" set={found.only_a} by={part.by} onGo={onGo} />
      <Only name="B" set={found.only_b} by={part.by} onGo={onGo} />
    </>
  );
}

interface OnlyProps {
  readonly name: string;
  readonly set: LineSet;
  readonly by: PartRow['by'];
  readonly onGo: (line: number) => void;
}

function Only({ name, set, by, onGo }: OnlyProps) {
  const isLines = by === 'lines' && set.lines > 0;
  const ranges = isLines ? set.ranges : set.char_ranges;
  const toRow = (first: number) => (by === 'chars' ? rowOfChar(first) : first);
  if (set.chars === 0 && set.lines === 0) return <span class="dim">Only {name} keeps: nothing</span>;
  return (
    <details class="only">
      <summary>
        Only {name} keeps:{' '}
        <strong>{isLines ? pluralize(set.lines, 'line') : pluralize(set.chars, 'char')}</strong>
      </summary>
      <ul>
        {ranges.slice(0, SHOWN_RANGES).map(([first, last]) => (
          <li key={first}>
            <button type="button" class="link num" onClick={() => onGo(toRow(first))}>
              {formatLines(first, last)}
            </button>
          </li>
        ))}
        {ranges.length > SHOWN_RANGES && <li class="dim">and {ranges.length - SHOWN_RANGES} more ranges</li>}
      </ul>
    </details>
  );
}
