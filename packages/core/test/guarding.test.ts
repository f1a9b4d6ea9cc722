/**
 * Whatever a strategy, a detector or a renderer throws, there is a bounded projection with its
 * handle, and it is told.
 */
import { memoryStore } from '@spillway/core';
import type { Strategy } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { CALL, openSpillway } from './opening.ts';

const text = Array.from({ length: 4_000 }, (_, i) => `line ${i}\n`).join('');

class SecretError extends Error {
  override name = 'SecretError';
}

const fail = (): never => {
  throw new SecretError('it quotes the text: line 17');
};
async function processedBy(strategy: Strategy) {
  const store = memoryStore();
  const spillway = openSpillway({ store, strategies: [strategy] });
  const policy = {
    strategy: strategy.name,
    inlineLimit: 1_000,
    preserveErrors: false,
    preserveWarnings: false,
  };
  const { projection } = await spillway.process(
    CALL,
    { kind: 'exec', stdout: text, stderr: '', exitCode: 3 },
    { policy },
  );
  const record = await spillway.sealed({ projection });
  const { items: events } = await store.events({ scope: 's' });
  return { projection, record, events };
}

describe('a strategy', () => {
  it.each([
    ['throws', fail, 'SecretError'],
    ['ranks too few rows', ({ rows }) => ({ score: new Float32Array(rows - 1).fill(1) }), 'RangeError'],
    ['answers NaN', ({ rows }) => ({ score: new Float32Array(rows).fill(Number.NaN) }), 'RangeError'],
    ['keeps nothing', ({ rows }) => ({ score: new Float32Array(rows) }), 'RangeError'],
    ['answers nothing', () => undefined as never, 'TypeError'],
  ] satisfies [string, Strategy['rank'], string][])(
    'that %s leaves the plain ends of the text, with the handle; it is counted and told',
    async (_, rank, error) => {
      const { projection, record, events } = await processedBy({ name: 'broken', rank });
      expect(projection.text.length).toBeLessThanOrEqual(1_000);
      expect(projection.text).toContain(record?.id);
      expect(projection.text).toMatch(/^\[Exit code 3\. /);
      expect(projection.text).toContain('\nline 0\n');
      expect(projection.text).toContain('\nline 3999\n');
      expect(projection.text).toContain(`[Shown as text: broken failed (${error}).]`);
      expect(projection.metadata).toMatchObject({ strategy_used: 'head_tail', strategy_error: error });
      expect(JSON.stringify([projection.metadata, events])).not.toContain('quotes');
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'projected', data: expect.objectContaining({ error }) }),
      );
    },
  );

  it('that throws leaves a text that fits as it is', async () => {
    const spillway = openSpillway({ strategies: [{ name: 'broken', rank: fail }] });
    const { projection } = await spillway.process(
      CALL,
      { kind: 'text', text: 'short' },
      { policy: { strategy: 'broken' } },
    );
    expect(projection.text).toBe('short');
  });
});

describe('a tokenizer or dialect that throws', () => {
  it('leaves the same selection in the standard words, and is told', async () => {
    const spillway = openSpillway({ tokens: fail });
    const { projection } = await spillway.process(
      CALL,
      { kind: 'text', text },
      { policy: { maxTokens: 200 } },
    );
    expect(projection.text).toMatch(/^\[Showing /);
    expect(projection.text.length).toBeLessThanOrEqual(800);
    expect(projection.metadata.strategy_error).toBe('SecretError');
  });
});

describe('a coloured document of more than 2 MB', () => {
  it('is shown as text, and says why: nothing failed', async () => {
    const item = (i: number) => `  \u001b[34m{"id": ${i}, "note": "${'nothing to say '.repeat(5)}"}\u001b[0m`;
    const document = `[\n${Array.from({ length: 25_000 }, (_, i) => item(i)).join(',\n')}\n]\n`;
    const { projection } = await openSpillway().process(CALL, { kind: 'text', text: document });
    expect(projection.metadata).not.toHaveProperty('strategy_error');
    expect(projection.text).toContain(
      '\n[Shown as text: it is coloured, and longer than a table of its lines.]\n',
    );
  });
});
