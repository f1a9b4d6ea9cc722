/** One output: what the model saw of it, and everything that it did not see. */
import * as lucide from 'lucide';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OutputAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { askedFor } from '../../components/call.tsx';
import { Button, Dialog, Icon, LinkButton } from '../../components/controls.tsx';
import { Empty, Loading, Problem } from '../../components/empty.tsx';
import { useFindings } from '../../components/log.tsx';
import { address, downloadRaw, type Got, request } from '../../data/api-client.ts';
import { formatBytes, formatCount, pluralize } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useGet } from '../../data/resource.ts';
import { readBy, rowOfChar, type ShownView } from '../../log/rows.ts';
import { useKeys } from '../../shell/keys.ts';
import { attempt, copy, usePage } from '../../shell/page.ts';
import { navigate, type Route, sessionAddress, setQuery } from '../../shell/router.ts';
import { useSessionWindow } from '../sessions/sessions.tsx';
import { Thread } from '../sessions/thread.tsx';
import {
  type Actions,
  Head,
  Notes,
  placeWords,
  ResultFacts,
  readableParts,
  Toolbar,
  VIEWS,
  type View,
} from './head.tsx';
import { ResultLog } from './log.tsx';
import { type LogState, useLogState } from './log-state.ts';
import { Panel } from './panel.tsx';

type TreeNode = Got<'/api/outputs/:id/tree'>['children'][number];

/** JSON or XML as a tree: a level is asked for when it is opened; each value says whether it was shown. */
interface TreeProps {
  readonly id: string;
  readonly part: number;
  /** What was left out; undefined where no model was shown it. */
  readonly gaps: ShownView['gaps'] | undefined;
}

function Tree(props: TreeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
    <section class="tree scroll" aria-label="The part as a tree" tabIndex={0}>
      <Children {...props} />
    </section>
  );
}

function Children({
  id,
  part,
  gaps,
  at,
  after = 0,
}: TreeProps & { at?: number | undefined; after?: number }) {
  const { data, error } = useGet('/api/outputs/:id/tree', { id, part, at, after });
  const [isMore, setMore] = useState(false);
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const count = after + data.children.length;
  return (
    <>
      {data.children.length > 0 && (
        <ul>
          {data.children.map((node) => (
            <Node key={node.first_char} node={node} id={id} part={part} gaps={gaps} />
          ))}
        </ul>
      )}
      {data.children.length === 0 && after === 0 && <p class="hint">Empty.</p>}
      {data.more && !isMore && (
        <LinkButton onClick={() => setMore(true)}>Show more after the first {formatCount(count)}</LinkButton>
      )}
      {isMore && <Children id={id} part={part} gaps={gaps} after={count} at={at} />}
    </>
  );
}

const STATES = { kept: 'shown', some: 'partly shown', out: 'left out', plain: '' };

function Node({ node, ...props }: TreeProps & { node: TreeNode }) {
  const [isOpen, setOpen] = useState(false);
  const { key, has_children, text, first_char, last_char } = node;
  const state = stateOf(node, props.gaps);
  const size = last_char - first_char + 1;
  const words = (
    <>
      <span class="tree-key">{key}</span>
      <code class="clip">
        {text}
        {size > text.length && '…'}
      </code>
      {size > text.length && <span class="dim num">{pluralize(size, 'char')}</span>}
      {state !== 'kept' && state !== 'plain' && <span class="chip">{STATES[state]}</span>}
    </>
  );
  return (
    <li class={`tree-node ${state}`}>
      {has_children ? (
        <button type="button" class="tree-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon of={lucide.ChevronRight} />
          {words}
        </button>
      ) : (
        <div class="tree-row">{words}</div>
      )}
      {isOpen && <Children {...props} at={first_char} />}
    </li>
  );
}

function stateOf({ first_char, last_char }: TreeNode, gaps: TreeProps['gaps']): keyof typeof STATES {
  if (!gaps) return 'plain';
  const hidden = gaps.reduce(
    (sum, gap) =>
      sum + Math.max(0, Math.min(gap.last_char, last_char) - Math.max(gap.first_char, first_char) + 1),
    0,
  );
  if (hidden === 0) return 'kept';
  return hidden > last_char - first_char ? 'out' : 'some';
}

/** Raster images only: an SVG could bring its own fonts and styles. */
const SHOWN = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
/** A content block of MCP, which may hold an image: the answer tells. */
const BLOCK = 'application/json';

interface Image {
  readonly url: string;
  readonly type: string;
}

function Media({ id, part }: { id: string; part: PartRow }) {
  const image = useImage(id, part);
  if (image)
    return (
      <div class="media scroll">
        <img src={image.url} alt={`Part ${part.name}, ${image.type}, ${formatBytes(part.bytes)}`} />
      </div>
    );
  return (
    <Empty title={`${part.media_type ?? 'Binary data'}, ${formatBytes(part.bytes)}`} icon={lucide.Image}>
      <pre class="hex">{hexRows(part.first_bytes)}</pre>
      <Button onClick={() => attempt(() => downloadRaw(id, part.index))}>Download</Button>
    </Empty>
  );
}

