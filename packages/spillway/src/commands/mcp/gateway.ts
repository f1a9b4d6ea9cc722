/**
 * `spillway mcp -- COMMAND …`: a gateway in front of one MCP server, on standard input and output.
 */

import type { CommandDetails, Given } from '../../flags.ts';
import { connect } from '../../gateway/connecting.ts';
import { Gateway } from '../../gateway/gateway.ts';
import { messagesIn } from '../../gateway/incoming.ts';
import { ServerProcess } from '../../gateway/server-process.ts';
import { LineWriter } from '../../gateway/stdio-port.ts';
import { REFUSED } from '../../gateway/wording.ts';
import { keepOldMemorySmall } from '../../memory.ts';
import { tell } from '../../output.ts';
import { GATEWAY_FLAGS, gatewayOptions, stopSignal, targetIn } from './flags.ts';

export const details: CommandDetails = {
  summary: 'Put Spillway in front of an MCP server: speaks MCP on standard input and output.',
  operands: { usage: '[-- COMMAND [ARGUMENTS]]', min: 0, max: Number.POSITIVE_INFINITY },
  flags: GATEWAY_FLAGS,
  examples: [
    'spillway mcp -- npx -y @modelcontextprotocol/server-filesystem .',
    'spillway mcp --name github --env GITHUB_TOKEN -- github-mcp-server stdio',
    'spillway mcp --url https://example.com/mcp --header "Authorization: Bearer …"',
    'spillway mcp --profile mcp --set max_tokens=4000 -- python server.py',
  ],
};

/** A client's messages are looked at up to this size; larger ones pass as they are. */
const CLIENT_HOLD_BYTES = 64 * 1024 * 1024;
/** How long a client that says no more may still be answered. */
const PATIENCE_MS = 2_000;

export async function run(given: Given): Promise<number> {
  const log = (line: string) => tell(`spillway: ${line}`);
  const { target, name } = await targetIn(given, 'mcp', log);
  const stopped = stopSignal();
  // Before anything else, so that the server starts while the gateway still loads.
  const started = target.kind === 'process' ? new ServerProcess(target) : undefined;
  keepOldMemorySmall();
  const gateway = await Promise.resolve()
    .then(() => Gateway.open(gatewayOptions(given, name, log)))
    .catch((error: unknown) => {
      // A server that was started for a gateway which cannot be opened ends at once.
      started?.kill('SIGKILL');
      throw error;
    });
  const relay = gateway.connect({ client: new LineWriter(process.stdout), isOnly: true });
  const ending = Promise.withResolvers<number>();
  const failed = (why: string) => {
    log(why);
    ending.resolve(1);
  };
  const upstream = await connect(target, {
    gateway,
    events: relay,
    log,
    failed,
    ...(started && { started }),
  });
  relay.attach(upstream);
  const stop = () => ending.resolve(0);
  stopped.then(async () => {
    await relay.refuseAll(REFUSED.shuttingDown);
    stop();
  });
  // A client that went away without a word: what it was sent last is still stored.
  process.stdout.on('error', stop);
  const reading = (async () => {
    const framing = { hold: CLIENT_HOLD_BYTES, by: 'line' } as const;
    for await (const message of messagesIn(process.stdin, framing)) await relay.fromClient(message);
    await relay.answered(PATIENCE_MS);
  })();
  reading.then(stop, stop);
  const code = await ending.promise;
  process.stdin.destroy();
  await upstream.close(stopped);
  await relay.close();
  await gateway.close();
  return code;
}
