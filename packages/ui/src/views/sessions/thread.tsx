/** A session as a thread of what was said, called and returned, however long it is. */
import * as lucide from 'lucide';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type {
  ThreadCall,
  ThreadEntry,
  ThreadMessage,
  ThreadSummary,
} from '../../../../spillway/src/inspector/api.ts';
import { Asked, askedFor, fetchedWords, Outcome, Reading, toolIcon } from '../../components/call.tsx';
import { Button, LinkButton } from '../../components/controls.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { type ApiError, type Got, get, type Query } from '../../data/api-client.ts';
import { formatCount, formatTime } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { outputAddress } from '../../shell/router.ts';
import { attempt } from '../../shell/toast.ts';

type ThreadAnswer = Got<'/api/sessions/:id/thread'>;

/**
 * The entries of a thread, loaded as they come into view: first the page that holds `call`, else the
 * last one, then whatever lies before and behind it. With a text, only the entries that hold it. It
 * follows the session while that goes on.
 */
const PAGE = 200;
const PAUSE_MS = 120;

interface LoadedThread {
  readonly answer: ThreadAnswer | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
  readonly earlier: () => void;
  readonly later: () => void;
}

function useThread(session: string, call: string | undefined, text: string): LoadedThread {
  const [answer, setAnswer] = useState<ThreadAnswer | undefined>(undefined);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const request = useRef<AbortController | undefined>(undefined);
  const load = useCallback(
    (query: Readonly<Record<string, string | number>>, join: (page: ThreadAnswer) => void) => {
      request.current?.abort();
      const abort = new AbortController();
      request.current = abort;
      get('/api/sessions/:id/thread', { limit: PAGE, ...query, id: session }, abort.signal).then(
        (page) => {
          if (abort.signal.aborted) return;
          request.current = undefined;
          setError(undefined);
          join(page);
        },
        (problem: ApiError) => abort.signal.aborted || setError(problem),
      );
    },
    [session],
  );
  const begin = () => load(text ? { q: text } : call ? { call } : { from: -PAGE }, setAnswer);
  useEffect(() => {
    const timer = setTimeout(begin, text ? PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [session, call, text]);
  useEffect(() => () => request.current?.abort(), []);
  /** Reads some entries in the place of those that are there. */
  const read = (from: number, limit: number) =>
    load({ from, limit }, (page) =>
      setAnswer((known) => {
        const end = from + page.entries.length;
        const before = known?.entries.filter(({ index }) => index < from) ?? [];
        const after = known?.entries.filter(({ index }) => index >= end) ?? [];
        const current = known?.current ?? -1;
        const first = Math.min(from, known?.from ?? from);
        return { ...page, current, from: first, entries: [...before, ...page.entries, ...after] };
      }),
    );
  const isIdle = request.current === undefined && text === '';
  const end = answer ? answer.from + answer.entries.length : 0;
  const earlier = () => {
    const from = Math.max(0, (answer?.from ?? 0) - PAGE);
    if (isIdle && answer && answer.from > 0) read(from, answer.from - from);
  };
  const later = () => {
    if (isIdle && answer) read(end, PAGE);
  };
  /** What is shown at the end may have changed: the last page is read again, with what is new. */
  const follow = () => {
    if (!answer || text !== '') begin();
    else if (end >= answer.total) read(Math.max(answer.from, end - PAGE), 2 * PAGE);
  };
  useLiveEvents((items) => items.some((item) => item.session === session) && follow());
  return { answer, error, reload: begin, earlier, later };
}

interface ThreadProps {
  readonly session: string;
  /** The output or call that is marked and brought into view. */
  readonly current?: string | undefined;
  /** `narrow` is the column beside a result. */
  readonly look: 'full' | 'narrow';
  /** Only entries that hold this text. */
  readonly text?: string;
}

export function Thread({ session, current, look, text = '' }: ThreadProps) {
  const { answer, error, reload, earlier, later } = useThread(session, current, text);
  const list = useRef<HTMLOListElement>(null);
  const isThere = answer !== undefined;
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [isThere, answer?.current]);
  if (error) return <Problem error={error} retry={reload} />;
  if (!answer) return <Loading what="Loading the session" />;
  const { from, total, entries } = answer;
  const rest = total - from - entries.length;
  return (
    <>
      {text !== '' && (
        <p class="hint thread-note found" role="status">
          {foundWords(total)}
          {rest > 0 && ` The first ${formatCount(entries.length)} are listed.`}
        </p>
      )}
      {text === '' && from > 0 && <More words={`${formatCount(from)} earlier`} onNear={earlier} />}
      <ol class={`thread ${look}`} ref={list}>
        {entries.map((entry) => (
          <Entry
            key={entry.index}
            entry={entry}
            session={session}
            isCurrent={entry.index === answer.current}
          />
        ))}
      </ol>
      {text === '' && rest > 0 && <More words={`${formatCount(rest)} later`} onNear={later} />}
    </>
  );
}

function foundWords(total: number): string {
  if (total === 0) return 'Nothing in this session contains it.';
  return total === 1 ? '1 entry contains it.' : `${formatCount(total)} entries contain it.`;
}

/** Loads what follows when it comes near the screen, or when it is clicked. */
function More({ words, onNear }: { words: string; onNear: () => void }) {
  const element = useRef<HTMLParagraphElement>(null);
  const latest = useRef(onNear);
  latest.current = onNear;
  useEffect(() => {
    if (!element.current) return;
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && latest.current(), {
      rootMargin: '600px',
    });
    seen.observe(element.current);
    return () => seen.disconnect();
  }, [words]);
  return (
    <p class="thread-more" ref={element}>
      <Button onClick={onNear}>{words}</Button>
    </p>
  );
}

