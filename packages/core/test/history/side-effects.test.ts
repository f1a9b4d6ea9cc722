// A call may have paid, sent or deleted something. Nothing that a model reads may advise to make it
// again.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/history/index.ts';
import { NAME, openHistory } from './opened.ts';

const ADVICE = /\b(?:re-?run|re-?execute|(?:run|call|make|execute|invoke)\b[^.]{0,40}\bagain)\b/i;

describe('a call that may have had an effect', () => {
  it('and has no result, one that another process is making, or one whose result is gone: none is advised to be made again', async () => {
    const { session, spillway } = openHistory();
    const pay = (callId: string) => ({ type: 'call', callId, tool: 'pay', input: '{"amount":100}' }) as const;
    await session.say({ role: 'assistant', parts: [pay('unanswered'), pay('running'), pay('purged')] });
    const running = await spillway.open({ ...NAME, tool: 'pay', callId: 'running' });
    const { output } = await session.result(
      { callId: 'purged', tool: 'pay' },
      { kind: 'text', text: 'paid' },
    );
    await spillway.retire({ how: 'purge', scope: NAME.scope, ids: [output.id] });
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error(prepared.reason);
    const results = prepared.messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
    const texts = results.map(textOf);
    expect(texts).toHaveLength(3);
    expect(texts[0]).toContain('No result was recorded for the call unanswered of pay.');
    expect(texts[1]).toContain('No result was recorded for the call running of pay.');
    for (const text of texts) expect(text).not.toMatch(ADVICE);
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'and?' }] });
    const { summary } = await session.compact({ keepTokens: 1 });
    expect(summary?.text).toContain('no result yet');
    expect(summary?.text).not.toMatch(ADVICE);
    await running.finish({ outcome: { status: 'ok' }, complete: true });
  });

  it('is not advised to be made again by any error that a model may read', async () => {
    const { session, spillway } = openHistory();
    const { output } = await session.result({ callId: 'c', tool: 'pay' }, { kind: 'text', text: 'paid' });
    const wrong = [
      { artifact_id: 'art_1700000000_0123456789abcdef' },
      { artifact_id: 'nonsense' },
      { artifact_id: output.id, lines: '9-1' },
      { artifact_id: output.id, cursor: 'x' },
      { artifact_id: output.id, pattern: 'x' },
    ];
    for (const args of wrong) {
      const text = await spillway.retrieve(args, NAME.scope).catch((error: Error) => error.message);
      expect(text).toMatch(/\w/);
      expect(text).not.toMatch(ADVICE);
    }
    await spillway.endSession(NAME.scope, NAME.session);
    const gone = spillway.retrieve({ artifact_id: output.id }, NAME.scope);
    await expect(gone).rejects.toThrow(
      `Artifact ${output.id} can no longer be fetched: its handle was retired. Do not retry.`,
    );
  });

  it('is not advised to be made again by any sentence of the dialects, the history or the retrieval', () => {
    const source = fileURLToPath(new URL('../../src/', import.meta.url));
    for (const folder of ['wording', 'history', 'retrieval', 'formats', 'agent'])
      for (const file of readdirSync(join(source, folder), { encoding: 'utf8', recursive: true })) {
        if (!file.endsWith('.ts')) continue;
        const sentences =
          readFileSync(join(source, folder, file), 'utf8').match(/(['`])[^'`\n]{20,}\1/g) ?? [];
        for (const sentence of sentences) expect(`${file}: ${sentence}`).not.toMatch(ADVICE);
      }
  });
});
