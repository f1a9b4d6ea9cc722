/**
 * One call of a hook: the agent's JSON comes in, its answer goes out. An empty answer lets the
 * original result pass. That is also the answer to whatever goes wrong: an agent is never blocked,
 * and nothing is cut that is not stored. Why is told in a sentence that quotes no content.
 */

import { read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import { SpillwayError } from '@spillway/core';
import { sentenceFor } from '../sentences.ts';
import type { BoundingOptions } from './bound-call.ts';
import { isFields } from './hook-agent.ts';

export interface HookAnswer {
  /** What the agent is sent; empty where the result passes. */
  readonly text: string;
  readonly problem: string | null;
}

export async function runHook(json: Buffer, options: BoundingOptions): Promise<HookAnswer> {
  try {
    const given = parsed(json);
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

/** The message of the parser quotes what it could not read. */
function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    throw new SpillwayError('invalid_argument', 'What came in is not valid JSON.');
  }
}

function passing(problem: string): HookAnswer {
  return { text: '', problem: `${problem} The result passed as it was.` };
}

// Standard input, read to its end without Node's streams, which take longer to load than most
// results to read.

const STEP = 1_048_576;
const read = promisify(readCallback);

/** All of it; null if it has more than `most` bytes, which are read all the same. */
export async function standardInputWhole(most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = await nextChunk();
    if (chunk === null) return total > most ? null : Buffer.concat(chunks);
    total += chunk.length;
    // Whoever writes must be able to come to an end.
    if (total <= most) chunks.push(chunk);
    else chunks.length = 0;
  }
}

async function nextChunk(): Promise<Buffer | null> {
  const chunk = Buffer.allocUnsafe(STEP);
  for (;;) {
    try {
      const { bytesRead } = await read(0, chunk, 0, STEP, null);
      return bytesRead === 0 ? null : chunk.subarray(0, bytesRead);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return null;
      if (code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
