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

/** A shape, and a conversation in its words. */
export interface ShapeSubject {
  /** A shape of one's own, or the name of a built-in one. */
  readonly shape: Shape | ShapeName;
  /** Messages of the framework, with calls and results. */
  readonly messages: readonly object[];
}

/** A sentence and the check behind it; `run` rejects where a shape does not keep the promise. */
export interface ShapeCase {
  /** What is promised. */
  readonly name: string;
  /** Checks it. */
  run(subject: ShapeSubject): Promise<void>;
}

/** What every shape promises. */
export const shapeContract: readonly ShapeCase[] = [
  {
    name: 'a conversation comes out as it went in, and is not changed',
    async run({ shape, messages }) {
      const before = structuredClone(messages);
      const session = await imported(shape, messages);
      assert.deepEqual(messages, before);
      assert.deepEqual((await session.export(shape)).messages, messages);
    },
  },
  {
    name: 'the same conversation again adds nothing',
    async run({ shape, messages }) {
      const session = await imported(shape, messages);
      const before = await session.report();
      await session.import(shape, messages);
      assert.deepEqual(await session.report(), before);
    },
  },
  {
    name: 'every result finds its call',
    async run({ shape, messages }) {
      const { results, orphans } = await (await imported(shape, messages)).report();
      assert.ok(results > 0, 'the conversation needs a call with its result');
      assert.equal(orphans, 0);
    },
  },
  {
    name: 'what is sent can be taken in again, and refers to the same results',
    async run({ shape, messages }) {
      const session = await imported(shape, messages);
      const { results } = await session.report();
      const made = await session.request({ window: 1_000_000 });
      await session.import(shape, shapeOf(shape).write(made.messages).messages);
      assert.equal((await session.report()).results, results);
    },
  },
  {
    name: 'nothing is read into what is not a list of messages',
    async run({ shape }) {
      for (const given of [null, undefined, 'x', 7, {}, [], [null, 1, 'x']])
        assert.deepEqual(shapeOf(shape).read(given).messages, []);
    },
  },
];

async function imported(shape: Shape | ShapeName, messages: readonly object[]): Promise<Session> {
  const spillway = new Spillway({ store: memoryStore() });
  const session = new History({ spillway }).session({ scope: 'scope', session: 'session' });
  await session.import(shape, messages);
  return session;
}
