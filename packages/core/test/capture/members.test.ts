// What a result may hold: other names for the same are taken, anything else is refused before
// anything is recorded.
import { memoryStore } from '@spillway/core';
import { expect, it } from 'vitest';
import { CALL, openSpillway } from '../opening.ts';

it('takes printOutput and output of an interpreter as printed and value', async () => {
  const { projection } = await openSpillway().process(CALL, {
    kind: 'repl',
    printOutput: ['one', 'two'],
    output: 'the value',
  });
  expect(projection.text).toBe('[printed]\none\ntwo\n[value]\nthe value');
});

it.each([
  ['exec', { kind: 'exec', out: 'x' }, 'has no `out`: it has stdout, stderr, exitCode, signal,'],
  [
    'exec, misspelt',
    { kind: 'exec', stdot: 'x' },
    'has no `stdot`: did you mean stdout? Nothing was stored.',
  ],
  [
    'a block',
    { kind: 'blocks', blocks: [{ type: 'text', text: 'x', txt: 'y' }] },
    'A block of type text has no `txt`: did you mean text? Nothing was stored.',
  ],
  ['text', { kind: 'text', text: 'x', note: 'y' }, 'has no `note`: it has text. Nothing was stored.'],
  [
    'repl, twice',
    { kind: 'repl', printed: 'x', printOutput: ['y'] },
    'Give printOutput or printed, not both.',
  ],
])('refuses what it does not know, and records nothing: %s', async (_, result, message) => {
  const store = memoryStore();
  const refused = openSpillway({ store }).process(CALL, result as never);
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining(message),
  });
  expect((await store.list({ scope: CALL.scope })).items).toEqual([]);
});

it('does not compile with members that it does not know', () => {
  const spillway = openSpillway();
  const results = [
    // @ts-expect-error: a command has no `out`.
    () => spillway.process(CALL, { kind: 'exec', out: 'x' }),
    // @ts-expect-error: a text has no `note`.
    () => spillway.record(CALL, { kind: 'text', text: 'x', note: 'y' }),
  ];
  expect(results).toHaveLength(2);
});
