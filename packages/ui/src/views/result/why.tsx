/** Why the block at the cursor is kept: its causes by score, each explained. For a gap: what it holds. */
import type { KeptBlock, ReasonsAnswer } from '../../../../spillway/src/inspector/api.ts';
import { Share } from '../../components/bar.tsx';
import { formatLines, pluralize } from '../../data/figures.ts';
import type { LineSpan } from '../../log/log-model.ts';

export interface WhyProps {
  readonly reasons: ReasonsAnswer | undefined;
  readonly problem: string | undefined;
  readonly part: number | undefined;
  readonly block: KeptBlock | undefined;
  /** The gap at the cursor, with what it holds. */
  readonly gap: (LineSpan & { readonly errors: number; readonly warnings: number }) | undefined;
  readonly isCut: boolean;
}

export function Why({ reasons, problem, part, block, gap, isCut }: WhyProps) {
  const decision = reasons?.parts.find((each) => each.part === part)?.decision;
  if (!isCut)
    return (
      <section>
        <h2>Nothing was left out</h2>
        <p class="hint">The result is within its limits, so the model read all of it.</p>
      </section>
    );
  if (gap) return <WhyNot gap={gap} />;
  if (!block)
    return (
      <section>
        <h2>Why lines are kept</h2>
        <p class="hint">
          {problem ?? (reasons ? 'Choose a line to see why it is kept.' : 'Working it out …')}
        </p>
        {decision && <p class="hint">The strategy was chosen because {decision}.</p>}
      </section>
    );
  const most = Math.max(...block.causes.map(({ score }) => score), 0.001);
  return (
    <section>
      <h2>
        Why {block.first_line === block.last_line ? 'line' : 'lines'}{' '}
        {formatLines(block.first_line, block.last_line)} {block.first_line === block.last_line ? 'is' : 'are'}{' '}
        kept
      </h2>
      <p class="hint">
        {block.causes.length === 0
          ? 'No rule speaks for it by itself.'
          : 'Scores of the block, highest first.'}
      </p>
      <ul class="why">
        {block.causes.map(({ cause, score, means }) => (
          <li key={cause} title={means}>
            <span>{cause.replaceAll('_', ' ')}</span>
            <span class="bar">
              <Share of={score / most} />
            </span>
            <b>{score.toFixed(1)}</b>
            <span class="means">{means}</span>
          </li>
        ))}
      </ul>
      {decision && <p class="hint">The strategy was chosen because {decision}.</p>}
    </section>
  );
}

function WhyNot({ gap: { first, last, errors, warnings } }: { gap: NonNullable<WhyProps['gap']> }) {
  const held = [
    errors > 0 && pluralize(errors, 'error'),
    warnings > 0 && pluralize(warnings, 'warning'),
  ].filter(Boolean);
  return (
    <section>
      <h2>Lines {formatLines(first, last)} were left out</h2>
      <p class="hint">
        {held.length > 0 && `They hold ${held.join(' and ')}. `}
        What is kept scored higher, and the limit had no room for both. Other settings may show more of it.
      </p>
    </section>
  );
}
