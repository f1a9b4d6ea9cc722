/**
 * What every shape promises, as data for any test runner. A case is run on a shape and a
 * conversation in its words that holds at least one call with its result.
 *
 *     for (const { name, run } of shapeContract) test(name, () => run({ shape, messages }));
 */
import assert from 'node:assert/strict';
import { Spillway } from '../../engine.ts';
import { History } from '../../history/history.ts';
import type { Session } from '../../history/session.ts';
import { shapeOf } from '../../history/shapes/index.ts';
import type { Shape, ShapeName } from '../../history/shapes/shape.ts';
import { memoryStore } from '../../stores/memory.ts';
import { type ContractCheck, casesOf } from '../cases.ts';

/** A shape, and a conversation in its words. */
export interface ShapeSubject {
  /** A shape of one's own, or the name of a built-in one. */
  readonly shape: Shape | ShapeName;
  /** Messages of the framework, with calls and results. */
  readonly messages: readonly object[];
}

/** One promise of every shape. */
export type ShapeCase = ContractCheck<ShapeSubject>;

/** What every shape promises. */
export const shapeContract: readonly ShapeCase[] = casesOf<ShapeSubject>({
  async 'a conversation comes out as it went in, and is not changed'({ shape, messages }) {
    const before = structuredClone(messages);
    const session = await imported(shape, messages);
    assert.deepEqual(messages, before);
    assert.deepEqual((await session.export(shape)).messages, messages);
  },
  async 'the same conversation again adds nothing'({ shape, messages }) {
    const session = await imported(shape, messages);
    const before = await session.report();
    await session.import(shape, messages);
    assert.deepEqual(await session.report(), before);
  },
  async 'every result finds its call'({ shape, messages }) {
    const { results, orphans } = await (await imported(shape, messages)).report();
    assert.ok(results > 0, 'the conversation needs a call with its result');
    assert.equal(orphans, 0);
  },
  async 'what is sent can be taken in again, and refers to the same results'({ shape, messages }) {
    const session = await imported(shape, messages);
    const { results } = await session.report();
    const made = await session.request({ window: 1_000_000 });
    await session.import(shape, shapeOf(shape).write(made.messages).messages);
    assert.equal((await session.report()).results, results);
  },
  async 'nothing is read into what is not a list of messages'({ shape }) {
    for (const given of [null, undefined, 'x', 7, {}, [], [null, 1, 'x']])
      assert.deepEqual(shapeOf(shape).read(given).messages, []);
  },
});

async function imported(shape: Shape | ShapeName, messages: readonly object[]): Promise<Session> {
  const spillway = new Spillway({ store: memoryStore() });
  const session = new History({ spillway }).session({ scope: 'scope', session: 'session' });
  await session.import(shape, messages);
  return session;
}
