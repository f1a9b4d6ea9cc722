/** The four numbers of a result: what the model read, errors and warnings shown, what was left out. */
import type { OutputAnswer } from '../../../../spillway/src/inspector/api.ts';
import { type Fact, Facts } from '../../components/controls.tsx';
import { formatCount, formatShare, pluralize } from '../../data/figures.ts';
import type { Findings } from './use-log-pane.ts';

interface ResultFactsProps {
  readonly answer: OutputAnswer;
  readonly findings: readonly Findings[] | undefined;
}

export function ResultFacts({ answer: { output, projection }, findings }: ResultFactsProps) {
  if (!projection) {
    const note = 'chars · it is not known what a model was shown';
    return <Facts facts={[{ name: 'Stored', value: formatCount(output.chars), note }]} />;
  }
  const { chars, original_chars, cut, views } = projection;
  const share = formatShare(chars, original_chars);
  const gaps = views.flatMap(({ runs }) => runs.filter(({ kept }) => !kept));
  const inside = views.flatMap((view) => view.gaps);
  const lines = gaps.reduce((sum, { first_line, last_line }) => sum + last_line - first_line + 1, 0);
  const isByChars = lines === 0 && inside.length > 0;
  const leftOut = inside.reduce((sum, { first_char, last_char }) => sum + last_char - first_char + 1, 0);
  return (
    <Facts
      facts={[
        {
          name: 'The model read',
          value: formatCount(chars),
          note: `of ${formatCount(original_chars)} chars · ${cut ? share : 'whole'}`,
          meter: { part: cut ? chars : 1, of: cut ? original_chars : 1, label: `${share} shown` },
        },
        shownOf(
          'Error lines shown',
          findings?.map(({ errors }) => errors),
          true,
        ),
        shownOf(
          'Warnings shown',
          findings?.map(({ warnings }) => warnings),
          false,
        ),
        {
          name: 'Left out',
          value: formatCount(isByChars ? leftOut : lines),
          note: (
            <>
              {isByChars ? 'chars' : 'lines'}
              {inside.length > 0 && (
                <span class="only-l"> in {pluralize(isByChars ? inside.length : gaps.length, 'gap')}</span>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

function shownOf(name: string, of: readonly Findings['errors'][] | undefined, isGrave: boolean): Fact {
  if (of === undefined) return { name, value: '…', tone: 'dim' };
  const total = of.reduce((sum, each) => sum + each.total, 0);
  const shown = of.reduce((sum, each) => sum + each.shown, 0);
  const tone = !isGrave || total === 0 ? '' : shown === total ? 'ok' : 'error';
  return { name, value: formatCount(shown), note: `of ${formatCount(total)}`, tone };
}
