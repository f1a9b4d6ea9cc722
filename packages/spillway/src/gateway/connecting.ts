/** How an upstream is reached: a process, or a URL. */
import { SpillwayError } from '@spillway/core';
import type { Gateway } from './gateway.ts';
import type { Upstream, UpstreamEvents } from './ports.ts';
import type { ServerCommand, ServerProcess } from './server-process.ts';

export type Target =
  | (ServerCommand & { readonly kind: 'process' })
  | { readonly kind: 'url'; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

export interface Connecting {
  readonly gateway: Gateway;
  readonly events: UpstreamEvents;
  readonly log: (line: string) => void;
  readonly failed: (why: string) => void;
  readonly started?: ServerProcess;
}

export async function connect(
  target: Target,
  { gateway, events, log, failed, started }: Connecting,
): Promise<Upstream> {
  if (target.kind === 'process') {
    const { StdioUpstream } = await import('./upstream-stdio.ts');
    return new StdioUpstream({ ...target, events, log, failed, ...(started && { started }) });
  }
  const { HttpUpstream } = await import('./upstream-http.ts');
  return new HttpUpstream({ ...target, events, log, callHeaders: (message) => gateway.callHeaders(message) });
}

/** Errors do not repeat the URL, which may hold a secret. */
export function targetUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new SpillwayError('invalid_argument', 'A URL begins with http:// or https://.');
  return url;
}

/** `Name: value`, as in `--header`; `${NAME}` in a value stands for a variable. */
export function headersIn(given: readonly string[], own: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((header) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/.exec(header) ?? [];
      if (name === undefined || value === undefined)
        throw new SpillwayError('invalid_argument', '--header takes "Name: value".');
      return [
        name.toLowerCase(),
        value.trimStart().replace(/\$\{(\w+)\}/g, (_, named) => variableOf(named, own)),
      ];
    }),
  );
}

type Variables = Readonly<Record<string, string | undefined>>;

function variableOf(name: string, own: Variables): string {
  const value = own[name];
  if (value !== undefined) return value;
  throw new SpillwayError('invalid_argument', `The variable ${name.slice(0, 60)} is not set.`);
}
