/** The flags that every face of the gateway takes. */

import { createHash } from 'node:crypto';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { GET_ARTIFACT } from '@spillway/core';
import { callPolicy, PROFILE_FLAG, SET_FLAG } from '../../config/call-flags.ts';
import { type Flag, type Given, usageError } from '../../flags.ts';
import {
  headersIn,
  inheritedEnvironment,
  namedEnvironment,
  readServers,
  type Target,
  targetUrl,
} from '../../gateway/connecting.ts';
import type { GatewayOptions } from '../../gateway/gateway.ts';
import { isServerName } from '../../gateway/tool-directory.ts';
import { LOG } from '../../gateway/wording.ts';
import { portOf } from '../../loopback.ts';
import { readNamedFile } from '../../named-file.ts';

export const GATEWAY_FLAGS: readonly Flag[] = [
  { name: 'name', value: 'NAME', doc: 'How the server is called; handles belong to workspace and name.' },
  {
    name: 'tool-name',
    value: 'NAME',
    doc: 'What the tool that fetches more is called (default: get_artifact), for clients with several gateways.',
  },
  {
    name: 'env',
    value: 'NAME[=VALUE]',
    many: true,
    doc: 'Give the server only this variable, with a value or with the one it has here, and what any program needs (default: all).',
  },
  { name: 'url', value: 'URL', doc: 'A server over Streamable HTTP, instead of a command.' },
  {
    name: 'header',
    value: '"NAME: VALUE"',
    many: true,
    doc: 'Sent with every request to --url, such as an authorization; ${NAME} stands for a variable.',
  },
  {
    name: 'config',
    value: 'FILE',
    doc: 'Several servers as one: a file with "mcpServers", as clients have it.',
  },
  {
    name: 'timeout',
    value: 'SECONDS',
    doc: 'Give up a request after so long without a sign of life (default: 3600; 0: never).',
  },
  {
    name: 'structured',
    value: 'omit|bounded',
    doc: 'What becomes of structured content that was cut: left out (default), or a smaller form that fits its schema.',
  },
  {
    name: 'uncut',
    doc: 'Store results and pass them on whole, for clients whose programs read them (Codex in code mode).',
  },
  { name: 'allow-unbounded', doc: 'Allow strategy none.' },
  {
    name: 'metrics-port',
    value: 'PORT',
    doc: 'Serve metrics for Prometheus there, at /metrics (default: SPILLWAY_METRICS_PORT, or nowhere).',
  },
  { name: 'strict', doc: 'Fail a call whose result cannot be stored.' },
  PROFILE_FLAG,
  SET_FLAG,
];

export function gatewayOptions(
  given: Given,
  fallbackName: () => string,
  log: (line: string) => void,
): GatewayOptions {
  const structured = given.value('structured') ?? 'omit';
  if (structured !== 'omit' && structured !== 'bounded')
    throw usageError('--structured is omit or bounded.', 'mcp');
  const seconds = Number(given.value('timeout') ?? 3_600);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw usageError('--timeout takes seconds, from 0 up.', 'mcp');
  const server = given.value('name') ?? fallbackName();
  if (!isServerName(server))
    throw usageError('--name takes up to 100 letters, digits, blanks, ".", "_" and "-".', 'mcp');
  const toolName = given.value('tool-name') ?? GET_ARTIFACT.name;
  if (!/^[A-Za-z][\w-]{0,63}$/.test(toolName))
    throw usageError('--tool-name takes up to 64 letters, digits, "_" and "-".', 'mcp');
  const uncut = given.has('uncut');
  return {
    server,
    isNamed: given.value('name') !== undefined,
    toolName,
    settings: { ...callPolicy(given, 'mcp'), ...(uncut ? { strategy: 'none' } : {}) },
    structured: uncut ? 'keep' : structured,
    allowUnbounded: uncut || given.has('allow-unbounded'),
    strict: given.has('strict'),
    ...portIn(given),
    timeoutMs: Math.round(seconds * 1_000),
    log,
  };
}

function portIn(given: Given): { readonly metricsPort?: number } {
  const text = given.value('metrics-port');
  if (text === undefined) return {};
  const port = portOf(text);
  if (port !== null) return { metricsPort: port };
  throw usageError('--metrics-port takes a number up to 65535.', 'mcp');
}

// Which server a gateway stands in front of, as the command line says it.

export async function targetIn(
  given: Given,
  command: string,
  log: (line: string) => void,
): Promise<{ readonly target: Target; readonly name: () => string }> {
  const [program, ...args] = given.operands;
  const url = given.value('url');
  const config = given.value('config');
  if ([program, url, config].filter((way) => way !== undefined).length !== 1)
    throw usageError('Say which server: -- COMMAND [ARGUMENTS], --url URL, or --config FILE.', command);
  if (config !== undefined) {
    const inherited = await inheritedEnvironment(process.env);
    const around = { own: process.env, inherited, cwd: process.cwd() };
    const { servers, skipped } = readServers(readNamedFile(config), around);
    for (const { name, why } of skipped) log(LOG.skipped(name, why));
    return {
      target: { kind: 'merged', servers },
      name: () => nameOf(['merged', ...servers.map(({ name }) => name)]),
    };
  }
  if (url !== undefined) {
    const target = {
      kind: 'url' as const,
      url: targetUrl(url),
      headers: headersIn(given.values('header'), process.env),
    };
    return { target, name: () => nameOf([target.url.origin, target.url.pathname]) };
  }
  if (program === undefined) throw usageError('Say which server.', command);
  const named = given.values('env');
  const env =
    named.length === 0 ? await inheritedEnvironment(process.env) : namedEnvironment(named, process.env);
  return {
    target: { kind: 'process', command: program, args, env, cwd: process.cwd() },
    name: () => nameOf([program, ...args]),
  };
}

/**
 * A name for a server that was given none: what is run, and a mark that tells two servers with the
 * same program apart.
 */
function nameOf(words: readonly string[]): string {
  const named = words.find((word) => /(?:^|[/@-])(?:mcp|server)/i.test(word)) ?? words[0] ?? '';
  const label = basename(named)
    .replace(/@[\d.]+$|\.[cm]?[jt]s$|\.py$|\.exe$/, '')
    .replace(/[^\w.-]+/g, '-');
  return `${label}-${createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 8)}`;
}

/** The signals that end a program which serves: the first asks it to end, the second ends it at once. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const arrived = (signal: NodeJS.Signals) => {
      if (asked) process.exit(128 + constants.signals[signal]);
      asked = true;
      resolve(signal);
    };
    process.on('SIGINT', arrived).on('SIGTERM', arrived);
  });
}
