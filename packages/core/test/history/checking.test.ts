import { DatabaseSync } from 'node:sqlite';
import { memoryStore, type Store } from '@spillway/core';
import { writeAs } from '@spillway/core/history';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeFile } from '../folders.ts';
import { temporaryStore } from '../opening.ts';
import { NAME, openHistory, turn } from './opened.ts';

const SECRET = 'hunter2-secret';
const CALL = { type: 'call', callId: 'c1', tool: 'read', input: '{}' };
const MEDIA = { type: 'media', mediaType: 'image/png' };
const RESULT = { type: 'result', callId: 'c1', tool: 't', output: 'art_1_abcdefgh', status: 'ok' };
const cycle: Record<string, unknown> = {};
cycle.self = cycle;
let deep: unknown = SECRET;
for (let i = 0; i < 3_000; i++) deep = [deep];

const user = (...parts: unknown[]) => ({ role: 'user', parts });
const assistant = (...parts: unknown[]) => ({ role: 'assistant', parts });

/** What is said, and the field that the error names. */
const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ['nothing', undefined, 'The message'],
  ['null', null, 'The message'],
  ['a text', SECRET, 'The message'],
  ['a list', [user()], 'The message'],
  ['no parts', { role: 'user' }, '`parts`'],
  ['a text as parts', { role: 'user', parts: SECRET }, '`parts`'],
  ['a hole in the parts', { role: 'user', parts: Array(2) }, '`parts[0]`'],
  ['an unknown role', { role: SECRET, parts: [] }, '`role`'],
  ['a misspelt role', { role: 'assitant', parts: [] }, 'Did you mean assistant?'],
  ['a number as id', { id: 7, ...user() }, '`id`'],
  ['an empty id', { id: '', ...user() }, '`id`'],
  ['no time at all', { at: Number.NaN, ...user() }, '`at`'],
  ['a date as time', { at: new Date(), ...user() }, '`at`'],
  ['an unknown part', user({ type: SECRET }), '`parts[0].type`'],
  ['a misspelt part', user({ type: 'txt', text: 'a' }), 'Did you mean text?'],
  ['a part that is a text', user({ type: 'text', text: 'a' }, SECRET), '`parts[1]`'],
  ['no text', user({ type: 'text', text: undefined }), '`parts[0].text`'],
  ['an object as text', user({ type: 'text', text: { SECRET } }), '`parts[0].text`'],
  ['a misspelt field', user({ type: 'text', text: 'a', txet: SECRET }), '`parts[0].txet`'],
  ['an object as input', assistant({ ...CALL, input: { key: SECRET } }), '`parts[0].input`'],
  ['no input', assistant({ ...CALL, input: undefined }), '`parts[0].input`'],
  ['a call without an id', assistant({ ...CALL, callId: '' }), '`parts[0].callId`'],
  ['a call of nothing', assistant({ ...CALL, tool: undefined }), '`parts[0].tool`'],
  ['a call that a user makes', user(CALL), '`parts[0]`'],
  ['data that is no JSON', assistant({ type: 'data', name: 'd', json: `{${SECRET}` }), '`parts[0].json`'],
  ['an object as data', assistant({ type: 'data', name: 'd', json: {} }), '`parts[0].json`'],
  ['media without content', user(MEDIA), '`parts[0].source`'],
  ['media of a number', user({ ...MEDIA, data: 7 }), '`parts[0].data`'],
  ['media of no part', user({ ...MEDIA, source: { output: 'art_1_abcdefgh' } }), '`parts[0].source.part`'],
  ['a result of no output', user({ ...RESULT, output: `../${SECRET}` }), '`parts[0].output`'],
  ['a result without an end', user({ ...RESULT, status: 'fine' }), '`parts[0].status`'],
  ['foreign data in a circle', { ...user(), foreign: { cycle } }, '`foreign`'],
  ['foreign data that is too deep', { ...user(), foreign: { deep } }, '`foreign`'],
  [
    'foreign data with a big number',
    user({ type: 'text', text: 'a', foreign: { n: 1n } }),
    '`parts[0].foreign`',
  ],
];

async function withStores(run: (store: Store) => Promise<void>): Promise<void> {
  await run(memoryStore());
  const store = await temporaryStore();
  try {
    await run(store);
  } finally {
    await store.close();
  }
}

async function sent(session: ReturnType<typeof openHistory>['session']): Promise<unknown> {
  const prepared = await session.prepare();
  if (prepared.verdict === 'refused') throw new Error('refused');
  for (const shape of [
    'anthropic',
    'openai_chat',
    'openai_responses',
    'ai_model',
    'ai_ui',
    'langchain',
  ] as const)
    JSON.stringify(writeAs(shape, prepared.messages));
  return prepared.messages;
}

