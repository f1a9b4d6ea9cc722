/** The head of a result: where it belongs, what was called, how it ended, and what can be done with it. */

import * as lucide from 'lucide';
import type { OutputAnswer } from '../../../../spillway/src/inspector/api.ts';
import { askedFor, NotALoss, Outcome } from '../../components/call.tsx';
import { Banner, Button, type Fact, Facts, IconButton } from '../../components/controls.tsx';
import { Icon } from '../../components/icon.tsx';
import type { Findings } from '../../components/log.tsx';
import { formatBytes, formatCount, formatExact, formatShare, pluralize } from '../../data/figures.ts';
import { useValue } from '../../data/observable.ts';
import { workspace } from '../../data/workspace.ts';
import { sessionAddress } from '../../shell/router.ts';

export interface Actions {
  readonly onWrap: () => void;
  readonly onPanel: () => void;
  readonly onHandle: () => void;
  readonly onRaw: () => void;
  readonly onPreview: () => void;
}

interface HeadProps {
  readonly answer: OutputAnswer;
  readonly wrap: boolean;
  readonly hasPanel: boolean;
  readonly on: Actions;
}

/** Outputs that Spillway keeps for itself have no place among the calls. */
export function placeWords({ is_preview, place }: OutputAnswer): string {
  if (is_preview) return 'a text that you preview';
  return place.number === 0 ? 'kept by Spillway' : `call ${place.number} of ${place.of}`;
}

export function Head({ answer, wrap, hasPanel, on }: HeadProps) {
  const { output } = answer;
  const name = useValue(workspace)?.name;
  const toggle = { class: 'toggle', size: '' } as const;
  return (
    <>
      <div class="crumb line dim small">
        <ol class="only-l line">
          <li>
            <a href="/sessions">{name}</a>
          </li>
          <li>
            <a href={sessionAddress(output.session, output.id)}>{output.session}</a>
          </li>
          <li>
            {placeWords(answer)} · {output.tool}
          </li>
        </ol>
        <span class="end">
          <IconButton
            icon={lucide.WrapText}
            label="Wrap long lines"
            isOn={wrap}
            onClick={on.onWrap}
            {...toggle}
          />
          <IconButton
            icon={lucide.PanelRight}
            label="Panel"
            isOn={hasPanel}
            onClick={on.onPanel}
            {...toggle}
          />
        </span>
      </div>
      <div class="title line">
        <h1 title={output.summary}>{askedFor(output)}</h1>
        <Outcome output={output} look="pill" />
        {output.made_again && (
          <span class="pill warning">
            <Icon of={lucide.Repeat} />
            Repeated
          </span>
        )}
        <div class="acts line end">
          <Button onClick={on.onHandle}>
            <Icon of={lucide.Copy} />
            Handle
          </Button>
          <Button onClick={on.onRaw}>
            <Icon of={lucide.Download} />
            Raw
          </Button>
          <Button kind="pri" onClick={on.onPreview}>
            <Icon of={lucide.SlidersHorizontal} />
            <span class="only-l">Try other settings</span>
            <span class="only-s">Preview</span>
          </Button>
        </div>
      </div>
    </>
  );
}

/** What a person must know before reading on. */
export function Notes({ answer, onJudged }: { answer: OutputAnswer; onJudged: () => void }) {
  const { output, loss } = answer;
  return (
    <>
      {loss?.why === 'failure_left_out' && (
        <Banner icon={lucide.TriangleAlert} tone="error">
          The model may have missed a failure
          {loss.line !== null && ': '}
          {loss.line !== null && <a href={`#L${loss.line}`}>line {loss.line}</a>}
          {loss.line !== null && ' was left out'}. <NotALoss id={output.id} onJudged={onJudged} />
        </Banner>
      )}
      {loss?.why === 'made_again' && (
        <Banner icon={lucide.Repeat}>
          The model repeated the call, with the same result, instead of reading what was left out.{' '}
          <NotALoss id={output.id} onJudged={onJudged} />
        </Banner>
      )}
      {output.revoked_at !== null && (
        <Banner icon={lucide.TriangleAlert}>
          The handle was revoked on {formatExact(output.revoked_at)}. Models can no longer read this output;
          you can.
        </Banner>
      )}
      {(!output.complete || output.source_truncated) && (
        <Banner icon={lucide.TriangleAlert}>
          {output.source_truncated
            ? 'The tool or the agent cut it before Spillway saw it.'
            : 'It is incomplete: its end was not recorded.'}
        </Banner>
      )}
    </>
  );
}

interface ResultFactsProps {
  readonly answer: OutputAnswer;
  readonly findings: readonly Findings[] | undefined;
}

/** The four numbers of a result: what the model read, errors and warnings shown, what was left out. */
export function ResultFacts({ answer: { output, parts, projection }, findings }: ResultFactsProps) {
  const isBinary = parts.every(({ is_shown, kind, bytes }) => !is_shown || kind === 'binary' || bytes === 0);
  if (projection && isBinary && output.bytes > 0) {
    const note = 'of binary data · the model was told its type and size';
    return <Facts facts={[{ name: 'Stored', value: formatBytes(output.bytes), note }]} />;
  }
  if (!projection) {
    const note = 'chars · unknown what a model was shown';
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
                <span class="only-l">
                  {isByChars ? '' : `, ${pluralize(leftOut, 'char')},`} in{' '}
                  {pluralize(isByChars ? inside.length : gaps.length, 'gap')}
                </span>
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