interface EntryProps {
  readonly entry: ThreadEntry;
  readonly session: string;
  readonly isCurrent: boolean;
}

function Entry({ entry, session, isCurrent }: EntryProps) {
  if (entry.kind === 'call') return <Call entry={entry} session={session} isCurrent={isCurrent} />;
  return <Said entry={entry} session={session} isCurrent={isCurrent} />;
}

const SPEAKERS = {
  user: { icon: lucide.User, name: 'You' },
  assistant: { icon: lucide.Bot, name: 'Assistant' },
  system: { icon: lucide.Settings2, name: 'System' },
  tool: { icon: lucide.Settings2, name: 'Tool' },
};

interface SaidProps extends Omit<EntryProps, 'entry'> {
  readonly entry: ThreadMessage | ThreadSummary;
}

interface ClippedProps {
  readonly text: string;
  /** Of the whole text. */
  readonly chars: number;
  readonly of: Query<'/api/sessions/:id/message'>;
}

/** A text that may be the beginning of a longer one: a button brings the rest. */
function Clipped({ text, chars, of }: ClippedProps) {
  const [whole, setWhole] = useState('');
  const load = () => attempt(async () => setWhole((await get('/api/sessions/:id/message', of)).text));
  if (whole !== '' || chars <= text.length) return <>{whole || text}</>;
  return (
    <>
      {text} … <LinkButton onClick={load}>Show all {formatCount(chars)} chars</LinkButton>
    </>
  );
}

/** What somebody said, or a summary of it. */
function Said({ entry, session, isCurrent }: SaidProps) {
  const { text, chars, at } = entry;
  const [of, look, { icon, name }] =
    entry.kind === 'message'
      ? [{ place: entry.place }, entry.role, SPEAKERS[entry.role]]
      : [
          { summary: entry.version },
          'summary',
          { icon: lucide.ScrollText, name: `Summary ${entry.version}` },
        ];
  return (
    <li
      class={isCurrent ? `say on ${look}` : `say ${look}`}
      {...(isCurrent ? { 'aria-current': 'true' as const } : {})}
    >
      <span class="line dim small" title={formatTime(at)}>
        <Icon of={icon} size="s" />
        {name}
      </span>
      <p>
        {entry.kind === 'summary' &&
          `Replaces the first ${formatCount(entry.covers)} messages by ${formatCount(chars)} chars. `}
        <Clipped text={text} chars={chars} of={{ ...of, id: session }} />
        {entry.kind === 'message' && entry.media.length > 0 && (
          <span class="dim"> {entry.media.join(', ')}</span>
        )}
      </p>
    </li>
  );
}

function Call({ entry, session, isCurrent }: Omit<EntryProps, 'entry'> & { entry: ThreadCall }) {
  const { tool, input, output, fetched, state, place, call_id: call } = entry;
  const head = (
    <>
      <b class="line">
        <Icon of={toolIcon(tool)} />
        <span class="tool">{tool}</span>
        <span class="end">{output && <Outcome output={output} />}</span>
      </b>
      {output && <Asked text={input || askedFor(output)} />}
    </>
  );
  if (output === null)
    return (
      <li class="call">
        <div class="call-box">
          {head}
          <code class="asked">
            <Clipped text={input} chars={entry.input_chars} of={{ id: session, place, call }} />
          </code>
          <span class="reading line warning">
            <Icon of={lucide.TriangleAlert} size="s" />
            {state === 'purged' ? 'its result was purged' : 'no result was recorded'}
          </span>
        </div>
      </li>
    );
  return (
    <li class={isCurrent ? 'call on' : 'call'}>
      <a
        class="call-box"
        href={outputAddress(output.id)}
        {...(isCurrent ? { 'aria-current': 'page' as const } : {})}
      >
        {head}
        <Reading output={output} />
        {fetched.length > 0 && (
          <span class="later line fetched">
            <Icon of={lucide.Download} size="s" />
            read later: {fetched.slice(0, 2).map(fetchedWords).join('; ')}
            {fetched.length > 2 && ` and ${fetched.length - 2} more`}
          </span>
        )}
      </a>
    </li>
  );
}
