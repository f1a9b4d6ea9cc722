/** `spillway inspect`: the web inspector of this workspace, on this machine. */

import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs';
import { SpillwayError } from '@spillway/core';
import { pluralize } from '@spillway/core/plugin';
import { type CommandDetails, type Given, JSON_FLAG, type Program, usageError } from '../flags.ts';
import { newSecret } from '../inspector/access.ts';
import { Problem } from '../inspector/answer.ts';
import { Inspected } from '../inspector/inspected.ts';
import {
  askRunning,
  forgetRunning,
  hasBrowser,
  listenOn,
  noteRunning,
  openBrowser,
  readRunning,
  USUAL_PORT,
  writeRedirect,
} from '../inspector/running.ts';
import { InspectorServer } from '../inspector/server.ts';
import { sessionOf } from '../inspector/sessions-view.ts';
import { timelinePage } from '../inspector/timeline.ts';
import { portOf } from '../loopback.ts';
import { print, tell } from '../output.ts';
import { visibleLine } from '../visible.ts';
import { namedRecord, withStore } from './artifacts/reading.ts';
import { foundSession } from './sessions.ts';

export const details: CommandDetails = {
  summary: 'Show in a browser what models were given of each output, and what they were not.',
  operands: { usage: '[ID|last|SESSION]', min: 0, max: 1, completes: 'handles' },
  flags: [
    {
      name: 'port',
      value: 'PORT',
      doc: `Where to listen (default: ${USUAL_PORT}, or the next that is free; 0: any that is free).`,
    },
    {
      name: 'host',
      value: 'NAME',
      many: true,
      doc: 'A name under which a tunnel leads here, as the browser shows it: NAME or NAME:PORT.',
    },
    { name: 'no-open', doc: 'Do not open a browser.' },
    {
      name: 'export',
      value: 'FILE',
      doc: 'Write the timeline of SESSION, or of the last one, as one HTML file: numbers and names of tools.',
    },
    { name: 'content', doc: 'With --export: also what was said and shown, without known secrets.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway inspect',
    'spillway inspect last',
    'spillway inspect --port 0 --json',
    'spillway inspect run-42 --export timeline.html',
  ],
};

export async function run(given: Given, program: Program): Promise<void> {
  if (given.value('export') !== undefined) return exported(given, program);
  const text = given.value('port');
  const port = text === undefined ? undefined : portOf(text);
  if (port === null) throw usageError('--port takes a number up to 65535.', 'inspect');
  const open = await addressOf(given.operands[0]);
  const { env } = process;
  const inspected = await Inspected.open({ cwd: process.cwd(), env, version: program.version() });
  const { root } = inspected.workspace;
  const known = port === undefined ? readRunning(root, env) : null;
  const url = known === null ? null : await askRunning(known, open);
  if (known !== null && url !== null) {
    await inspected.close();
    await tellAddress(given, root, { url, port: known.port, pid: known.pid });
    tell(`spillway: This workspace's inspector already runs (process ${known.pid}).`);
    return;
  }
  return serve(given, inspected, port, open);
}

/** A file for its owner only; it can be attached to an issue. */
async function exported(given: Given, program: Program): Promise<void> {
  const [named = 'last'] = given.operands;
  const { env } = process;
  const inspected = await Inspected.open({ cwd: process.cwd(), env, version: program.version() });
  try {
    await inspected.catchUp();
    const { id } = await sessionOf(inspected, named === 'last' ? undefined : named);
    const { html, turns } = await timelinePage(inspected, id, given.has('content'));
    const file = given.value('export') ?? '';
    // A file that is there already is closed to others before it holds anything.
    const fd = openSync(file, 'w', 0o600);
    fchmodSync(fd, 0o600);
    writeFileSync(fd, html);
    closeSync(fd);
    await print(`Wrote ${file}: ${visibleLine(id)}, ${pluralize(turns, 'turn')}.\n`);
  } catch (error) {
    if (error instanceof Problem) throw new SpillwayError('not_found', error.message);
    throw error;
  } finally {
    await inspected.close();
  }
}

async function serve(
  given: Given,
  inspected: Inspected,
  asked: number | undefined,
  open: string | null,
): Promise<void> {
  const ownerToken = newSecret();
  const server = new InspectorServer({
    inspected,
    names: given.values('host'),
    announce: (url) => void print(`Inspector: ${url}\n`),
    command: 'spillway inspect',
    ownerToken,
  });
  const ended = new AbortController();
  process.once('SIGINT', () => ended.abort()).once('SIGTERM', () => ended.abort());
  try {
    const port = await listenOn(server, asked);
    const running = { port, pid: process.pid, token: ownerToken };
    const { root } = inspected.workspace;
    noteRunning(root, process.env, running);
    if (asked === undefined && port !== USUAL_PORT)
      tell(`spillway: Port ${USUAL_PORT} is in use, so this is port ${port}.`);
    await tellAddress(given, root, { url: server.startUrl(open), port, pid: process.pid });
    await server.idle(ended.signal);
    forgetRunning(root, process.env, running);
  } finally {
    await server.close();
  }
}

async function tellAddress(
  given: Given,
  root: string,
  address: { readonly url: string; readonly port: number; readonly pid: number },
): Promise<void> {
  if (given.has('json')) return print(`${JSON.stringify(address)}\n`);
  await print(`Inspector: ${address.url}\n`);
  if (given.has('no-open') || !hasBrowser(process.env)) return;
  const page = writeRedirect(root, process.env, address.url);
  if (page !== null) openBrowser(page);
}

/** The address of what was named: an output, by all that `artifacts show` takes, or a session. */
async function addressOf(name: string | undefined): Promise<string | null> {
  if (name === undefined) return null;
  let address = `/sessions/${encodeURIComponent(name)}`;
  await withStore(async (opened, store) => {
    const { scope } = opened.workspace;
    if (name !== 'last' && !name.startsWith('art_')) await foundSession(store, scope, name);
    else address = `/o/${(await namedRecord(name, opened, store)).id}`;
  });
  return address;
}
