/**
 * `spillway sessions export`: a session with everything in it as JSON Lines, or its messages in the
 * words of a framework.
 */

import { SpillwayError } from '@spillway/core';
import { History, SHAPES, type ShapeName } from '@spillway/core/history';
import { didYouMean } from '@spillway/core/plugin';
import type { CommandDetails, Given } from '../../flags.ts';
import { print, tell } from '../../output.ts';
import { withStore } from '../artifacts/reading.ts';
import { foundSession } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: 'ID', min: 1, max: 1, completes: 'sessions' },
  flags: [
    {
      name: 'as',
      value: 'SHAPE',
      doc: `Only the messages, results whole, as JSON of a framework: ${Object.keys(SHAPES).join(', ')}.`,
    },
  ],
  examples: [
    'spillway sessions export run-42 > run-42.jsonl',
    'spillway sessions export run-42 --as anthropic',
  ],
};

export async function run(given: Given): Promise<number> {
  const [id = ''] = given.operands;
  const shape = shapeNamed(given.value('as'));
  return withStore(async ({ spillway, workspace }, store) => {
    const { scope } = await foundSession(store, workspace.scope, id);
    const session = new History({ spillway, store }).session({ scope, session: id });
    if (shape === null) {
      for await (const line of session.exportLines()) await print(`${line}\n`);
      return 0;
    }
    const { messages, losses } = await session.export(shape);
    await print(`${JSON.stringify(messages, null, 2)}\n`);
    for (const { message, what } of losses) tell(`Not carried over from message ${message}: ${what}.`);
    return 0;
  });
}

/** Null where none was named. */
export function shapeNamed(name: string | undefined): ShapeName | null {
  if (name === undefined) return null;
  if (Object.hasOwn(SHAPES, name)) return name as ShapeName;
  throw new SpillwayError(
    'invalid_argument',
    `--as takes one of ${Object.keys(SHAPES).join(', ')}.${didYouMean(name, Object.keys(SHAPES))}`,
  );
}
