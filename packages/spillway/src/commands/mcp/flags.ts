/** The flags that every face of the gateway takes. */

import { GET_ARTIFACT } from '@spillway/core';
import { callPolicy, PROFILE_FLAG, SET_FLAG } from '../../config/call-flags.ts';
import { type Flag, type Given, usageError } from '../../flags.ts';
import { isServerName } from '../../gateway/client-names.ts';
import type { GatewayOptions } from '../../gateway/gateway.ts';
import { portOf } from '../../loopback.ts';

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
