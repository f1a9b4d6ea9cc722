/**
 * The head of a result: where it belongs, what was called, how it ended, and what can be done with it;
 * then the row above the log with the view, the parts, and the search through everything.
 */
import * as lucide from 'lucide';
import type { RefObject } from 'preact';
import type { OutputAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { askedFor, NotALoss, Outcome } from '../../components/call.tsx';
import { Banner, Button, type Fact, Facts, Icon, IconButton, Segments } from '../../components/controls.tsx';
import type { Findings } from '../../components/log.tsx';
import { formatBytes, formatCount, formatExact, formatShare, pluralize } from '../../data/figures.ts';
import { useValue } from '../../data/observable.ts';
import { workspace } from '../../data/resource.ts';
import { outputAddress, sessionAddress } from '../../shell/router.ts';
import type { LogState, Search } from './log-state.ts';

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
        ...(findings?.length === 0
          ? []
          : [
              shownOf('Error lines shown', findings, 'errors'),
              shownOf('Warnings shown', findings, 'warnings'),
            ]),
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

function shownOf(name: string, of: readonly Findings[] | undefined, kind: 'errors' | 'warnings'): Fact {
  if (of === undefined) return { name, value: '…', tone: 'dim' };
  const total = of.reduce((sum, { [kind]: each }) => sum + each.total, 0);
  const shown = of.reduce((sum, { [kind]: each }) => sum + each.shown, 0);
  const tone = kind === 'warnings' || total === 0 ? '' : shown === total ? 'ok' : 'error';
  return { name, value: formatCount(shown), note: `of ${formatCount(total)}`, tone };
}

export const VIEWS = { folded: 'Folded', beside: 'Beside', whole: 'Whole', tree: 'Tree' };
export type View = keyof typeof VIEWS;

interface ToolbarProps {
  readonly answer: OutputAnswer;
  readonly part: PartRow | undefined;
  readonly view: View;
  readonly state: LogState;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly onView: (view: View) => void;
}

const { tree: _, ...FLAT } = VIEWS;

export function Toolbar({ answer, part, view, onView, state, field }: ToolbarProps) {
  return (
    <div class="tools line">
      <Segments label="View" value={view} options={part?.has_tree ? VIEWS : FLAT} onChange={onView} />
      <Parts answer={answer} current={part} />
      <Find state={state} field={field} />
    </div>
  );
}

/** Parts that a person may want to see; the order of interleaved pieces is bookkeeping. */
export function readableParts(parts: readonly PartRow[]): PartRow[] {
  const order = { content: 0, input: 1, envelope: 2, order: 3, decoded: 4 };
  return parts
    .filter(({ role }) => role !== 'order')
    .sort((a, b) => order[a.role] - order[b.role] || Number(b.bytes > 0) - Number(a.bytes > 0));
}

interface PartsProps {
  readonly answer: OutputAnswer;
  readonly current: PartRow | undefined;
}

function Parts({ answer: { output, parts }, current }: PartsProps) {
  return (
    <nav class="parts line" aria-label="Parts">
      {readableParts(parts).map((part) => (
        <a
          key={part.index}
          href={outputAddress(output.id, part.name) + location.search}
          aria-current={part.index === current?.index ? 'true' : undefined}
        >
          {part.name} <span>{sizeOf(part)}</span>
        </a>
      ))}
    </nav>
  );
}

function sizeOf({ bytes, kind, lines, role, by }: PartRow): string {
  if (bytes === 0) return 'empty';
  if (role === 'input') return '';
  return kind === 'binary' || by === 'chars' ? formatBytes(bytes) : formatCount(lines);
}

function Find({ state, field }: Pick<ToolbarProps, 'state' | 'field'>) {
  const { text, search, setText, goToMatch, log } = state;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') goToMatch(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') log.current?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <label class="sf field end">
        <Icon of={lucide.Search} />
        <input
          ref={field}
          type="search"
          value={text}
          placeholder="Search everything"
          aria-label="Search in the whole output; between slashes: a pattern"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <span class={search.problem ? 'hits clip error' : 'hits clip'} role="status" title={search.problem}>
        {text !== '' && said(search)}
      </span>
      <span class="nav2 line">
        <IconButton icon={lucide.ChevronUp} label="Previous match" onClick={() => goToMatch(-1)} />
        <IconButton icon={lucide.ChevronDown} label="Next match" onClick={() => goToMatch(1)} />
      </span>
    </>
  );
}

function said({ isSearching, problem, total, leftOut }: Search): string {
  if (problem) return problem;
  if (isSearching || total === undefined) return 'searching …';
  return total === 0
    ? 'no match'
    : `${pluralize(total, 'match', 'matches')}${leftOut === undefined ? '' : `, ${formatCount(leftOut)} left out`}`;
}
