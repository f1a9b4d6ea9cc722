/** `spillway mcp -- COMMAND …`: a gateway in front of one MCP server, on standard input and output. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type CommandDetails, type Given, usageError } from '../../flags.ts';
import { upstreamEnvironment } from '../../gateway/environment.ts';
import { lines } from '../../gateway/framing.ts';
import { Gateway } from '../../gateway/gateway.ts';
import { LineWriter } from '../../gateway/stdio-port.ts';
import { StdioUpstream } from '../../gateway/upstream-stdio.ts';
import { tell } from '../../output.ts';
import { GATEWAY_FLAGS, gatewayOptions } from './flags.ts';

export const details: CommandDetails = {
  operands: { usage: '-- COMMAND [ARGUMENTS]', min: 0, max: Number.POSITIVE_INFINITY },
  flags: GATEWAY_FLAGS,
  examples: [
    'spillway mcp -- npx -y @modelcontextprotocol/server-filesystem .',
    'spillway mcp --name github --env GITHUB_TOKEN -- github-mcp-server stdio',
    'spillway mcp --profile mcp --set max_tokens=4000 -- python server.py',
  ],
};

/** A client's messages are looked at up to this size; larger ones pass as they are. */
const CLIENT_HOLD_BYTES = 64 * 1024 * 1024;

export async function run(given: Given): Promise<number> {
  const [command, ...args] = given.operands;
  if (command === undefined) throw usageError('Say which server: -- COMMAND [ARGUMENTS].', 'mcp');
  const env = upstreamEnvironment(given.values('env'), process.env);
  const log = (line: string) => tell(`spillway: ${line}`);
  const gateway = await Gateway.open(gatewayOptions(given, nameOf(command, args), log));
  const relay = gateway.connect({ client: new LineWriter(process.stdout), scope: gateway.workspaceScope });
  const ending = Promise.withResolvers<number>();
  const upstream = new StdioUpstream({
    command,
    args,
    env,
    cwd: process.cwd(),
    events: relay,
    log,
    failed(why) {
      log(why);
      ending.resolve(1);
    },
  });
  relay.attach(upstream);
  const stop = () => ending.resolve(0);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const reading = (async () => {
    for await (const message of lines(process.stdin, CLIENT_HOLD_BYTES)) await relay.fromClient(message);
  })();
  reading.then(stop, stop);
  const code = await ending.promise;
  process.stdin.destroy();
  await upstream.close();
  await relay.close();
  await gateway.close();
  return code;
}

/** A name for a server that was given none: what is run, and a mark that tells two servers with the same program apart. */
function nameOf(command: string, args: readonly string[]): string {
  const words = [command, ...args];
  const telling = words.find((word) => /(?:^|[/@-])(?:mcp|server)/i.test(word)) ?? command;
  const label = basename(telling)
    .replace(/@[\d.]+$|\.[cm]?[jt]s$|\.py$|\.exe$/, '')
    .replace(/[^\w.-]+/g, '-');
  return `${label}-${createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 8)}`;
}
