// A simulated agent of very many turns, killed and started again: no result is lost, no call is
// without its result, nothing that we rendered is in its history, its prompts keep their beginning,
// and its memory stays where it is.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { between } from './content.mjs';
import { start } from './processes.mjs';

const NAME = { scope: 'campaign', session: 'agent' };
const WINDOW = 24_000;

export async function agent({ folder, smoke, random, check, tell }) {
  const turns = smoke ? 120 : 10_000;
  const kills = smoke ? 3 : 25;
  const file = join(folder, 'agent.db');
  const job = { file, seed: between(random, 0, 2 ** 31), turns, window: WINDOW, memory: !smoke };
  const recorded = new Map();
  let done;
  let killed = 0;
  while (done === undefined) {
    const { child, ended, output } = start('agent', job, { nodeFlags: ['--expose-gc'] });
    if (killed < kills) {
      while (!output().includes('\n') && child.exitCode === null) await pause(10);
      await pause(between(random, 0, smoke ? 400 : 12_000));
      child.kill('SIGKILL');
      killed++;
    }
    const { stdout, stderr, code, signal } = await ended;
    for (const line of linesOf(stdout)) {
      if (line.done) done = line;
      else recorded.set(line.callId, line);
    }
    check(
      code === 0 || signal === 'SIGKILL',
      `the agent ended with ${signal ?? code}: ${stderr.slice(-300)}`,
    );
    if (code !== 0 && signal !== 'SIGKILL') break;
    tell?.(`${recorded.size} results, ${killed} kills`);
  }
  if (done === undefined) return { rounds: turns, numbers: [] };
  const facts = await verify(file, recorded, done, check);
  const { stability } = done;
  const { turns: sent, kept, compactions, late } = stability;
  check(
    kept + compactions + late === sent,
    `${sent - kept - compactions - late} prompts changed for no reason`,
  );
  const flat = flatness(done.heaps);
  if (flat !== null)
    check(flat < 1.5, `memory grew by ${flat.toFixed(2)} between the first and the last tenth`);
  return {
    rounds: turns,
    numbers: [
      `${facts.messages.toLocaleString('en')} messages, ${recorded.size.toLocaleString('en')} results (${(facts.bytes / 1e6).toFixed(0)} MB compared), ${killed} kills, ${facts.recovered} results recorded but not yet said`,
      `last run: ${(100 * (stability.common / Math.max(1, stability.sent))).toFixed(1)} % of the prompts byte for byte as before, ${stability.kept} of ${stability.turns} kept all, ${stability.compactions} compactions`,
      ...(flat === null ? [] : [`heap at the end ÷ heap at the start: ${flat.toFixed(2)}`]),
    ],
  };
}

/** Everything that was told is there, whole; everything that is there fits together. */
async function verify(file, recorded, { report, counters }, check) {
  const store = sqliteStore({ file });
  const spillway = new Spillway({ store });
  const session = new History({ spillway, store, invariants: 'throw' }).session(NAME);
  let [bytes, messages, recovered] = [0, 0, 0];
  for (const { callId, output, hash } of recorded.values()) {
    const found = await store.find({ scope: NAME.scope, id: output });
    check(found !== undefined && !('purgedAt' in found), `the result of ${callId} is lost`);
    if (found === undefined || 'purgedAt' in found) continue;
    const digest = createHash('sha256');
    for await (const content of spillway.contents(found))
      for await (const piece of content.bytes) {
        digest.update(piece);
        bytes += piece.length;
      }
    check(digest.digest('hex') === hash, `the result of ${callId} is not what the tool said`);
  }
  const calls = new Set();
  const results = new Set();
  for await (const { parts, ordinal } of session.messages()) {
    messages++;
    check(ordinal === messages, `message ${messages} has the ordinal ${ordinal}`);
    for (const part of parts) {
      if (part.type === 'call') calls.add(part.callId);
      if (part.type === 'result') results.add(part.callId);
    }
  }
  for (const callId of calls) if (!results.has(callId)) recovered++;
  for (const callId of results) check(calls.has(callId), `a result without its call: ${callId}`);
  check(report.missing === 0 && report.orphans === 0, `missing ${report.missing}, orphans ${report.orphans}`);
  check(
    counters.rendered_writes === 0,
    `${counters.rendered_writes} canonical writes came out of our renderer`,
  );
  await spillway.close();
  return { bytes, messages, recovered };
}

function linesOf(stdout) {
  // The last line may be cut off by the kill.
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The heap in the last tenth of a run by that in the first, the very beginning left out. */
function flatness(heaps) {
  if (heaps.length < 10) return null;
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  return mean(heaps.slice(-2)) / mean(heaps.slice(1, 3));
}
