/**
 * Asks the program what a model should read of a result, for plugins that run inside an agent. No
 * answer, an answer that is no JSON or one that comes too late: null, and the result stays.
 */
import { spawn } from 'node:child_process';

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** The words that start the program. */
export type Program = readonly string[];

const TIMEOUT_MS = 60_000;

export function ask(
  [program = 'spillway', ...words]: Program,
  agent: string,
  call: Fields,
): Promise<Fields | null> {
  return new Promise((resolve) => {
    const child = spawn(program, [...words, 'hook', agent], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    });
    const answer: Uint8Array[] = [];
    child.on('error', () => resolve(null));
    child.stdin.on('error', () => resolve(null));
    child.stdout.on('data', (chunk: Uint8Array) => answer.push(chunk));
    child.on('close', () => resolve(fieldsIn(Buffer.concat(answer).toString('utf8'))));
    child.stdin.end(JSON.stringify(call));
  });
}

function fieldsIn(json: string): Fields | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}
