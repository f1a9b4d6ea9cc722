/**
 * Why the block at the cursor is kept: its causes by score, each explained when it is opened. For a
 * gap: what it holds.
 */
import { Share } from '../../components/bar.tsx';
import { WorkState } from '../../components/working.tsx';
import { formatLines, pluralize } from '../../data/figures.ts';
import type { PartUnit } from '../../log/line-cache.ts';
import type { LineSpan } from '../../log/log-model.ts';
import { ROW_CHARS } from '../../log/row-list.ts';
import type { KeptBlock, LogState } from './use-log-state.ts';

export function Why({ work, decision, by, block, run, gap, isCut }: LogState['why']) {
  if (isCut === undefined)
    return (
      <section>
        <h2>What was shown is not known</h2>
        <p class="hint">No projection of it is recorded: it was imported, or no request has used it yet.</p>
      </section>
    );
  if (!isCut)
    return (
      <section>
        <h2>Nothing was left out</h2>
        <p class="hint">The result is within its limits, so the model read all of it.</p>
      </section>
    );
  if (gap) return <WhyNot gap={gap} by={by} />;
  const span = block ? { first: block.first_line, last: block.last_line } : run;
  return (
    <section>
      <h2>{span ? `Why ${linesWords(span, by)} kept` : 'Why lines are kept'}</h2>
      {by === 'chars' ? (
        <p class="hint">Reasons are known by line, and this part has very long lines.</p>
      ) : work.data ? (
        <Causes causes={block?.causes ?? []} />
      ) : (
        <WorkState work={work} />
      )}
      {decision && <p class="hint">{decision}.</p>}
    </section>
  );
}

function linesWords({ first, last }: LineSpan, by: PartUnit['by']): string {
  if (by === 'chars') return `chars ${charsWords(first, last)} are`;
  return first === last ? `line ${formatLines(first, last)} is` : `lines ${formatLines(first, last)} are`;
}

function charsWords(first: number, last: number): string {
  return formatLines((first - 1) * ROW_CHARS + 1, last * ROW_CHARS);
}

function Causes({ causes }: Pick<KeptBlock, 'causes'>) {
  if (causes.length === 0)
    return <p class="hint">No line of it was scored: the strategy shows this place in any case.</p>;
  const most = Math.max(...causes.map(({ score }) => score), 0.001);
  return (
    <>
      <p class="hint">Scores of the block, highest first. Open one to see what it means.</p>
      {causes.map(({ cause, score, means }) => (
        <details class="cause" key={cause}>
          <summary>
            <span>{cause.replaceAll('_', ' ')}</span>
            <span class="bar">
              <Share of={score / most} />
            </span>
            <b>{score.toFixed(1)}</b>
          </summary>
          <p class="hint">{means}</p>
        </details>
      ))}
    </>
  );
}

function WhyNot({ gap, by }: Pick<LogState['why'], 'gap' | 'by'>) {
  if (!gap) return null;
  const { first, last, errors, warnings } = gap;
  const held = [
    errors > 0 && pluralize(errors, 'error'),
    warnings > 0 && pluralize(warnings, 'warning'),
  ].filter(Boolean);
  return (
    <section>
      <h2>
        {by === 'chars' ? `Chars ${charsWords(first, last)}` : `Lines ${formatLines(first, last)}`} were left
        out
      </h2>
      <p class="hint">
        {held.length > 0 && `They hold ${held.join(' and ')}. `}
        What is kept scored higher, and the limit had no room for both. Other settings may show more of it.
      </p>
    </section>
  );
}
