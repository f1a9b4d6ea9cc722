/**
 * `spillway serve`: the gateway over Streamable HTTP, on this machine, and the inspector beside it.
 * Without an upstream it is the inspector alone.
 */

import { SpillwayError } from '@spillway/core';
import { findRoot } from '../find-workspace.ts';
import { type CommandDetails, type Given, type Program, usageError } from '../flags.ts';
import { connect } from '../gateway/connecting.ts';
import { Gateway } from '../gateway/gateway.ts';
import { HttpFace } from '../gateway/http-face.ts';
import { Guard, keptToken, OWNER, type Principal } from '../gateway/http-guard.ts';
import { newSecret } from '../inspector/access.ts';
import { Inspected } from '../inspector/inspected.ts';
import { listenOn } from '../inspector/running.ts';
import { InspectorServer } from '../inspector/server.ts';
import { portOf } from '../loopback.ts';
import { keepOldMemorySmall } from '../memory.ts';
import { readNamedFile } from '../named-file.ts';
import { print, tell } from '../output.ts';
import { spanOf } from './durations.ts';
import { GATEWAY_FLAGS, gatewayOptions, stopSignal, targetIn } from './mcp/flags.ts';

export const details: CommandDetails = {
  summary: 'Offer the gateway in front of an MCP server over HTTP, and the inspector, on this machine.',
  operands: { usage: '[-- COMMAND [ARGUMENTS]]', min: 0, max: Number.POSITIVE_INFINITY },
  flags: [
    { name: 'port', value: 'PORT', doc: 'Where to listen (default: 8808; 0: any that is free).' },
    {
      name: 'token-file',
      value: 'FILE',
      doc: 'Who may connect: a line a principal, NAME TOKEN. Default: SPILLWAY_TOKEN, or a token made up, kept and printed.',
    },
    {
      name: 'allow-host',
      value: 'NAME',
      many: true,
      doc: 'A name beside localhost under which it may be reached, for one that stands in front of it.',
    },
    {
      name: 'idle',
      value: 'SPAN',
      doc: 'End a session without a call in flight or an open stream after so long (default: 30m).',
    },
    {
      name: 'max-sessions',
      value: 'N',
      doc: 'Sessions a principal may have (default: 32). For a new one the longest unused one ends.',
    },
    ...GATEWAY_FLAGS,
  ],
  examples: [
    'spillway serve',
    'spillway serve -- npx -y @modelcontextprotocol/server-filesystem .',
    'SPILLWAY_TOKEN=… spillway serve --port 9000 --url https://example.com/mcp',
  ],
};

const DEFAULT_PORT = '8808';
const HOST = '127.0.0.1';
const LEAST_TOKEN_CHARS = 16;
const DEFAULT_IDLE = '30m';
const DEFAULT_SESSIONS = '32';

export async function run(given: Given, program: Program): Promise<void> {
  keepOldMemorySmall();
  const log = (line: string) => tell(`spillway: ${line}`);
  const port = portOf(given.value('port') ?? DEFAULT_PORT);
  if (port === null) throw usageError('--port takes a number up to 65535.', 'serve');
  if (!namesServer(given)) return inspectorAlone(given, program, port);
  const { target, name } = await targetIn(given, 'serve', log);
  const sessions = sessionsIn(given);
  const { principals, madeUp } = principalsIn(given);
  const options = gatewayOptions(given, name, log);
  const gateway = await Gateway.open(options);
  const inspector = await inspectorFor(given, program);
  const face = new HttpFace({
    gateway,
    beside: (request, response) => inspector.handle(request, response),
    guard: new Guard(principals, given.values('allow-host')),
    sessions,
    log,
    connect: (events, failed) => connect(target, { gateway, events, log, failed }),
  });
  const listening = await face.listen(port, HOST);
  inspector.port = listening;
  await print(`Listening on http://${HOST}:${listening}/mcp\n`);
  if (madeUp !== null) await print(`Token: ${madeUp}\n`);
  await print(snippet(options.server, `http://${HOST}:${listening}/mcp`, madeUp ?? tokenName(given)));
  await print(`Inspector: ${inspector.startUrl()}\n`);
  await stopSignal();
  await inspector.close();
  await face.close();
  await gateway.close();
}

function namesServer(given: Given): boolean {
  return given.operands.length > 0 || ['url', 'config'].some((flag) => given.value(flag) !== undefined);
}

async function inspectorAlone(given: Given, program: Program, port: number): Promise<void> {
  const inspector = await inspectorFor(given, program);
  try {
    await listenOn(inspector, port);
    await print(`Inspector: ${inspector.startUrl()}\n`);
    await stopSignal();
  } finally {
    await inspector.close();
  }
}

/** The inspector of this workspace, which stays as long as the gateway does. */
async function inspectorFor(given: Given, program: Program): Promise<InspectorServer> {
  const { env } = process;
  return new InspectorServer({
    inspected: await Inspected.open({ cwd: process.cwd(), env, version: program.version() }),
    names: given.values('allow-host'),
    announce: (url) => void print(`Inspector: ${url}\n`),
    command: 'spillway serve',
    ownerToken: newSecret(),
  });
}

function snippet(server: string, url: string, token: string): string {
  const entry = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  return `For a client:\n${JSON.stringify({ mcpServers: { [server]: entry } }, null, 2)}\n`;
}

/** A token that somebody chose is not printed. */
function tokenName(given: Given): string {
  return given.value('token-file') === undefined ? '${SPILLWAY_TOKEN}' : 'TOKEN';
}

function sessionsIn(given: Given): { readonly idleMs: number; readonly most: number } {
  const idleMs = spanOf(given.value('idle') ?? DEFAULT_IDLE);
  if (idleMs === undefined || idleMs === 0)
    throw usageError('--idle takes a span such as 30m or 2h.', 'serve');
  const most = Number(given.value('max-sessions') ?? DEFAULT_SESSIONS);
  if (!Number.isInteger(most) || most < 1)
    throw usageError('--max-sessions takes a number from 1 up.', 'serve');
  return { idleMs, most };
}

function principalsIn(given: Given): {
  readonly principals: readonly Principal[];
  readonly madeUp: string | null;
} {
  const file = given.value('token-file');
  if (file !== undefined) return { principals: readTokens(file), madeUp: null };
  const token = process.env.SPILLWAY_TOKEN;
  if (token !== undefined && token !== '')
    return { principals: [checked(OWNER, token, 'SPILLWAY_TOKEN')], madeUp: null };
  const madeUp = keptToken(findRoot(process.cwd(), process.env).root, process.env);
  return { principals: [{ name: OWNER, token: madeUp }], madeUp };
}

function readTokens(file: string): Principal[] {
  const lines = readNamedFile(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const principals = lines.map((line, at) => {
    const [name = '', token = '', ...more] = line.split(/\s+/);
    if (token === '' || more.length > 0 || !/^[\w.@-]{1,100}$/.test(name))
      throw new SpillwayError('invalid_argument', `Line ${at + 1} of the token file must be NAME TOKEN.`);
    return checked(name, token, `Line ${at + 1} of the token file`);
  });
  if (principals.length === 0) throw new SpillwayError('invalid_argument', 'The token file names nobody.');
  return principals;
}

function checked(name: string, token: string, where: string): Principal {
  if (token.length < LEAST_TOKEN_CHARS)
    throw new SpillwayError('invalid_argument', `${where}: a token has at least ${LEAST_TOKEN_CHARS} chars.`);
  return { name, token };
}
