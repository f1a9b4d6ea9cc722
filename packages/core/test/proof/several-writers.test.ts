// Several processes write to one session at the same time, and some are killed: one order for all,
// nothing acknowledged is lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { History, type MessageRecord } from '../../src/history/index.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeFile } from '../folders.ts';
import { openSpillway } from '../opening.ts';

interface WriterReport {
  readonly callId: string;
  readonly output: string;
  readonly hash: string;
}

const TURNS = 18;

/** Runs a writer; `killAfter` results it is killed. What it told before counts. */
async function write(file: string, writer: string, killAfter?: number): Promise<WriterReport[]> {
  const program = join(import.meta.dirname, 'writers-process.mjs');
  const job = JSON.stringify({ file, writer, turns: TURNS });
  const child: ChildProcess = spawn(process.execPath, [program, job], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reports: WriterReport[] = [];
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (child.stdout !== null)
    for await (const line of createInterface({ input: child.stdout })) {
      reports.push(JSON.parse(line));
      if (reports.length === killAfter) child.kill('SIGKILL');
    }
  const code = await ended;
  if (killAfter === undefined) expect(code).toBe(0);
  return reports;
}

it('several processes share a session: places without gap, every call with its own result, also where writers are killed', async () => {
  const file = await storeFile();
  const reports = (await Promise.all([write(file, 'a'), write(file, 'b'), write(file, 'killed', 7)])).flat();
  // The one that was killed begins anew: what it had said and recorded is the same, and is there
  // once.
  reports.push(...(await write(file, 'killed')));

  const store = sqliteStore({ file, durability: 'process' });
  const spillway = openSpillway({ store });
  const session = new History({ spillway, store }).session({ scope: 'w', session: 'one' });
  const messages: MessageRecord[] = [];
  for await (const message of session.messages()) messages.push(message);
  expect(messages.map(({ ordinal }) => ordinal)).toEqual(messages.map((_, i) => i + 1));
  expect(messages.length).toBe(3 * TURNS * 3);
  const parts = messages.flatMap((message) => message.parts);
  const outputs = new Map(
    parts.flatMap((part) => (part.type === 'result' ? [[part.callId, part.output]] : [])),
  );
  for (const { callId, output, hash } of reports) {
    expect(outputs.get(callId)).toBe(output);
    const found = await store.find({ scope: 'w', id: output as 'art_1_xxxx' });
    expect(found).toMatchObject({ parts: expect.arrayContaining([expect.objectContaining({ hash })]) });
  }
  expect(await session.report()).toMatchObject({
    calls: 3 * TURNS,
    results: 3 * TURNS,
    missing: 0,
    surplus: 0,
    orphans: 0,
  });
  const versions = (await store.summaries({ scope: 'w', session: 'one', limit: 1_000 })).items;
  expect(versions.map(({ version }) => version)).toEqual(versions.map((_, i) => versions.length - i));
  // What one had summarised, another goes on from.
  const covered = versions.map(({ covers }) => covers);
  expect(covered).toEqual(covered.toSorted((a, b) => b - a));
  const prepared = await session.prepare({ window: 100_000 });
  if (prepared.verdict === 'refused') throw new Error(prepared.reason);
  const text = JSON.stringify(prepared.messages);
  for (const { callId } of reports) expect(text).toContain(callId);
  await spillway.close();
});
