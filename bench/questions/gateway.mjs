// What does a gateway cost that stands between a client and its MCP server?
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { distinctResults } from '../inputs.mjs';
import { percentile } from '../repeat.mjs';
import { digits, times, whole } from '../report.mjs';
import { discard, scratchFolder } from '../scratch.mjs';

export const question =
  'What do tool calls take through the gateway, beside the same calls to the same server directly?';

export const notes = [
  'Client and server are processes that write lines by hand: what is measured is the pipe, the server and the gateway, no SDK.',
  'Calls take turns: one directly, one through the gateway. A result that passes is stored behind its answer, a cut one before it.',
  'The commit beside cut results: one text of that size stored and sealed in the same run, by the same kind of store.',
  'Python escapes all that is not ASCII: the lines of that result have two such characters each.',
  'Memory is the most that the process of the gateway ever held (VmHWM), its own thread for the store included.',
];

const program = fileURLToPath(new URL('../../packages/spillway/bin/spillway.js', import.meta.url));
const server = fileURLToPath(new URL('../../packages/spillway/test/gateway/raw-server.mjs', import.meta.url));
const memoryServer = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url),
);

export async function run({ smoke }) {
  const folder = scratchFolder();
  mkdirSync(join(folder, '.git'));
  const through = [program, 'mcp', '--name', 'bench', '--', process.execPath];
  const direct = new Line([server], folder);
  const gateway = new Line([...through, server], folder);
  for (const line of [direct, gateway]) await line.ask('initialize', { protocolVersion: '2025-11-25' });
  const rounds = smoke ? 20 : 500;
  const tables = [
    await starts(through, folder, smoke ? 2 : 20),
    await calls(direct, gateway, 500, rounds, []),
    await calls(direct, gateway, 20_000, rounds, await commits(folder, rounds)),
    await large(direct, gateway, smoke ? [4] : [8, 80], smoke ? 1 : 5),
    await together(direct, gateway, smoke ? 2 : 10),
    await memory(gateway, smoke ? 50 : 1_000, smoke ? 8 : 500),
  ];
  await direct.close();
  await gateway.close();
  discard(folder);
  return tables;
}

/** From the start of the process to the answer to `initialize`. */
async function starts(through, folder, rounds) {
  // What was compiled is kept from run to run where there is a cache folder, as users have one.
  mkdirSync(join(folder, '.cache'), { mode: 0o700 });
  const rows = [];
  for (const [name, file] of [
    ['a server without a library', server],
    ['@modelcontextprotocol/server-memory', memoryServer],
  ]) {
    const taken = { direct: [], gateway: [] };
    for (let i = -3; i < rounds; i++)
      for (const [way, args] of [
        ['direct', [file]],
        ['gateway', [...through, file]],
      ]) {
        const ms = await timed(() => introduced(args, folder));
        if (i >= 0) taken[way].push(ms);
      }
    const [plain, more] = [percentiles(taken.direct).p50, percentiles(taken.gateway).p50];
    rows.push({ name, plain, through: more, ratio: more / plain });
  }
  return {
    title: `from the start to the answer to initialize, median of ${whole(rounds)}`,
    columns: [
      ['', 'name'],
      ['ms directly', 'plain', whole],
      ['ms through the gateway', 'through', whole],
      ['time ÷ directly', 'ratio', times],
    ],
    rows,
  };
}

async function introduced(args, folder) {
  const line = new Line(args, folder);
  const clientInfo = { name: 'bench', version: '1' };
  await line.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  // Its end is not waited for: it is no part of the start.
  line.close();
}

async function calls(direct, gateway, chars, rounds, beside) {
  const taken = { direct: [], gateway: [] };
  for (let i = -20; i < rounds; i++)
    for (const [name, line] of [
      ['direct', direct],
      ['gateway', gateway],
    ]) {
      const ms = await timed(() => line.call('emit', { chars: chars + (i % 7) }));
      if (i >= 0) taken[name].push(ms);
    }
  const plain = percentiles(taken.direct);
  const rows = [
    { name: 'directly', ...plain, added: 0 },
    { name: 'through the gateway', ...withAdded(percentiles(taken.gateway), plain) },
    ...beside,
  ];
  return {
    title: `${whole(rounds)} calls, one after another, ${whole(chars)} chars each${chars > 8_000 ? ' (cut)' : ''}`,
    columns: [
      ['', 'name'],
      ['ms, p50', 'p50', digits],
      ['p95', 'p95', digits],
      ['p99', 'p99', digits],
      ['p50 more than directly', 'added', digits],
      ['p50 ÷ directly', 'ratio', times],
      ['p95 ÷ directly', 'ratioP95', times],
    ],
    rows,
  };
}

