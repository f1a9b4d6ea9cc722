/** How an upstream is reached: a process, or a URL. */
import { SpillwayError } from '@spillway/core';
import type { Gateway } from './gateway.ts';
import type { Upstream, UpstreamEvents } from './ports.ts';
import type { ServerCommand, ServerProcess } from './server-process.ts';

export type Target = SingleTarget | { readonly kind: 'merged'; readonly servers: readonly NamedTarget[] };

export interface NamedTarget {
  readonly name: string;
  readonly target: SingleTarget;
}

type SingleTarget =
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
  if (target.kind === 'merged') {
    const { MergedUpstream } = await import('./merged.ts');
    const servers = target.servers.map(({ name, target: one }) => ({
      name,
      connect: (own: UpstreamEvents, lost: (why: string) => void) =>
        connect(one, { gateway, events: own, log: (line) => log(`${name}: ${line}`), failed: lost }),
    }));
    return MergedUpstream.open({ servers, events, log, failed });
  }
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
      return [name.toLowerCase(), withVariables(value.trimStart(), own)];
    }),
  );
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Linear: goes from one closing brace to the next. */
export function withVariables(value: string, own: Variables): string {
  const pieces = value.split('}');
  const last = pieces.pop() ?? '';
  const texts = pieces.map((piece) => {
    const opened = VARIABLE.exec(piece);
    if (opened === null) return `${piece}}`;
    const [, name = '', fallback] = opened;
    const found = own[name] ?? fallback;
    if (found === undefined)
      throw new SpillwayError('invalid_argument', `The variable ${name.slice(0, 60)} is not set.`);
    return piece.slice(0, opened.index) + found;
  });
  return texts.join('') + last;
}

const VARIABLE = /\$\{(\w+)(?::-(.*))?$/s;
