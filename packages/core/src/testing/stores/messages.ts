/** Messages and summaries: appended, never changed, in one order for everybody. */
import assert from 'node:assert/strict';
import { allItems } from '../../model/every-item.ts';
import type { MessageDraft } from '../../model/message.ts';
import type { SummaryDraft } from '../../model/session.ts';
import type { MessageQuery, Store } from '../../model/store.ts';
import { type Checks, storeOutput } from './samples.ts';

const NAME = { scope: 'scope-1', session: 'session-1' } as const;

export const messageChecks: Checks = {
  async 'messages come back as they were added, in order, with places from 1'(store) {
    const { record } = await storeOutput(store, { ...NAME, callId: 'c1' });
    const drafts: MessageDraft[] = [
      { ...textMessage('m1', ' a\r\n\0 lone \ud800 "x" '), foreign: { some: { n: [1, null] } } },
      {
        id: 'm2',
        role: 'assistant',
        at: 2,
        parts: [{ type: 'call', callId: 'c1', tool: 'read', input: '{"n": 12345678901234567890}' }],
      },
      {
        id: 'm3',
        role: 'tool',
        at: 3,
        parts: [{ type: 'result', callId: 'c1', tool: 'read', output: record.id, status: 'ok' }],
      },
    ];
    const added = await store.addMessages({ ...NAME, messages: drafts });
    const expected = drafts.map((each, i) => ({ ...each, ...NAME, ordinal: i + 1 }));
    assert.deepEqual(added, expected);
    assert.deepEqual((await store.messages(NAME)).items, expected);
    assert.deepEqual((await store.messages({ ...NAME, order: 'newest' })).items, expected.toReversed());
    assert.deepEqual((await store.messages({ ...NAME, scope: 'scope-2' })).items, []);
  },
  async 'a message that is added again keeps its place, and another under its id is refused with everything beside it'(
    store,
  ) {
    const first = await store.addMessages({
      ...NAME,
      messages: [textMessage('m1', 'one'), textMessage('m2', 'two')],
    });
    const again = await store.addMessages({
      ...NAME,
      messages: [{ ...textMessage('m1', 'one'), at: 99 }, textMessage('m3', 'three')],
    });
    assert.deepEqual(again[0], first[0]);
    assert.equal(again[1]?.ordinal, 3);
    const request = { ...NAME, messages: [textMessage('m4', 'four'), textMessage('m2', 'other')] };
    await assert.rejects(store.addMessages(request), { code: 'conflict' });
    const twice = { ...NAME, messages: [textMessage('m5', 'five'), textMessage('m5', 'other')] };
    await assert.rejects(store.addMessages(twice), { code: 'conflict' });
    assert.deepEqual(await ids(store, NAME), ['m1', 'm2', 'm3']);
    const other = await store.addMessages({
      ...NAME,
      session: 'session-2',
      messages: [textMessage('m2', 'other')],
    });
    assert.equal(other[0]?.ordinal, 1);
  },
  async 'what was given or returned can be changed without changing what is kept'(store) {
    const draft = structuredClone(textMessage('m1', 'kept')) as {
      parts: { text?: string }[];
    } & MessageDraft;
    const [added] = await store.addMessages({ ...NAME, messages: [draft] });
    for (const parts of [draft.parts, added?.parts as { text?: string }[] | undefined])
      if (parts?.[0] !== undefined) parts[0].text = 'changed';
    const [read] = (await store.messages(NAME)).items;
    assert.deepEqual(read?.parts, [{ type: 'text', text: 'kept' }]);
  },
  async 'messages of several writers get places without gap or repeat, each request together'(store) {
    const orders = Array.from({ length: 24 }, (_, i) => [
      textMessage(`a${i}`, 'a'),
      textMessage(`b${i}`, 'b'),
    ]);
    await Promise.all(orders.map((messages) => store.addMessages({ ...NAME, messages })));
    const { items } = await store.messages({ ...NAME, limit: 1_000 });
    assert.deepEqual(
      items.map(({ ordinal }) => ordinal),
      items.map((_, i) => i + 1),
    );
    assert.equal(items.length, 48);
    for (const [i, { id }] of items.entries())
      if (id.startsWith('a')) assert.equal(items[i + 1]?.id, id.replace('a', 'b'));
  },
  async 'messages are read page by page from either end, and above a place'(store) {
    const all = Array.from({ length: 10 }, (_, i) => textMessage(`m${i + 1}`, `${i}`));
    await store.addMessages({ ...NAME, messages: all });
    const names = all.map(({ id }) => id);
    assert.deepEqual(await ids(store, { ...NAME, limit: 3 }), names);
    assert.deepEqual(await ids(store, { ...NAME, limit: 3, order: 'newest' }), names.toReversed());
    assert.deepEqual(await ids(store, { ...NAME, limit: 3, above: 6 }), names.slice(6));
    const newest = await ids(store, { ...NAME, limit: 2, above: 6, order: 'newest' });
    assert.deepEqual(newest, names.slice(6).toReversed());
    assert.equal((await store.messages({ ...NAME, limit: 10 })).next, undefined);
    const page = await store.messages({ ...NAME, limit: 9 });
    await store.addMessages({ ...NAME, messages: [textMessage('m11', 'later')] });
    assert.deepEqual(
      (await store.messages({ ...NAME, after: page.next ?? '' })).items.map(({ id }) => id),
      ['m10', 'm11'],
    );
    await assert.rejects(store.messages({ ...NAME, limit: 0 }), { code: 'invalid_argument' });
    await assert.rejects(store.messages({ ...NAME, after: 'x' }), { code: 'invalid_argument' });
  },
  async 'a message opens its session, or opens it again, and keeps it from lying idle'(store) {
    await store.addMessages({ ...NAME, messages: [textMessage('m1', 'x', 100)] });
    const [session] = (await store.sessions({ scope: NAME.scope })).items;
    assert.deepEqual(session, { id: NAME.session, scope: NAME.scope, openedAt: 100, seenAt: 100 });
    await store.retire({ how: 'retire', ...NAME, endSession: true, at: 150 });
    await store.addMessages({ ...NAME, messages: [textMessage('m2', 'y', 200)] });
    assert.equal((await store.sessions({ scope: NAME.scope })).items[0]?.seenAt, 200);
  },
  async 'every version of a summary is kept, and one that another overtook is refused'(store) {
    assert.deepEqual((await store.summaries(NAME)).items, []);
    const first = await store.addSummary(summary({ text: 'one \0 \ud800', state: { n: [1] } }));
    const second = await store.addSummary(summary({ parent: 1, covers: 8, text: 'two' }));
    assert.deepEqual([first.version, second.version], [1, 2]);
    await assert.rejects(store.addSummary(summary({ parent: 1, text: 'late' })), { code: 'conflict' });
    assert.deepEqual((await store.summaries(NAME)).items, [second, first]);
    const page = await store.summaries({ ...NAME, limit: 1 });
    assert.deepEqual(page.items, [second]);
    assert.deepEqual((await store.summaries({ ...NAME, after: page.next ?? '' })).items, [first]);
    assert.deepEqual((await store.summaries({ ...NAME, session: 'session-2' })).items, []);
  },
  async 'messages and summaries go with a purge of their session, and with nothing less'(store) {
    const { record } = await storeOutput(store, NAME);
    await store.addMessages({ ...NAME, messages: [textMessage('m1', 'x')] });
    await store.addMessages({ ...NAME, session: 'session-2', messages: [textMessage('m1', 'y')] });
    await store.addSummary(summary({}));
    const purge = { how: 'purge', ...NAME, at: 9 } as const;
    await store.retire({ ...purge, ids: [record.id] });
    await store.retire({ ...purge, before: 1e15 });
    await store.retire({ ...purge, preview: true });
    await store.retire({ ...purge, how: 'retire', endSession: true });
    assert.deepEqual(await ids(store, NAME), ['m1']);
    assert.equal((await store.summaries(NAME)).items.length, 1);
    await store.retire(purge);
    assert.deepEqual(await ids(store, NAME), []);
    assert.deepEqual((await store.summaries(NAME)).items, []);
    assert.deepEqual(await ids(store, { ...NAME, session: 'session-2' }), ['m1']);
  },
};

function textMessage(id: string, text: string, at = 1): MessageDraft {
  return { id, role: 'user', at, parts: [{ type: 'text', text }] };
}

function summary(fields: Partial<SummaryDraft>): SummaryDraft {
  return { ...NAME, at: 1, parent: 0, covers: 4, by: 'extractive', text: 'text', state: {}, ...fields };
}

/** Of all pages. */
async function ids(store: Store, query: MessageQuery): Promise<string[]> {
  const all = await allItems((page) => store.messages({ ...page, ...query }));
  return all.map(({ id }) => id);
}
