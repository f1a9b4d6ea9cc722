/** The row above the log: view, parts, and the search through everything. */
import * as lucide from 'lucide';
import type { RefObject } from 'preact';
import type { OutputAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { IconButton, Segments } from '../../components/controls.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatBytes, formatCount, pluralize } from '../../data/figures.ts';
import { outputAddress } from '../../shell/router.ts';
import type { LogState } from './log-state.ts';
import type { Search } from './use-search.ts';

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
          {...(part.index === current?.index ? { 'aria-current': 'true' as const } : {})}
        >
          {part.name} <span>{sizeOf(part)}</span>
        </a>
      ))}
    </nav>
  );
}

function sizeOf({ bytes, kind, lines, role }: PartRow): string {
  if (bytes === 0) return 'empty';
  if (role === 'input') return '';
  return kind === 'binary' ? formatBytes(bytes) : formatCount(lines);
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
    : `${pluralize(total, 'match', 'matches')}, ${formatCount(leftOut ?? 0)} left out`;
}
