// A session over its life: what was sent stays sent, whatever is compacted, undone, archived,
// retired, damaged, or written by another version.
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/history/index.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeFile } from '../folders.ts';
import { linesOf, NAME, type Opened, openHistory, turn } from './opened.ts';

async function openFile(of?: string, inlineLimit = 8_000): Promise<Opened & { readonly file: string }> {
  const file = of ?? (await storeFile());
  const store = sqliteStore({ file, durability: 'process' });
  const spillway = { userSettings: { inline_limit: inlineLimit } } as never;
  return { ...openHistory({ store, ...(inlineLimit === 8_000 ? {} : { spillway }) }), file };
}

async function sent(session: Session, window = 200_000): Promise<string[]> {
  const prepared = await session.prepare({ window });
  if (prepared.verdict === 'refused') throw new Error(prepared.reason);
  return prepared.messages.map((message) => JSON.stringify(message));
}

describe('what was sent', () => {
  it('comes back byte for byte when a compaction is undone, also after a restart, in another window, and archived', async () => {
    const { session, spillway, file } = await openFile();
    for (let i = 0; i < 8; i++) await turn(session, i, linesOf(20_000, `t${i}`));
    const before = await sent(session);
    await session.compact({ keepTokens: 4_000 });
    const compacted = await sent(session);
    expect(compacted.length).toBeLessThan(before.length);
    await turn(session, 8, linesOf(20_000, 't8'));
    expect((await sent(session)).slice(0, compacted.length)).toEqual(compacted);
    await session.undoCompaction();
    await spillway.close();

    const again = await openFile(file);
    await again.store.archive({ scope: NAME.scope, before: Date.now() + 1 });
    const undone = await sent(again.session, 90_000);
    expect(undone.slice(0, before.length)).toEqual(before);
    await again.session.compact({ keepTokens: 4_000 });
    await again.session.undoCompaction();
    expect(await sent(again.session, 60_000)).toEqual(undone);
    await again.spillway.close();
  });

  it('stays as it was rendered by another version', async () => {
    const { session, store } = openHistory();
    const { output } = await turn(session, 1, linesOf(20_000));
    await session.prepare();
    const frozen = await store.frozen(output.id, 'model');
    if (frozen === undefined) throw new Error('not frozen');
    const text = '[as an earlier version had it]';
    const projection = { ...frozen.projection, text, blocks: [{ type: 'text' as const, text }] };
    await store.freeze(
      { ...frozen, projection: projection as unknown as typeof frozen.projection },
      'replace',
    );
    expect((await sent(session)).at(-1)).toContain(text);
    await turn(session, 2, linesOf(20_000));
    expect((await sent(session)).join()).toContain(text);
  });

  it('does not depend on the clock: one that goes back changes neither order nor pairs', async () => {
    let now = 5_000_000;
    const clock = () => (now -= 1_000);
    const { session } = openHistory({ history: { clock }, spillway: { clock } });
    for (let i = 0; i < 6; i++) await turn(session, i, `result ${i}`);
    const before = await sent(session);
    expect(before.map((message) => /please do step|result \d/.exec(message)?.[0])).toEqual(
      Array.from({ length: 6 }, (_, i) => ['please do step', undefined, `result ${i}`]).flat(),
    );
    await session.compact({ keepTokens: 60 });
    await session.undoCompaction();
    expect(await sent(session)).toEqual(before);
  });
});

describe('a compaction', () => {
  it('names what was purged, and reads what was archived', async () => {
    const { session, store, spillway } = await openFile();
    const outputs: string[] = [];
    for (let i = 0; i < 6; i++) {
      const text = `${linesOf(9_000, `t${i}`)}\nERROR: number ${i} failed\n`;
      outputs.push((await turn(session, i, text, 'execute_command')).output.id);
    }
    await spillway.retire({ how: 'purge', scope: NAME.scope, ids: [outputs[1] as 'art_1_xxxx'] });
    await store.archive({ scope: NAME.scope, before: Date.now() + 1 });
    const { summary } = await session.compact({ keepTokens: 500 });
    for (const [i, output] of outputs.slice(0, 5).entries()) {
      const line = summary?.text.split('\n').find((one) => one.includes(`call-${i} ${output}`));
      expect(line, `call-${i}`).toBeDefined();
      expect(line?.includes(`first error: ERROR: number ${i} failed`)).toBe(i !== 1);
    }
    expect((await sent(session)).length).toBeGreaterThan(1);
    await spillway.close();
  });

  it('that another overtakes goes on from its summary', async () => {
    const { session, store } = openHistory();
    for (let i = 0; i < 8; i++) await turn(session, i, linesOf(3_000, `t${i}`));
    const done = await Promise.all([1, 2, 3].map(() => session.compact({ keepTokens: 2_000 })));
    expect(
      done
        .map(({ summarised }) => summarised)
        .toSorted((a, b) => a - b)
        .slice(0, 2),
    ).toEqual([0, 0]);
    expect((await store.summaries(NAME)).items).toHaveLength(1);
    expect(new Set(done.map(({ summary }) => summary?.version))).toEqual(new Set([1]));
  });
});

describe('a result that is damaged in the store', () => {
  it('is told in its place; the rest of the session goes on, is compacted, and can be read', async () => {
    const { session, spillway, file, history } = await openFile();
    await turn(session, 1, linesOf(9_000, 'first'));
    const { output } = await turn(session, 2, linesOf(9_000, 'damaged'));
    await turn(session, 3, linesOf(9_000, 'third'));
    await spillway.close();
    const database = new DatabaseSync(file);
    const { changes } = database
      .prepare(
        `UPDATE piece SET data = CAST(X'00' || substr(data, 2) AS BLOB) WHERE content =
         (SELECT content FROM part p JOIN output o ON o.seq = p.output WHERE o.id = ? AND p.idx = ?)`,
      )
      .run(output.id, output.parts.find(({ role }) => role === 'content')?.index ?? 0);
    database.close();
    expect(changes).toBeGreaterThan(0);

    const again = await openFile(file);
    const reported = `[No tool output. The result of the call call-2 of read_file (${output.id}) is damaged in the store. The call was made; only its output is missing.]`;
    const prompt = (await sent(again.session)).join('\n');
    expect(prompt).toContain(reported);
    expect(prompt).toContain('first 1 of a text');
    expect(prompt).toContain('third 1 of a text');
    expect(prompt).not.toContain('damaged 1 of');
    const shown = [];
    for await (const message of again.session.transcript()) shown.push(...message.parts);
    expect(shown.flatMap((part) => (part.type === 'result' ? [part.synthetic] : []))).toEqual([
      null,
      'damaged',
      null,
    ]);
    const { summary } = await again.session.compact({ keepTokens: 100 });
    expect(summary?.text).toContain(`read_file call-2 ${output.id}`);
    expect(history.counters.canonical_tool_result_is_lossless).toBe(0);
    await again.spillway.close();
  });
});