/** Sixteen bytes a row: where they stand, in hex, and as chars where they are printable ASCII. */
function hexRows(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  const charOf = (byte: string) =>
    /^[2-6]|^7[^f]/.test(byte) ? String.fromCharCode(Number(`0x${byte}`)) : '.';
  const rows = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, at) => {
    const row = bytes.slice(at * 16, at * 16 + 16);
    const place = (at * 16).toString(16).padStart(4, '0');
    return `${place}  ${row.join(' ').padEnd(47)}  ${row.map(charOf).join('')}`;
  });
  return rows.join('\n');
}

/** The image of a part as an address of this page; undefined if it is none. */
function useImage(id: string, { index, media_type: told }: PartRow): Image | undefined {
  const [image, setImage] = useState<Image | undefined>(undefined);
  useEffect(() => {
    if (told !== BLOCK && !SHOWN.test(told ?? '')) return;
    const abort = new AbortController();
    let made: string | undefined;
    const show = async () => {
      const url = address('/api/outputs/:id/media', { id, part: index });
      const response = await request(url, { signal: abort.signal });
      const type = response.headers.get('x-media-type') ?? '';
      const bytes = await response.arrayBuffer();
      if (!SHOWN.test(type) || abort.signal.aborted) return;
      made = URL.createObjectURL(new Blob([bytes], { type }));
      setImage({ url: made, type });
    };
    show().catch(() => setImage(undefined));
    return () => {
      abort.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [id, index, told]);
  return image;
}

export function ResultView({ route }: { route: Route }) {
  const id = route.id ?? '';
  const { data, error, reload } = useGet('/api/outputs/:id', { id });
  useLiveEvents(
    (items) =>
      items.some(({ output, type }) => output === id || type === 'revoked' || type === 'session_ended') &&
      reload(),
  );
  if (error) return <Refused error={error} retry={reload} />;
  if (!data) return <Loading what="Opening the output" />;
  return <Result key={id} answer={data} route={route} reload={reload} />;
}

function Refused(props: Parameters<typeof Problem>[0]) {
  usePage({ title: 'Output', back: '/outputs' });
  return <Problem {...props} />;
}

interface ResultProps {
  readonly answer: OutputAnswer;
  readonly route: Route;
  readonly reload: () => void;
}

function Result({ answer, route, reload }: ResultProps) {
  const { output, is_preview } = answer;
  const session = useGet('/api/sessions/:id', is_preview ? undefined : { id: output.session }).data;
  usePage({
    title: askedFor(output),
    phoneTitle: `${output.session} · ${placeWords(answer)}`,
    back: is_preview ? '/preview' : sessionAddress(output.session, output.id),
    session: is_preview ? undefined : output.session,
    window: useSessionWindow(session),
  });
  const found = partOf(answer, route.part);
  const part = found && readBy(found, route.query.get('by'));
  return (
    <PartOfResult
      key={`${part?.index} ${part?.by}`}
      answer={answer}
      part={part}
      route={route}
      reload={reload}
    />
  );
}

interface PartProps extends ResultProps {
  readonly part: PartRow | undefined;
}

function PartOfResult({ answer, part, route, reload }: PartProps) {
  const { output } = answer;
  const [hasLines, setHasLines] = useState(part === undefined || part.kind === 'binary' || part.lines === 0);
  const asked = route.query.get('view') ?? '';
  const view = asked in VIEWS ? (asked as View) : 'folded';
  // One after the other, the quick ones first: the server has one thread.
  const { data: findings, error } = useFindings(output.id, answer.parts, hasLines || view === 'tree');
  const isReady = findings !== undefined || error !== undefined;
  const state = useLogState({ answer, part, route, findings, isReady });
  const [wrap, setWrap] = useState(false);
  const [hasPanel, setPanel] = useState(() => matchMedia('(min-width: 1280px), (max-width: 819px)').matches);
  const [isGoing, setGoing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const actions = {
    onWrap: () => setWrap(!wrap),
    onPanel: () => setPanel(!hasPanel),
    onHandle: () => void copy(output.id, 'Handle'),
    onRaw: () => void attempt(() => downloadRaw(output.id, part?.index ?? null)),
    onPreview: () => navigate(`/preview?o=${encodeURIComponent(output.id)}`),
    onView: (name: View) => setQuery({ view: name === 'folded' ? undefined : name }),
    onGoTo: () => setGoing(true),
  };
  useResultKeys(state, actions, field);
  const isText = part !== undefined && part.kind !== 'binary';
  return (
    <div class={hasPanel ? 'result' : 'result no-panel'}>
      <nav class="side scroll small" aria-label="Session">
        {!answer.is_preview && <SideHead answer={answer} />}
        {!answer.is_preview && <Thread session={output.session} current={output.id} look="narrow" />}
      </nav>
      <div class="main">
        <div class="notes">
          <Notes answer={answer} onJudged={reload} />
        </div>
        <div class="head">
          <Head answer={answer} wrap={wrap} hasPanel={hasPanel} on={actions} />
          <ResultFacts answer={answer} findings={findings} />
        </div>
        <Toolbar
          answer={answer}
          part={part}
          view={view}
          state={state}
          field={field}
          onView={actions.onView}
        />
        {isText && view === 'tree' && part.has_tree ? (
          <Tree id={output.id} part={part.index} gaps={state.facts.view?.gaps} />
        ) : isText ? (
          <ResultLog
            id={output.id}
            part={part}
            view={view}
            projection={answer.projection}
            wrap={wrap}
            state={state}
            onLines={() => setHasLines(true)}
          />
        ) : (
          part && <Media id={output.id} part={part} />
        )}
        <p class="sr" role="status">
          {state.said}
        </p>
      </div>
      {hasPanel && <Panel answer={answer} state={state} />}
      {isGoing && part && (
        <GoToLine
          part={part}
          onGo={(line) => state.log.current?.goTo(line)}
          onClose={() => setGoing(false)}
        />
      )}
    </div>
  );
}

function SideHead({ answer: { output, place } }: { answer: OutputAnswer }) {
  return (
    <h2 class="between">
      <a class="clip" href={sessionAddress(output.session, output.id)}>
        {output.session}
      </a>
      <span class="dim">{pluralize(place.of, 'call')}</span>
    </h2>
  );
}

/** The part that the address names; else the one a model was shown most lines of, or that has most. */
function partOf({ parts, projection }: OutputAnswer, name: string | undefined): PartRow | undefined {
  const readable = readableParts(parts);
  const named = readable.find((part) => part.name === name || String(part.index) === name);
  if (named) return named;
  const cutOf = (part: PartRow) =>
    projection?.views.find((view) => view.part === part.index)?.gaps.length ?? 0;
  const shown = readable.filter(({ is_shown, bytes }) => is_shown && bytes > 0);
  const texts = shown.filter(({ kind }) => kind !== 'binary');
  const byCut = texts.toSorted((a, b) => cutOf(b) - cutOf(a) || b.lines - a.lines);
  return byCut[0] ?? shown[0] ?? readable[0];
}

/** Asks for a line and goes there. */
interface GoToLineProps {
  readonly part: PartRow;
  readonly onGo: (line: number) => void;
  readonly onClose: () => void;
}

function GoToLine({ part: { by, lines, chars }, onGo, onClose }: GoToLineProps) {
  const [word, most] = by === 'chars' ? (['char', chars] as const) : (['line', lines] as const);
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const line = Number(new FormData(event.currentTarget).get('line'));
    onClose();
    const row = by === 'chars' ? rowOfChar(line) : Math.floor(line);
    if (row >= 1) onGo(Math.min(lines, row));
  };
  return (
    <Dialog
      title={`Go to a ${word}`}
      onClose={onClose}
      foot={
        <button type="submit" form="go-to" class="btn pri">
          Go
        </button>
      }
    >
      <form id="go-to" onSubmit={submit}>
        <label class="row">
          {word === 'char' ? 'Char' : 'Line'}, 1 to {formatCount(most)}
          <input class="input" name="line" type="number" min={1} max={most} required />
        </label>
      </form>
    </Dialog>
  );
}

/** The keys of a result, and Ctrl+F: once for our search, again for the browser's. */
interface ResultActions extends Actions {
  readonly onView: (view: View) => void;
  readonly onGoTo: () => void;
}

function useResultKeys(state: LogState, on: ResultActions, field: RefObject<HTMLInputElement | null>): void {
  const { log } = state;
  useKeys({
    search: () => field.current?.select(),
    'row.next': () => log.current?.move(1),
    'row.previous': () => log.current?.move(-1),
    'row.open': () => log.current?.toggle(),
    'match.next': () => state.goToMatch(1),
    'match.previous': () => state.goToMatch(-1),
    'error.next': () => state.goToError(1),
    'error.previous': () => state.goToError(-1),
    'gap.next': () => log.current?.goToGap(1),
    'gap.previous': () => log.current?.goToGap(-1),
    'gap.all': () => log.current?.toggleAll(),
    'line.go': on.onGoTo,
    'view.folded': () => on.onView('folded'),
    'view.beside': () => on.onView('beside'),
    'view.whole': () => on.onView('whole'),
    wrap: on.onWrap,
    panel: on.onPanel,
    'copy.handle': on.onHandle,
    'copy.link': () => {
      const { origin, pathname, search } = location;
      const { cursor } = state;
      const { picked } = state.facts;
      const isPicked =
        picked !== undefined && picked.last > picked.first && cursor >= picked.first && cursor <= picked.last;
      const lines = isPicked ? `${picked.first}-${picked.last}` : String(cursor);
      void copy(`${origin}${pathname}${search}#L${lines}`, `Link to ${isPicked ? 'lines' : 'line'} ${lines}`);
    },
    raw: on.onRaw,
    preview: on.onPreview,
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isFind =
        event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!isFind || !log.current?.hasFocus) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [log, field]);
}