function failureOf(attempt: Promise<unknown>): Promise<Error | null> {
  return attempt.then(
    () => null,
    (thrown: Error) => thrown,
  );
}

describe('a message that cannot be read back', () => {
  it('is refused before it is stored; the error names the field, and nothing of its content', async () => {
    await withStores(async (store) => {
      const { session } = openHistory({ store });
      await turn(session, 1, 'fine');
      const before = await sent(session);
      for (const [what, message, field] of REFUSED) {
        for (const attempt of [session.say(message as never), session.sayAll([user(), message] as never)]) {
          const error = await failureOf(attempt);
          expect(error, what).toMatchObject({ name: 'SpillwayError', code: 'invalid_argument' });
          const path = error?.message.replace('messages[1].', '').replace('`messages[1]`', 'The message');
          expect(path, what).toContain(field);
          expect(error?.message, what).not.toContain(SECRET);
        }
      }
      expect(await sent(session)).toEqual(before);
    });
  });

  it('is refused as a result, too: what call it is of, and what came back', async () => {
    const { session, store } = openHistory();
    const fine = { kind: 'text', text: 'a' };
    const attempts: readonly (readonly [unknown, unknown, string])[] = [
      [undefined, fine, 'The call'],
      [{ tool: 't' }, fine, '`callId`'],
      [{ callId: '', tool: 't' }, fine, '`callId`'],
      [{ callId: 'c', tool: 7 }, fine, '`tool`'],
      [{ callId: 'c', tool: 't', stage: 'late' }, fine, '`stage`'],
      [{ callId: 'c', tool: 't', outcome: 'error' }, fine, '`outcome`'],
      [{ callId: 'c', tool: 't', outcome: { status: 'ok', exitCode: '0' } }, fine, '`outcome.exitCode`'],
      [{ callId: 'c', tool: 't' }, undefined, 'kind'],
      [{ callId: 'c', tool: 't' }, { kind: 'txt', text: 'a' }, 'kind'],
      [{ callId: 'c', tool: 't' }, { kind: 'text' }, 'Text must come'],
      [{ callId: 'c', tool: 't' }, { kind: 'text', text: 7 }, 'Text must come'],
      [{ callId: 'c', tool: 't' }, { kind: 'text', text: Promise.resolve(SECRET) }, '`text` is a promise'],
      [{ callId: 'c', tool: 't' }, { kind: 'value', value: Promise.resolve(1) }, '`value` is a promise'],
      [{ callId: 'c', tool: 't' }, { kind: 'exec', stdout: Promise.resolve('') }, '`stdout` is a promise'],
      [{ callId: 'c', tool: 't' }, { kind: 'blocks', blocks: Promise.resolve([]) }, '`blocks` is a promise'],
      [{ callId: 'c', tool: 't' }, { kind: 'blocks', blocks: [null] }, 'A block is of type'],
      [{ callId: 'c', tool: 't' }, { kind: 'blocks', blocks: null }, '`blocks`'],
      [{ callId: 'c', tool: 't' }, { kind: 'exec', stdout: '', exitCode: '1' }, '`exitCode`'],
      [{ callId: 'c', tool: 't' }, { kind: 'exec', stdout: '', durationMs: Number.NaN }, '`durationMs`'],
      [
        { callId: 'c', tool: 't' },
        { kind: 'blocks', blocks: [{ type: 'text', text: Promise.resolve(SECRET) }] },
        '`blocks[0].text` is a promise',
      ],
    ];
    for (const [of, result, field] of attempts) {
      const error = await failureOf(session.result(of as never, result as never));
      expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(field) });
      expect(error?.message).not.toContain(SECRET);
    }
    expect((await store.messages(NAME)).items).toEqual([]);
    expect((await store.list({ ...NAME, show: 'all' })).items).toEqual([]);
  });

  it('is refused in an import, and nothing of the import is stored', async () => {
    const { session, store } = openHistory();
    const attempts: readonly (readonly [string, unknown, string])[] = [
      ['antropic', [], 'Did you mean anthropic?'],
      ['toString', [], 'must be one of'],
      ['openai_chat', undefined, '`messages` must be a list'],
      ['openai_chat', { role: 'user', content: SECRET }, '`messages` must be a list'],
      ['openai_chat', [{ role: 'user', content: 'a' }, SECRET], '`messages[1]` must be an object'],
      ['ai_ui', [{ id: 'a', role: SECRET, parts: [] }], 'role'],
    ];
    for (const [shape, messages, field] of attempts) {
      const error = await failureOf(session.import(shape as never, messages));
      expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(field) });
      expect(error?.message).not.toContain(SECRET);
    }
    expect((await store.messages(NAME)).items).toEqual([]);
  });
});

