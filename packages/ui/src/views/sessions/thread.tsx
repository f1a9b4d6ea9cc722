/** A session as a thread of what was said, called and returned, however long it is. */
import * as lucide from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  ThreadCall,
  ThreadEntry,
  ThreadMessage,
  ThreadSummary,
} from '../../../../spillway/src/inspector/api.ts';
import { Asked, askedFor, fetchedWords, Outcome, Reading, toolIcon } from '../../components/call.tsx';
import { Button, Icon, LinkButton } from '../../components/controls.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { get, type Query } from '../../data/api-client.ts';
import { formatCount, formatTime } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useDelayed, useGet } from '../../data/resource.ts';
import { attempt } from '../../shell/page.ts';
import { outputAddress } from '../../shell/router.ts';

const PAGE = 200;
/** More than a session has. */
const MOST = 100_000;
const PAUSE_MS = 120;

/** The entries that are shown, beside those that the thread begins with. */
interface Span {
  readonly call: string | undefined;
  readonly from?: number;
  readonly to?: number;
}

/**
 * Some entries of a thread: first the page that holds `call`, else the last one; then whatever lies
 * before and behind it as it comes into view. With a text, only the entries that hold it. It follows
 * the session while that goes on.
 */
function useThread(session: string, call: string | undefined, text: string) {
  const q = useDelayed(text, text === '' ? 0 : PAUSE_MS);
  const [wanted, setSpan] = useState<Span>({ call });
  const span: Span = wanted.call === call && q === '' ? wanted : { call };
  const from = span.from ?? (call || q ? undefined : -PAGE);
  const limit = span.to === undefined ? (span.from === undefined ? PAGE : MOST) : span.to - (from ?? 0);
  const query = { id: session, q, call: q ? undefined : call, from, limit };
  const { data, error, isLoading, reload } = useGet('/api/sessions/:id/thread', query, { keeps: true });
  const end = data ? data.from + data.entries.length : 0;
  useLiveEvents((items) => {
    if (!data || !items.some((item) => item.session === session)) return;
    if (q === '' && end >= data.total) setSpan({ call, from: data.from });
    reload();
  });
  return {
    data,
    error,
    reload,
    // Twice as many each time: a long session is gone through in a few steps.
    earlier: () => isLoading || !data || setSpan({ call, from: Math.max(0, 2 * data.from - end), to: end }),
    later: () => isLoading || !data || setSpan({ call, from: data.from, to: end + PAGE }),
  };
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
  const { data: answer, error, reload, earlier, later } = useThread(session, current, text);
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
    <li class={isCurrent ? `say on ${look}` : `say ${look}`} aria-current={isCurrent ? 'true' : undefined}>
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
  const ranges = [...new Set(fetched.map(fetchedWords))];
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
      <a class="call-box" href={outputAddress(output.id)} aria-current={isCurrent ? 'page' : undefined}>
        {head}
        <Reading output={output} />
        {fetched.length > 0 && (
          <span class="later line fetched">
            <Icon of={lucide.Download} size="s" />
            read later: {ranges.slice(0, 2).join('; ')}
            {ranges.length > 2 && ` and ${ranges.length - 2} more`}
          </span>
        )}
      </a>
    </li>
  );
}
