/**
 * One call of a hook: the agent's JSON comes in, its answer goes out. An empty answer lets the
 * original result pass. That is also the answer to whatever goes wrong: an agent is never blocked,
 * and nothing is cut that is not stored. Why is told in a sentence that quotes no content.
 */

import { fileSource } from '../byte-source.ts';
import { isFields, jsonIn } from '../fields.ts';
import { sentenceFor } from '../sentences.ts';
import type { BoundingOptions } from './bound-call.ts';

export interface HookAnswer {
  /** What the agent is sent; empty where the result passes. */
  readonly text: string;
  readonly problem: string | null;
}

export async function runHook(json: Buffer, options: BoundingOptions): Promise<HookAnswer> {
  try {
    const given = jsonIn(json.toString('utf8'));
    if (given === undefined) return passing('What came in is not valid JSON.');
    if (!isFields(given)) return passing('What came in is not a JSON object.');
    options.agent.note?.(given);
    const call = options.agent.read(given);
    if (call === null) return { text: '', problem: null };
    // Most of the program, which a call that passes does not need.
    const { boundCall } = await import('./bound-call.ts');
    const shown = await boundCall(call, options);
    if (shown === null) return { text: '', problem: null };
    if ('notStored' in shown) return passing(shown.notStored);
    return { text: JSON.stringify(options.agent.answer(shown.result, given)), problem: null };
  } catch (error) {
    return passing(sentenceFor(error));
  }
}

function passing(problem: string): HookAnswer {
  return { text: '', problem: `${problem} The result passed as it was.` };
}

/** All of standard input; null if it has more than `most` bytes, which are read all the same. */
export async function standardInputWhole(most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of fileSource(0)) {
    total += chunk.length;
    // Whoever writes must be able to come to an end.
    if (total <= most) chunks.push(Uint8Array.from(chunk));
    else chunks.length = 0;
  }
  return total > most ? null : Buffer.concat(chunks);
}
