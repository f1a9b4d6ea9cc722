/** The head of a result: where it belongs, what was called, how it ended, and what can be done with it. */

import type { OutputAnswer } from '../../../../spillway/src/inspector/api.ts';
import { askedFor, outcomeWords } from '../../components/call.tsx';
import { Icon } from '../../components/icon.tsx';
import {
  AgainIcon,
  CopyIcon,
  FailedIcon,
  FetchedIcon,
  OkIcon,
  PanelIcon,
  PreviewIcon,
  WarningIcon,
  WrapIcon,
} from '../../components/icons.ts';
import { NotALoss } from '../../components/not-a-loss.tsx';
import { formatExact } from '../../data/figures.ts';
import { useValue } from '../../data/observable.ts';
import { workspace } from '../../data/workspace.ts';
import { sessionAddress } from '../../shell/router.ts';

interface HeadProps {
  readonly answer: OutputAnswer;
  readonly wrap: boolean;
  readonly hasPanel: boolean;
  readonly onWrap: () => void;
  readonly onPanel: () => void;
  readonly onHandle: () => void;
  readonly onRaw: () => void;
  readonly onPreview: () => void;
}

export function Head({ answer, wrap, hasPanel, ...on }: HeadProps) {
  const { output, place, is_preview } = answer;
  const name = useValue(workspace)?.name;
  return (
    <>
      <div class="crumb">
        <ol class="only-l">
          <li>
            <a href="/sessions">{name}</a>
          </li>
          <li>
            <a href={sessionAddress(output.session, output.id)}>{output.session}</a>
          </li>
          <li>
            {is_preview ? 'a text of the preview' : `call ${place.number} of ${place.of}`} · {output.tool}
          </li>
        </ol>
        <span class="crumb-tools">
          <ToggleButton icon={WrapIcon} label="Wrap long lines" isOn={wrap} onClick={on.onWrap} />
          <ToggleButton icon={PanelIcon} label="Panel" isOn={hasPanel} onClick={on.onPanel} />
        </span>
      </div>
      <div class="title">
        <h1 title={output.summary}>{askedFor(output)}</h1>
        <Ended answer={answer} />
        <div class="acts">
          <button type="button" class="btn" onClick={on.onHandle}>
            <Icon of={CopyIcon} />
            Handle
          </button>
          <button type="button" class="btn" onClick={on.onRaw}>
            <Icon of={FetchedIcon} />
            Raw
          </button>
          <button type="button" class="btn pri" onClick={on.onPreview}>
            <Icon of={PreviewIcon} />
            <span class="only-l">Try other settings</span>
            <span class="only-s">Preview</span>
          </button>
        </div>
      </div>
    </>
  );
}

interface ToggleProps {
  readonly icon: Parameters<typeof Icon>[0]['of'];
  readonly label: string;
  readonly isOn: boolean;
  readonly onClick: () => void;
}

function ToggleButton({ icon, label, isOn, onClick }: ToggleProps) {
  return (
    <button
      type="button"
      class="ib toggle"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      onClick={onClick}
    >
      <Icon of={icon} />
    </button>
  );
}

function Ended({ answer: { output } }: { answer: OutputAnswer }) {
  const words = outcomeWords(output);
  return (
    <>
      <span class={output.failed ? 'pill error' : 'pill ok'}>
        <Icon of={output.failed ? FailedIcon : OkIcon} />
        {words[0]?.toUpperCase()}
        {words.slice(1)}
      </span>
      {output.made_again && (
        <span class="pill warning">
          <Icon of={AgainIcon} />
          Made again
        </span>
      )}
    </>
  );
}

interface NotesProps {
  readonly answer: OutputAnswer;
  readonly onJudged: () => void;
}

/** What a person must know before reading on. */
export function Notes({ answer: { output, loss }, onJudged }: NotesProps) {
  return (
    <>
      {loss?.why === 'failure_left_out' && (
        <p class="banner error">
          <Icon of={WarningIcon} />
          <span>
            The model may have missed a failure
            {loss.line !== null && (
              <>
                : <a href={`#L${loss.line}`}>line {loss.line}</a> was left out
              </>
            )}
            .
          </span>
          <NotALoss id={output.id} onJudged={onJudged} />
        </p>
      )}
      {loss?.why === 'made_again' && (
        <p class="banner">
          <Icon of={AgainIcon} />
          The model made the same call again, with the same result, instead of reading what was left out.
          <NotALoss id={output.id} onJudged={onJudged} />
        </p>
      )}
      {output.revoked_at !== null && (
        <p class="banner">
          <Icon of={WarningIcon} />
          Its handle was ended on {formatExact(output.revoked_at)}: models can no longer read it, you can.
        </p>
      )}
      {(!output.complete || output.source_truncated) && (
        <p class="banner">
          <Icon of={WarningIcon} />
          {output.source_truncated
            ? 'It was cut before it came here.'
            : 'It is not complete: its end was not recorded.'}
        </p>
      )}
    </>
  );
}