describe('a number that is none', () => {
  const WRONG = [Number.NaN, Number.POSITIVE_INFINITY, -1, '8000', null, {}];

  it('is refused wherever a window or a limit is given', async () => {
    const { session, spillway } = openHistory();
    await turn(session, 1, 'x'.repeat(20_000));
    const call = { ...NAME, tool: 't' };
    for (const value of WRONG as never[]) {
      const attempts: Promise<unknown>[] = [
        session.prepare({ window: value }),
        session.prepare({ window: 1_000, reserve: value }),
        session.prepare({ mediaTokens: value }),
        session.compact({ window: value }),
        session.compact({ keepTokens: value }),
        session.limitMessages([], { resultChars: value }),
        session.limitMessages([], { totalChars: value }),
        spillway.process(call, { kind: 'text', text: 'a' }, { window: { tokens: value, used: 0 } }),
        spillway.process(call, { kind: 'text', text: 'a' }, { window: { tokens: 10, used: value } }),
        spillway.processBatch([], { window: { tokens: value, used: 0 } }),
        spillway.projectTogether([], { window: { tokens: value, used: 0 } }),
      ];
      for (const attempt of attempts)
        await expect(attempt).rejects.toMatchObject({ name: 'SpillwayError', code: 'invalid_argument' });
    }
    await expect(session.prepare({ window: 0 })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(session.prepare({ purpose: 'sned' as never })).rejects.toThrow('Did you mean send?');
    expect((await session.prepare({ window: 100_000 })).verdict).toBe('fits');
  });
});

describe('a message that is stored and cannot be read', () => {
  it('is told in its place; the call in it keeps its result, and the session goes on', async () => {
    await withStores(async (store) => {
      const { session } = openHistory({ store });
      await turn(session, 1, 'the first result');
      const stored = [
        { role: 'user', parts: [{ type: 'text' }] },
        { role: 'narrator', parts: [{ type: 'text', text: 'once upon a time' }] },
        {
          role: 'user',
          parts: [
            { type: 'hologram', beam: 1 },
            { type: 'text', text: 'and this' },
          ],
        },
        { role: 'assistant', parts: [{ type: 'call', callId: 'c2', tool: 'read', input: { path: 'a' } }] },
      ];
      const messages = stored.map((message, i) => ({ id: `old-${i}`, at: 1, ...message }));
      await store.addMessages({ ...NAME, messages: messages as never });
      await session.result({ callId: 'c2', tool: 'read' }, { kind: 'text', text: 'the second result' });
      const text = JSON.stringify(await sent(session));
      expect(text.split('[A part of this message is damaged in the store.]').length - 1).toBe(2);
      for (const part of [
        'the first result',
        'once upon a time',
        'and this',
        '{\\"path\\":\\"a\\"}',
        'the second result',
      ])
        expect(text).toContain(part);
      await session.compact({ keepTokens: 0 });
      await session.report();
      for await (const message of session.transcript()) JSON.stringify(message);
      for await (const line of session.exportLines()) JSON.parse(line);
      expect(await sent(session)).toBeTruthy();
    });
  });

  it('is told when its row is damaged: each one by its number, wherever it stands', async () => {
    const path = await storeFile();
    const first = sqliteStore({ file: path });
    const { session } = openHistory({ store: first });
    for (let i = 1; i <= 3; i++) await turn(session, i, `result ${i}`);
    await first.close();
    const db = new DatabaseSync(path);
    for (const position of [1, 4, 9])
      db.prepare(`UPDATE message SET record = replace(record, '"role"', '"rule"') WHERE place = ?`).run(
        position,
      );
    db.close();
    const store = sqliteStore({ file: path });
    const { session: again } = openHistory({ store });
    const text = JSON.stringify(await sent(again));
    for (const position of [1, 4, 9])
      expect(text).toContain(`[Message ${position} of this session is damaged in the store.]`);
    expect(text).toContain('result 2');
    await turn(again, 4, 'result 4');
    expect(JSON.stringify(await sent(again))).toContain('result 4');
    // A summary that is damaged stands for nothing: the messages count again, and can be summarised
    // again.
    await again.compact({ keepTokens: 0 });
    await again.say({ role: 'user', parts: [{ type: 'text', text: 'go on' }] });
    const other = new DatabaseSync(path);
    other.exec(`UPDATE summary SET record = replace(record, '"covers"', '"cowers"')`);
    other.close();
    expect(JSON.stringify(await sent(again))).toContain('result 4');
    await again.compact({ keepTokens: 0 });
    expect(JSON.stringify(await sent(again))).toContain('[Summary of the ');
    await store.close();
  });
});
