/**
 * What a view says when it has nothing to show, cannot show it, is still loading it, or works it out.
 * Work that takes seconds for a large output is asked for by a click, tells how far it is, and is
 * stopped on demand; what is small is done at once.
 */
import * as lucide from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Progress } from '../../../spillway/src/inspector/api.ts';
import type { ApiError } from '../data/api-client.ts';
import { formatExact, formatShare } from '../data/figures.ts';
import { useValue } from '../data/observable.ts';
import { useResource, workspace } from '../data/resource.ts';
import { copy } from '../shell/page.ts';
import { Button, Icon, IconButton, type IconNode } from './controls.tsx';

interface EmptyProps {
  readonly title: string;
  readonly icon?: IconNode;
  /** It is all that the page shows. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
}

export function Empty({ title, icon = lucide.Inbox, isPage = false, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon of={icon} />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

/** A command line with a button that copies it. */
function Command({ line }: { line: string }) {
  return (
    <span class="command">
      <code>{line}</code>
      <IconButton icon={lucide.Copy} size="" label={`Copy: ${line}`} onClick={() => copy(line, 'Command')} />
    </span>
  );
}

export function NothingStored() {
  const { untrusted_store: untrusted, notices = [] } = useValue(workspace) ?? {};
  if (untrusted)
    return (
      <Empty isPage title="The store of this workspace is not used" icon={lucide.TriangleAlert}>
        <p>
          <code>{untrusted}</code> was made by somebody else, or by an earlier version. If you trust it:
        </p>
        <Command line="spillway store trust" />
      </Empty>
    );
  return (
    <Empty isPage title="Nothing is stored in this workspace yet">
      {notices.map((notice) => (
        <p key={notice} class="warning">
          {notice}
        </p>
      ))}
      <p>Run a command through Spillway:</p>
      <Command line="spillway exec -- npm test" />
      <p>Or let your coding agent use it:</p>
      <Command line="spillway hook install" />
      <p>Or put Spillway in front of an MCP server:</p>
      <Command line="spillway mcp -- npx -y @modelcontextprotocol/server-filesystem ." />
    </Empty>
  );
}

/** Why a request was refused; a purged output is told with its date. */
export function Problem({ error, retry }: { error: ApiError; retry?: () => void }) {
  if (error.code === 'gone')
    return (
      <Empty isPage title="This output was purged">
        <p>
          Its content was removed{error.purgedAt === undefined ? '' : ` on ${formatExact(error.purgedAt)}`}.
        </p>
      </Empty>
    );
  return (
    <Empty
      isPage
      title={error.code === 'not_found' ? 'Not found' : 'That did not work'}
      icon={lucide.TriangleAlert}
    >
      <p>{error.message}</p>
      {error.code === 'not_found' && (
        <a class="btn" href="/outputs">
          All outputs
        </a>
      )}
      {retry && error.code !== 'not_found' && <Button onClick={retry}>Try again</Button>}
    </Empty>
  );
}

/** Says nothing for the first moments: most answers are there before anybody would read it. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 250);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="empty" role="status">
      {isSlow && (
        <>
          <Icon of={lucide.LoaderCircle} size="busy" />
          <p>{what} …</p>
        </>
      )}
    </div>
  );
}

/** Beyond this, looking at an output again takes seconds. */
export const AT_ONCE_BYTES = 8_000_000;

export interface Work<L> {
  /** All lines of the answer but the progress, once it is complete. */
  readonly data: readonly Exclude<L, Progress>[] | undefined;
  readonly problem: string | undefined;
  /** A share, while it is worked out. */
  readonly progress: number | undefined;
  readonly isAsked: boolean;
  readonly ask: () => void;
  readonly stop: () => void;
}

/** Reads an answer line by line when `key` changes; with `undefined` it reads nothing. */
export function useWork<L extends { readonly type: string }>(
  key: string | undefined,
  isSmall: boolean,
  read: (signal: AbortSignal, onLine: (line: L) => void) => Promise<void>,
): Work<L> {
  const [choice, setChoice] = useState<{ key: string | undefined; isAsked: boolean } | undefined>(undefined);
  const [progress, setProgress] = useState(0);
  // A choice that came before the key holds for the first one.
  const isAsked = choice && (choice.key ?? key) === key ? choice.isAsked : isSmall;
  const { data, error, isLoading } = useResource(isAsked ? key : undefined, async (signal) => {
    const lines: Exclude<L, Progress>[] = [];
    setProgress(0);
    await read(signal, (line) => {
      if (isProgress(line)) setProgress(line.done / Math.max(1, line.of));
      else lines.push(line as Exclude<L, Progress>);
    });
    return lines;
  });
  return {
    data,
    problem: error?.message,
    progress: isLoading ? progress : undefined,
    isAsked,
    ask: () => setChoice({ key, isAsked: true }),
    stop: () => setChoice({ key, isAsked: false }),
  };
}

function isProgress(line: { readonly type: string }): line is Progress {
  return line.type === 'progress';
}

/** What is wrong with it, the question whether to begin, or how far it is. */
export function WorkState({ work }: { work: Work<unknown> }) {
  if (work.problem) return <p class="hint">{work.problem}</p>;
  if (!work.isAsked)
    return (
      <p class="hint">
        <Button onClick={work.ask}>Calculate</Button> The output is large, so this takes a few seconds.
      </p>
    );
  return work.progress === undefined ? null : <Working progress={work.progress} onStop={work.stop} />;
}

export function Working({ progress, onStop }: { progress: number; onStop: () => void }) {
  return (
    <span class="line small">
      <progress value={progress} aria-label="Calculating" /> {formatShare(progress, 1)}
      <Button onClick={onStop}>Stop</Button>
    </span>
  );
}
