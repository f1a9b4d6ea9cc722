/**
 * Calls and results that are not what they should be: refused by name before anything is begun, or
 * recorded as far as they came.
 */
import type { ToolResult } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { openSpillway } from '../opening.ts';

const call = { tool: 't', session: 's', scope: 'scope' };
const given = (what: unknown) => what as never;

async function process(result: unknown, about: unknown = call) {
  const spillway = openSpillway();
  const { projection, failure } = await spillway.process(given(about), given(result) as ToolResult);
  return { text: projection.text, failure, record: await spillway.sealed({ projection }) };
}

describe('a call', () => {
  it.each([
    [null, 'A call needs tool: a string.'],
    [{ ...call, tool: undefined }, 'A call needs tool: a string.'],
    [{ ...call, session: 7 }, 'A call needs session: a string.'],
    [{ tool: 't', session: 's' }, 'A call needs scope: a string.'],
    [{ ...call, callId: 7 }, 'The callId of a call is a string, or left out.'],
  ])('without its names is refused before it is begun: %j', async (about, message) => {
    await expect(process({ kind: 'text', text: 'x' }, about)).rejects.toMatchObject({
      code: 'invalid_argument',
      message,
    });
    await expect(openSpillway({ store: null }).open(given(about))).rejects.toThrow(message);
  });
});

describe('a result', () => {
  it.each([null, undefined, 'text', 5, { kind: 'other' }, {}])(
    'of no known kind is refused: %j',
    async (one) => {
      await expect(process(one)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'A result is of kind text, value, blocks, exec or repl.',
      });
    },
  );

  it.each([
    { kind: 'text', text: null },
    { kind: 'text' },
    { kind: 'text', text: 5 },
    { kind: 'text', text: new ArrayBuffer(3) },
    { kind: 'exec', stdout: {} },
    { kind: 'blocks', blocks: [{ type: 'text', text: 5 }] },
  ])('whose text is none is refused, never taken for an empty one: %j', async (one) => {
    await expect(process(one)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('Text must come as a string or Uint8Array'),
    });
  });

  it('with a block of no known type is refused', async () => {
    const blocks = [{ type: 'text', text: 'kept' }, { type: 'x' }];
    await expect(process({ kind: 'blocks', blocks })).rejects.toMatchObject({
      message: 'A block is of type text, image, audio, json, other.',
    });
  });

  it('keeps what came before a chunk that is none, and the reason behind it', async () => {
    const { text, failure, record } = await process({ kind: 'text', text: ['kept', 5, 'lost'] });
    expect(text).toMatch(
      /^\[Crashed\. Output incomplete\.\]\nkept\n\[error\]\nSpillwayError: Text must come as a string/,
    );
    expect(failure).toMatchObject({ code: 'invalid_argument' });
    expect(record).toMatchObject({ complete: false, outcome: { status: 'crashed' } });
  });
});
