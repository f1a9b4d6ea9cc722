/** One output: what the model saw of it, and everything that it did not see. */
import { useRef, useState } from 'preact/hooks';
import type { OutputAnswer, PartRow, SessionAnswer } from '../../../../spillway/src/inspector/api.ts';
import { askedFor } from '../../components/call.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { downloadRaw, get } from '../../data/api-client.ts';
import { pluralize } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useResource } from '../../data/resource.ts';
import { usePage } from '../../shell/page.ts';
import { navigate, type Route, sessionAddress, setQuery } from '../../shell/router.ts';
import { copy, say } from '../../shell/toast.ts';
import { Thread } from '../sessions/thread.tsx';
import { useSessionWindow } from '../sessions/use-session-window.ts';
import { Facts } from './facts.tsx';
import { readBy } from './folding.ts';
import { GoToLine } from './go-to-line.tsx';
import { Head, Notes } from './head.tsx';
import { Log } from './log.tsx';
import { Media } from './media.tsx';
import { Panel } from './panel.tsx';
import { LOG_VIEWS, type LogView, readableParts, Toolbar } from './toolbar.tsx';
import { Tree } from './tree.tsx';
import { useFindings } from './use-findings.ts';
import { useLogState } from './use-log-state.ts';
import { useResultKeys } from './use-result-keys.ts';

export function ResultView({ route }: { route: Route }) {
  const id = route.id ?? '';
  const { data, error, reload } = useResource(`output ${id}`, (signal) =>
    get<OutputAnswer>(`/api/outputs/${encodeURIComponent(id)}`, {}, signal),
  );
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
  const { output, place, is_preview } = answer;
  const session = useResource(is_preview ? undefined : `session ${output.session}`, (signal) =>
    get<SessionAnswer>(`/api/sessions/${encodeURIComponent(output.session)}`, {}, signal),
  ).data;
  usePage({
    title: askedFor(output),
    phoneTitle: `${output.session} · call ${place.number} of ${place.of}`,
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
  // One after the other, the quick ones first: the server has one thread.
  const { data: findings, error } = useFindings(output.id, answer.parts, hasLines);
  const isReady = findings !== undefined || error !== undefined;
  const state = useLogState({ answer, part, route, findings, isReady });
  const view = LOG_VIEWS.find((name) => name === route.query.get('view')) ?? 'folded';
  const [wrap, setWrap] = useState(false);
  const [hasPanel, setPanel] = useState(() => matchMedia('(min-width: 1280px), (max-width: 819px)').matches);
  const [isGoing, setGoing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const actions = {
    onWrap: () => setWrap(!wrap),
    onPanel: () => setPanel(!hasPanel),
    onHandle: () => void copy(output.id, 'Handle'),
    onRaw: () => void downloadRaw(output.id, part?.index ?? null).catch((error: Error) => say(error.message)),
    onPreview: () => navigate(`/preview?o=${encodeURIComponent(output.id)}`),
    onView: (name: LogView) => setQuery({ view: name === 'folded' ? undefined : name }),
    onSearch: () => field.current?.select(),
    onGoTo: () => setGoing(true),
  };
  useResultKeys(state, actions, field);
  const isText = part !== undefined && part.kind !== 'binary';
  return (
    <div class={hasPanel ? 'result' : 'result no-panel'}>
      <nav class="side" aria-label="Session">
        {!answer.is_preview && <SideHead answer={answer} />}
        {!answer.is_preview && <Thread session={output.session} current={output.id} look="narrow" />}
      </nav>
      <div class="main">
        <div class="notes">
          <Notes answer={answer} onJudged={reload} />
        </div>
        <div class="head">
          <Head answer={answer} wrap={wrap} hasPanel={hasPanel} {...actions} />
          <Facts answer={answer} findings={findings} />
        </div>
        <Toolbar
          answer={answer}
          part={part}
          view={view}
          text={state.text}
          search={state.search}
          field={field}
          onView={actions.onView}
          onText={state.setText}
          onMatch={state.goToMatch}
          onLeave={() => state.scroller.current?.focus()}
        />
        {isText && view === 'tree' && part.has_tree ? (
          <Tree id={output.id} part={part.index} gaps={state.log.partView?.gaps} />
        ) : isText ? (
          <Log
            id={output.id}
            part={part}
            view={view}
            projection={answer.projection}
            wrap={wrap}
            scroller={state.scroller}
            onLines={() => setHasLines(true)}
            {...state.log}
          />
        ) : (
          part && <Media id={output.id} part={part} />
        )}
        <p class="sr" role="status">
          {state.said}
        </p>
      </div>
      {hasPanel && <Panel answer={answer} why={state.why} isReady={isReady} />}
      {isGoing && part && <GoToLine part={part} onGo={state.goToLine} onClose={() => setGoing(false)} />}
    </div>
  );
}

function SideHead({ answer: { output, place } }: { answer: OutputAnswer }) {
  return (
    <h2>
      <a href={sessionAddress(output.session, output.id)}>{output.session}</a>
      <span>{pluralize(place.of, 'call')}</span>
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
  const shown = readable.filter(({ is_shown, kind }) => is_shown && kind !== 'binary');
  const byCut = shown.toSorted((a, b) => cutOf(b) - cutOf(a) || b.lines - a.lines);
  return byCut[0] ?? readable[0];
}
