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
const fine: ReturnType<Strategy['start']> = {
  push() {},
  select: () => [{ kind: 'keep', start: 0, end: 10, chars: 10, lines: 1 }],
  bytes: () => new Uint8Array(10),
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

describe('a strategy that throws', () => {
  it.each([
    ['when it begins', { start: fail }],
    ['when it is given a piece', { start: () => ({ ...fine, push: fail }) }],
    ['when it selects', { start: () => ({ ...fine, select: fail }) }],
    ['when it is asked for what it kept', { start: () => ({ ...fine, bytes: fail }) }],
    [
      'when it is asked what it found',
      { start: () => Object.defineProperty({ ...fine }, 'findings', { get: fail }) },
    ],
    [
      'when it is asked for its grammar',
      { start: () => Object.defineProperty({ ...fine }, 'grammar', { get: fail }) },
    ],
  ])('%s leaves the plain ends of the text, with the handle; it is counted and told', async (_, strategy) => {
    const { projection, record, events } = await processedBy({ name: 'broken', ...strategy });
    expect(projection.text.length).toBeLessThanOrEqual(1_000);
    expect(projection.text).toContain(record?.id);
    expect(projection.text).toMatch(/^\[Exit code 3\. /);
    expect(projection.text).toContain('\nline 0\n');
    expect(projection.text).toContain('\nline 3999\n');
    expect(projection.text).toContain('[Shown as text: broken failed (SecretError).]');
    expect(projection.metadata).toMatchObject({ strategy_used: 'head_tail', strategy_error: 'SecretError' });
    expect(JSON.stringify([projection.metadata, events])).not.toContain('quotes');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'projected', data: expect.objectContaining({ error: 'SecretError' }) }),
    );
  });

  it('leaves a text that fits as it is', async () => {
    const spillway = openSpillway({ strategies: [{ name: 'broken', start: fail }] });
    const { projection } = await spillway.process(
      CALL,
      { kind: 'text', text: 'short' },
      { policy: { strategy: 'broken' } },
    );
    expect(projection.text).toBe('short');
  });
});

describe('a tokenizer or dialect that throws', () => {
  it('leaves the plain ends in the standard words', async () => {
    const spillway = openSpillway({ tokens: fail });
    const { projection } = await spillway.process(
      CALL,
      { kind: 'text', text },
      { policy: { maxTokens: 200 } },
    );
    expect(projection.text).toContain('auto failed (SecretError)');
    expect(projection.metadata.strategy_error).toBe('SecretError');
  });
});
