/** What a view says when it has nothing to show, cannot show it, or is still loading it. */
import * as lucide from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../data/api-client.ts';
import { formatExact } from '../data/figures.ts';
import { useValue } from '../data/observable.ts';
import { workspace } from '../data/workspace.ts';
import { copy } from '../shell/toast.ts';
import { Button, IconButton } from './controls.tsx';
import { Icon, type IconNode } from './icon.tsx';

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
  const untrusted = useValue(workspace)?.untrusted_store;
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
