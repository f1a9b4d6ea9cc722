/** The four numbers of a result: what the model read, errors and warnings shown, what was left out. */
import type { FindingsAnswer, OutputAnswer } from '../../../../spillway/src/inspector/api.ts';
import { Meter } from '../../components/bar.tsx';
import { formatCount, formatShare, pluralize } from '../../data/figures.ts';

interface FactsProps {
  readonly answer: OutputAnswer;
  readonly findings: readonly FindingsAnswer[] | undefined;
}

export function Facts({ answer: { output, projection }, findings }: FactsProps) {
  if (!projection)
    return (
      <div class="facts">
        <div>
          <div class="k">Stored</div>
          <div class="v">
            {formatCount(output.chars)} <small>chars · it is not known what a model was shown</small>
          </div>
        </div>
      </div>
    );
  const { chars, original_chars, cut, views } = projection;
  const gaps = views.flatMap(({ runs }) => runs.filter(({ kept }) => !kept));
  const leftOut = gaps.reduce((sum, { first_line, last_line }) => sum + last_line - first_line + 1, 0);
  const inside = views.flatMap((view) => view.gaps);
  const leftOutChars = inside.reduce((sum, { first_char, last_char }) => sum + last_char - first_char + 1, 0);
  const isByChars = leftOut === 0 && inside.length > 0;
  return (
    <div class="facts">
      <div>
        <div class="k">The model read</div>
        <div class="v">
          {formatCount(chars)}{' '}
          <small>
            of {formatCount(original_chars)} chars · {cut ? formatShare(chars, original_chars) : 'whole'}
          </small>
        </div>
        <Meter
          part={cut ? chars : 1}
          of={cut ? original_chars : 1}
          label={`${formatShare(chars, original_chars)} shown`}
        />
      </div>
      <Shown label="Error lines shown" of={findings?.map(({ errors }) => errors)} isGrave />
      <Shown label="Warnings shown" of={findings?.map(({ warnings }) => warnings)} />
      <div>
        <div class="k">Left out</div>
        <div class="v">
          {formatCount(isByChars ? leftOutChars : leftOut)}{' '}
          <small>
            {isByChars ? 'chars' : 'lines'}
            {inside.length > 0 && (
              <span class="only-l"> in {pluralize(isByChars ? inside.length : gaps.length, 'gap')}</span>
            )}
          </small>
        </div>
      </div>
    </div>
  );
}

interface ShownProps {
  readonly label: string;
  readonly of: readonly { readonly total: number; readonly shown: number }[] | undefined;
  readonly isGrave?: boolean;
}

function Shown({ label, of, isGrave = false }: ShownProps) {
  const total = of?.reduce((sum, each) => sum + each.total, 0) ?? 0;
  const shown = of?.reduce((sum, each) => sum + each.shown, 0) ?? 0;
  const tone = !isGrave || total === 0 ? '' : shown === total ? 'ok' : 'error';
  return (
    <div>
      <div class="k">{label}</div>
      {of === undefined ? (
        <div class="v dim">…</div>
      ) : (
        <div class="v">
          <span class={tone}>{formatCount(shown)}</span> <small>of {formatCount(total)}</small>
        </div>
      )}
    </div>
  );
}
