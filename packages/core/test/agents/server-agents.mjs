// A server with many sessions at once, on one SQLite file: each has a scope of its own, results of
// its own, and requests in its own window.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spillway } from '@spillway/core';
import { History, writeAs } from '@spillway/core/history';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { conversation, exactOf, Figures, factsIn, reachable, tell } from './conversation.mjs';

const { window, turns, facts, chars, sessions } = JSON.parse(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'spillway-server-'));
const store = sqliteStore({ file: join(folder, 'store.db') });
const spillway = new Spillway({ store });
const history = new History({ spillway, store });
try {
  const all = await Promise.all(Array.from({ length: sessions }, (_, i) => run(i)));
  let crossed = 0;
  for (const [i, { recorded }] of all.entries())
    for (const id of recorded.keys())
      crossed += await spillway.retrieve({ artifact_id: id }, `user-${(i + 1) % sessions}`).then(
        () => 1,
        () => 0,
      );
  const sum = (pick) => all.reduce((total, one) => total + pick(one), 0);
  tell({
    sessions,
    crossed,
    requests: sum(({ figures }) => figures.requests),
    fullest: Math.max(...all.map(({ figures }) => figures.fullest)),
    changed: sum(({ figures }) => figures.changed),
    outputs: sum(({ recorded }) => recorded.size),
    exact: sum(({ exact }) => exact),
    orphans: sum(({ orphans }) => orphans),
    facts: all.map((one) => one.facts),
    requestsSent: all.flatMap(({ prompts }) => prompts.slice(-2)),
  });
} finally {
  await spillway.close();
  rmSync(folder, { recursive: true, force: true });
}

async function run(number) {
  const name = { scope: `user-${number}`, session: 'chat' };
  const session = history.session(name);
  const figures = new Figures();
  const recorded = new Map();
  const prompts = [];
  const send = async () => {
    const request = await session.request({ window });
    const written = writeAs('openai_chat', request.messages).messages;
    figures.add(request, written);
    prompts.push(written);
  };
  const text = (role, text, calls = []) =>
    session.say({
      role,
      parts: [
        { type: 'text', text },
        ...calls.map(({ callId, tool, input }) => ({
          type: 'call',
          callId,
          tool,
          input: JSON.stringify(input),
        })),
      ],
    });
  for (const { user, thought, calls, answer } of conversation({ turns, facts, chars })) {
    await text('user', `${user} (session ${number})`);
    await send();
    await text('assistant', thought, calls);
    await Promise.all(
      calls.map(async ({ callId, tool, input, output: whole }) => {
        const text = `${number}: ${whole}`;
        const { output } = await session.result({ callId, tool, input }, { kind: 'text', text });
        recorded.set(output.id, text);
      }),
    );
    await send();
    await text('assistant', answer);
  }
  await text('user', 'And?');
  const last = await session.request({ window });
  const found = await reachable(spillway, name.scope, JSON.stringify(last.messages));
  const { orphans, missing } = await session.report();
  return {
    figures,
    recorded,
    prompts,
    exact: await exactOf(spillway, name.scope, recorded),
    orphans: orphans + missing,
    facts: factsIn(found, facts),
  };
}
