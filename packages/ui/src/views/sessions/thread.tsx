/**
 * A session as a thread of what was said, called and returned. Pages of 200 entries; the page that
 * holds `call` comes first, else the last one. It follows the session while it goes on.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  ThreadAnswer,
  ThreadCall,
  ThreadEntry,
  ThreadMessage,
  ThreadSummary,
} from '../../../../spillway/src/inspector/api.ts';
import { askedFor, fetchedWords, Outcome, Reading, toolIcon } from '../../components/call.tsx';
import { Loading, Problem } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import {
  AssistantIcon,
  FetchedIcon,
  SettingsIcon,
  SummaryIcon,
  UserIcon,
  WarningIcon,
} from '../../components/icons.ts';
import { get } from '../../data/api-client.ts';
import { formatCount, formatTime } from '../../data/figures.ts';
import { useLiveEvents } from '../../data/live.ts';
import { useResource } from '../../data/resource.ts';
import { outputAddress } from '../../shell/router.ts';

const PAGE = 200;

interface ThreadProps {
  readonly session: string;
  /** The output or call that is marked and brought into view. */
  readonly current?: string | undefined;
  /** `narrow` is the column beside a result. */
  readonly look: 'full' | 'narrow';
}

export function Thread({ session, current, look }: ThreadProps) {
  const [from, setFrom] = useState<number | undefined>(undefined);
  const path = `/api/sessions/${encodeURIComponent(session)}/thread`;
  const query =
    from !== undefined
      ? { from, limit: PAGE }
      : current
        ? { call: current, limit: PAGE }
        : { from: -PAGE, limit: PAGE };
  const { data, error, reload } = useResource(`${path}${JSON.stringify(query)}`, (signal) =>
    get<ThreadAnswer>(path, query, signal),
  );
  useLiveEvents((items) => {
    if (items.some((item) => item.session === session)) reload();
  });
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [data?.from, current]);
  if (error) return <Problem error={error} retry={reload} />;
  if (!data) return <Loading what="Reading the thread" />;
  const last = data.from + data.entries.length;
  return (
    <>
      {data.from > 0 && (
        <PageButton
          words={`${formatCount(data.from)} earlier`}
          onGo={() => setFrom(Math.max(0, data.from - PAGE))}
        />
      )}
      <ol class={`thread ${look}`} ref={list}>
        {data.entries.map((entry) => (
          <Entry key={entry.index} entry={entry} current={current} />
        ))}
      </ol>
      {last < data.total && (
        <PageButton words={`${formatCount(data.total - last)} later`} onGo={() => setFrom(last)} />
      )}
    </>
  );
}

function PageButton({ words, onGo }: { words: string; onGo: () => void }) {
  return (
    <p class="thread-more">
      <button type="button" class="btn" onClick={onGo}>
        {words}
      </button>
    </p>
  );
}

function Entry({ entry, current }: { entry: ThreadEntry; current: string | undefined }) {
  if (entry.kind === 'message') return <Said entry={entry} />;
  if (entry.kind === 'summary') return <Summary entry={entry} />;
  const isCurrent = current !== undefined && (entry.output?.id === current || entry.call_id === current);
  return <Call entry={entry} isCurrent={isCurrent} />;
}

const SPEAKERS = {
  user: { icon: UserIcon, name: 'You' },
  assistant: { icon: AssistantIcon, name: 'Assistant' },
  system: { icon: SettingsIcon, name: 'System' },
  tool: { icon: SettingsIcon, name: 'Tool' },
};

function Said({ entry: { role, text, chars, media, at } }: { entry: ThreadMessage }) {
  const { icon, name } = SPEAKERS[role];
  return (
    <li class={`say ${role}`}>
      <span class="who" title={formatTime(at)}>
        <Icon of={icon} size="s" />
        {name}
      </span>
      <p>
        {text}
        {chars > text.length && <span class="dim"> … {formatCount(chars)} chars</span>}
        {media.length > 0 && <span class="dim"> {media.join(', ')}</span>}
      </p>
    </li>
  );
}

function Summary({ entry: { version, covers, text, chars } }: { entry: ThreadSummary }) {
  return (
    <li class="say summary">
      <span class="who">
        <Icon of={SummaryIcon} size="s" />
        Summary {version}
      </span>
      <p>
        Stands for everything up to message {formatCount(covers)}, in {formatCount(chars)} chars. {text}
      </p>
    </li>
  );
}

function Call({ entry, isCurrent }: { entry: ThreadCall; isCurrent: boolean }) {
  const { tool, input, output, fetched, state } = entry;
  const head = (
    <>
      <span class="call-h">
        <Icon of={toolIcon(tool)} />
        <span class="tool">{tool}</span>
        {output && <Outcome output={output} />}
      </span>
      <code>{input || (output && askedFor(output))}</code>
    </>
  );
  if (output === null)
    return (
      <li class="call">
        <div class="call-box">
          {head}
          <span class="reading warning">
            <Icon of={WarningIcon} size="s" />
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
          <span class="later fetched">
            <Icon of={FetchedIcon} size="s" />
            read later: {fetched.slice(0, 2).map(fetchedWords).join('; ')}
            {fetched.length > 2 && ` and ${fetched.length - 2} more`}
          </span>
        )}
      </a>
    </li>
  );
}
