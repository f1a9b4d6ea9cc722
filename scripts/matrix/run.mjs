// Runs the matrix: each server with each client, directly and through the gateway on three ways:
// `mcp` over pipes, `serve` over HTTP, and `mcp --url` in front of the server behind mcp-proxy,
// which offers it over HTTP.
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { watchOver } from '../campaign/processes.mjs';
import * as sdk from './clients/sdk-v1.mjs';
import { clients } from './clients.mjs';
import { differences, look, lookThrough } from './compare.mjs';
import { writeFiles } from './files.mjs';
import { installed, programOf } from './packages.mjs';
import { servers } from './servers.mjs';

const PROXY = { package: 'mcp-proxy', version: '6.7.19' };
const TOKEN = 'a-token-for-the-matrix-only';
/** What takes longer hangs. */
const PATIENCE_MS = 120_000;
export const WAYS = ['mcp', 'serve', 'mcp --url'];

/**
 * `only` names the servers and clients to run, `program` is the file of Spillway's. A cell is reported
 * as soon as it is done: `{ server, client, way, failures }`. `isDone(server, client)` leaves cells out.
 */
export async function runMatrix({ program, only = {}, isDone = () => false, report }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-matrix-')));
  const chosen = (names, name) => names === undefined || names.some((part) => name.includes(part));
  const present = [];
  const absent = [];
  for (const client of clients.filter(({ name }) => chosen(only.clients, name)))
    await client.load().then(
      (loaded) => present.push({ ...loaded, name: client.name }),
      (error) => absent.push({ name: client.name, why: error.message.split('\n')[0] }),
    );
  writeFiles(folder);
  const tried = servers(folder).filter((server) => chosen(only.servers, server.package));
  for (const server of tried) {
    const missing = present.filter(({ name }) => !isDone(server.package, name));
    if (missing.length > 0) await runServer({ server, folder, program, clients: missing, report });
  }
  for (const client of present) client.end?.();
  rmSync(folder, { recursive: true, force: true });
  return { servers: tried, clients: present, absent };
}

async function runServer({ server, folder, program, clients: present, report }) {
  const targets = await targetsOf(server, folder, program);
  try {
    const session = await sdk.connect(targets.direct.pipes);
    const reference = server.large === undefined ? null : await session.call(...server.large);
    await session.close();
    for (const client of present) await runClient({ server, client, targets, reference, report });
  } finally {
    for (const child of targets.children) child.kill('SIGTERM');
  }
}

async function runClient({ server, client, targets, reference, report }) {
  const direct = {};
  for (const kind of ['pipes', 'http'])
    direct[kind] = await attempt(client, targets.direct[kind], (session) => look(session, server));
  for (const way of WAYS) {
    const plain = direct[way === 'mcp --url' ? 'http' : 'pipes'];
    const cell = { server: server.package, client: client.name, way, failures: [] };
    // What the client cannot do without the gateway is no failure of the gateway.
    if (plain.error !== undefined) report({ ...cell, unable: plain.error });
    else {
      const through = await attempt(client, targets[way], (session) => lookThrough(session, server));
      const failures = through.error
        ? [through.error]
        : differences(plain, through, { reference, mask: server.mask });
      report({ ...cell, failures });
    }
  }
}

async function attempt(client, target, work) {
  let session;
  const late = pause(PATIENCE_MS, null, { ref: false }).then(() => {
    throw new Error(`no answer within ${PATIENCE_MS / 1_000} s`);
  });
  try {
    session = await Promise.race([client.connect(target), late]);
    return await Promise.race([work(session), late]);
  } catch (error) {
    return { error: error.message.slice(0, 300) };
  } finally {
    await Promise.race([session?.close(), pause(5_000, null, { ref: false })]).catch(() => undefined);
  }
}

async function targetsOf({ package: name, version, args = [], env = {} }, folder, program) {
  const home = join(folder, 'home');
  const run = {
    env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC', ...env },
    cwd: folder,
  };
  const command = [process.execPath, programOf(installed(name, version)), ...args];
  const children = [];
  const serve = await start([program, 'serve', '--port', '0', '--', ...command], {
    ...run,
    env: { ...run.env, SPILLWAY_TOKEN: TOKEN },
  });
  children.push(serve.child);
  const port = await freePort();
  const proxy = programOf(installed(PROXY.package, PROXY.version));
  const proxied = await start(
    [proxy, '--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--', ...command],
    run,
    port,
  );
  children.push(proxied.child);
  const url = `http://127.0.0.1:${port}/mcp`;
  const stdio = (argv) => ({ stdio: { command: process.execPath, args: argv, ...run } });
  return {
    children,
    direct: { pipes: stdio(command.slice(1)), http: { http: { url, headers: {} } } },
    mcp: stdio([program, 'mcp', '--', ...command]),
    serve: { http: { url: serve.url, headers: { authorization: `Bearer ${TOKEN}` } } },
    'mcp --url': stdio([program, 'mcp', '--url', url]),
  };
}

/** Starts a program that listens, and waits until it does: it says where, or its port answers. */
async function start(args, options, port) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  watchOver(child);
  let printed = '';
  child.stdout.on('data', (data) => {
    printed += data;
  });
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const url = /http:\/\/\S+\/mcp/.exec(printed)?.[0];
    if (port === undefined ? url !== undefined : await answers(port)) return { child, url };
    if (child.exitCode !== null) break;
    await pause(50);
  }
  throw new Error(`${args.slice(0, 2).join(' ')} does not listen`);
}

async function answers(port) {
  try {
    await (await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'GET' })).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