/** What one durable commit takes here, now. */
async function commits(folder, rounds) {
  const store = sqliteStore({ file: join(folder, 'beside.db'), thread: true });
  const spillway = new Spillway({ store });
  const taken = [];
  for (const text of distinctResults(rounds, 20_000, 7))
    taken.push(
      await timed(async () => {
        const call = { tool: 'emit', session: 'bench', scope: 'bench' };
        await spillway.sealed(await spillway.process(call, { kind: 'text', text }));
      }),
    );
  await spillway.close();
  return [{ name: 'one durable commit, without client and server', ...percentiles(taken) }];
}

async function large(direct, gateway, sizes, rounds) {
  const rows = [];
  for (const [mb, python] of sizes.flatMap((size) => [
    [size, false],
    [size, true],
  ])) {
    const taken = { direct: [], gateway: [] };
    for (let i = 0; i < rounds; i++)
      for (const [name, line] of [
        ['direct', direct],
        ['gateway', gateway],
      ])
        taken[name].push(await timed(() => line.call('stream', { mb, idLast: true, python })));
    const [plain, through] = [percentiles(taken.direct).p50, percentiles(taken.gateway).p50];
    rows.push({
      name: `${mb} MB${python ? ', written by Python' : ''}`,
      plain,
      through,
      ratio: through / plain,
    });
  }
  return {
    title: 'one large result, its id at the end',
    columns: [
      ['', 'name'],
      ['ms directly', 'plain', whole],
      ['ms through the gateway, stored and cut', 'through', whole],
      ['time ÷ directly', 'ratio', times],
    ],
    rows,
  };
}

async function together(direct, gateway, rounds) {
  const taken = { direct: [], gateway: [] };
  for (let i = 0; i < rounds; i++)
    for (const [name, line] of [
      ['direct', direct],
      ['gateway', gateway],
    ])
      taken[name].push(
        await timed(() =>
          Promise.all(
            Array.from({ length: 100 }, (_, n) => line.call('emit', { chars: 20_000 + n + i * 100 })),
          ),
        ),
      );
  const plain = percentiles(taken.direct).p50;
  const through = percentiles(taken.gateway).p50;
  return {
    title: '100 calls at the same time, 20,000 chars each (cut)',
    columns: [
      ['', 'name'],
      ['ms for all', 'ms', digits],
      ['time ÷ directly', 'ratio', times],
    ],
    rows: [
      { name: 'directly', ms: plain, ratio: 1 },
      { name: 'through the gateway', ms: through, ratio: through / plain },
    ],
  };
}

async function memory(gateway, count, mb) {
  const rows = [{ name: 'before', peak: gateway.peakMegabytes() }];
  for (let i = 0; i < count; i++) await gateway.call('emit', { chars: i % 2 === 0 ? 500 : 20_000 });
  rows.push({ name: `after ${whole(count)} more calls`, peak: gateway.peakMegabytes() });
  await gateway.call('stream', { mb });
  rows.push({ name: `after a result of ${mb} MB`, peak: gateway.peakMegabytes() });
  return {
    title: 'the most memory that the gateway held',
    columns: [
      ['', 'name'],
      ['MB', 'peak', whole],
    ],
    rows,
  };
}

/** A client that speaks line by line and reads nothing but the id of an answer. */
class Line {
  #child;
  #waiting = new Map();
  #last = 0;

  constructor(args, cwd) {
    this.#child = spawn(process.execPath, args, {
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: cwd },
    });
    let held = '';
    this.#child.stdout.on('data', (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        this.#arrived(held + bothEnds(chunk.subarray(from, at)));
        held = '';
        from = at + 1;
      }
      held += bothEnds(chunk.subarray(from));
      if (held.length > 4_000) held = held.slice(0, 1_000) + held.slice(-1_000);
    });
  }

  ask(method, params) {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  call(name, args) {
    return this.ask('tools/call', { name, arguments: args });
  }

  peakMegabytes() {
    const file = `/proc/${this.#child.pid}/status`;
    if (!existsSync(file)) return undefined;
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8'))[1]) / 1024;
  }

  close() {
    this.#child.stdin.end();
    return new Promise((resolve) => this.#child.once('exit', resolve));
  }

  #arrived(line) {
    const id = Number(/"id":(\d+)/.exec(line)?.[1]);
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}

/** Of a long line both ends are enough to find its id. */
function bothEnds(bytes) {
  if (bytes.length <= 1_000) return bytes.toString('latin1');
  return bytes.toString('latin1', 0, 500) + bytes.toString('latin1', bytes.length - 500);
}

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function percentiles(taken) {
  const sorted = [...taken].sort((a, b) => a - b);
  return { p50: percentile(sorted, 50), p95: percentile(sorted, 95), p99: percentile(sorted, 99) };
}

function withAdded(through, plain) {
  return {
    ...through,
    added: through.p50 - plain.p50,
    ratio: through.p50 / plain.p50,
    ratioP95: through.p95 / plain.p95,
  };
}
