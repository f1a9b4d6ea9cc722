/** What only one of the two variants keeps, as ranges that lead to the lines. */
import type { LineSet, PreviewDifference } from '../../../../spillway/src/inspector/api.ts';
import { formatLines, pluralize } from '../../data/figures.ts';

const SHOWN_RANGES = 200;

interface DifferenceProps {
  readonly parts: readonly PreviewDifference[] | undefined;
  readonly part: number;
  readonly onGo: (line: number) => void;
}

export function Difference({ parts, part, onGo }: DifferenceProps) {
  const found = parts?.find((each) => each.part === part);
  if (!found) return null;
  return (
    <>
      <Only name="A" set={found.only_a} onGo={onGo} />
      <Only name="B" set={found.only_b} onGo={onGo} />
    </>
  );
}

function Only({ name, set, onGo }: { name: string; set: LineSet; onGo: (line: number) => void }) {
  if (set.lines === 0) return <span class="dim">Only {name} keeps: nothing</span>;
  return (
    <details class="only">
      <summary>
        Only {name} keeps: <strong>{pluralize(set.lines, 'line')}</strong>
      </summary>
      <ul>
        {set.ranges.slice(0, SHOWN_RANGES).map(([first, last]) => (
          <li key={first}>
            <button type="button" class="link num" onClick={() => onGo(first)}>
              {formatLines(first, last)}
            </button>
          </li>
        ))}
        {set.ranges.length > SHOWN_RANGES && (
          <li class="dim">and {set.ranges.length - SHOWN_RANGES} more ranges</li>
        )}
      </ul>
    </details>
  );
}
