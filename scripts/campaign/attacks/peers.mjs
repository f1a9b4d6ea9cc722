// An MCP server that answers with hostile and with broken results, behind the gateway, and a client
// that calls it with hostile arguments. Each call gets one answer that is valid JSON and bounded,
// and the gateway lives on.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { between } from '../content.mjs';
import { storeOf } from '../stores.mjs';
import { PROGRAM } from './program.mjs';
import { hostileText, mutatedJson } from './shapes.mjs';

const SERVER = fileURLToPath(
  new URL('../../../packages/spillway/test/gateway/raw-server.mjs', import.meta.url),
);
/** The default limit of a result's text, notice included. */
const LIMIT = 8_000;

export async function hostilePeers({ folder, smoke, store, random, check, tell }) {
  const rounds = smoke ? 12 : 1_500;
  const cwd = join(folder, `peers-${store}`);
  const { env } = await storeOf(store, cwd);
  mkdirSync(join(cwd, '.acode'), { recursive: true });
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--', process.execPath, SERVER], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = JSON.parse(line);
    waiting.get(id)?.(line);
  });
  const ended = new Promise((resolve) => child.once('exit', () => resolve('')));
  const request = (id, method, params) => {
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return Promise.race([answered, ended]);
  };
  const clientInfo = { name: 'attacks', version: '1' };
  await request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  let largest = 0;
  for (let round = 0; round < rounds; round++) {
    const id = round + 2;
    const text = hostileText(random, between(random, 100, 60_000)).toWellFormed();
    // Some results have very many blocks.
    const blocks = round % 20 === 7 ? Array.from(text, (char) => ({ type: 'text', text: char })) : null;
    const good = JSON.stringify({ content: blocks ?? [{ type: 'text', text }], isError: false });
    const result = between(random, 0, 1) === 0 ? good : mutatedJson(random, good);
    const lines = [`{"jsonrpc":"2.0","id":ID,"result":${result === '' ? 'null' : result}}`];
    const spans = { path: '/a', range: text, view_range: text, chars: `${text}-` };
    const answer = await request(id, 'tools/call', { name: 'say', arguments: { lines, ...spans } });
    check(answer !== '', `peer ${round}: the gateway ended`);
    if (answer === '') break;
    const shown = charsForModel(JSON.parse(answer));
    largest = Math.max(largest, shown);
    check(shown <= LIMIT, `peer ${round}: ${shown} chars of text`);
    if (round > 0 && round % 500 === 0) tell(`${round} hostile results`);
  }
  child.stdin.end();
  await ended;
  return {
    rounds,
    numbers: [
      `${rounds} hostile results behind the gateway, the largest text ${largest.toLocaleString('en')} chars`,
    ],
  };
}

/** What clients give to a model: the texts of blocks and structured content. */
function charsForModel({ result = null }) {
  const content = Array.isArray(result?.content) ? result.content : [result?.content];
  const texts = content.map((block) => (typeof block === 'string' ? block : block?.text));
  return [...texts, result?.structuredContent, typeof result === 'string' ? result : undefined]
    .filter((answer) => answer !== undefined)
    .reduce((sum, answer) => sum + (typeof answer === 'string' ? answer : JSON.stringify(answer)).length, 0);
}
