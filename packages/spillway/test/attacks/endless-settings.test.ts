/** Files of a workspace that take long to read, in the shapes that a reader of `.env` could fear. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshWorkspace, PROGRAM } from '../program.ts';

/** What one file may have. */
const MOST = 255_000;
const blanks = ' '.repeat(MOST);

describe.concurrent.each([
  ['blanks behind a value', `TRUNCATION_MAX_LINES=9${blanks}x`],
  ['blanks alone', `TRUNCATION_MAX_LINES=${blanks}`],
  ['blanks before the name', `${blanks}TRUNCATION_MAX_LINES`],
  ['blanks between the words', `export${blanks}TRUNCATION_MAX_LINES`],
  ['quotes', `TRUNCATION_MAX_LINES=${`"" `.repeat(MOST / 3)}`],
  ['quotes that open on each line', `A="\nB='\n`.repeat(MOST / 8)],
  ['signs of comments', `TRUNCATION_MAX_LINES=${'#'.repeat(MOST)}`],
  ['signs of comments in a value', `TRUNCATION_MAX_LINES=${'a#'.repeat(MOST / 2)}`],
  ['digits', `TRUNCATION_MAX_LINES=${'1'.repeat(MOST - 50)}x`],
  ['a name', `TRUNCATION_${'X'.repeat(MOST - 50)}=1`],
  ['names', Array.from({ length: MOST / 30 }, (_, i) => `TRUNCATION_INLINE_LIMI${i}=1`).join('\n')],
  ['line ends', '\r\n'.repeat(MOST / 2)],
])('a .env of %s', (_, text) => {
  it('is read within a second of processor time', async () => {
    const { root } = await freshWorkspace();
    writeFileSync(join(root, '.env'), text.slice(0, MOST));
    const spent = await processorSeconds(root, ['config', 'explain', 'bash']);
    expect(spent).toBeLessThan(1);
  });
});

/** Of a run of the program, which is ended if it takes ten times as long. */
function processorSeconds(cwd: string, args: readonly string[]): Promise<number> {
  writeFileSync(
    join(cwd, 'spent.cjs'),
    `process.on('exit', () => require('fs').writeSync(3, JSON.stringify(process.cpuUsage())))`,
  );
  const child = spawn(
    'sh',
    ['-c', 'ulimit -t 10; exec "$@"', 'sh', process.execPath, '--require', './spent.cjs', PROGRAM, ...args],
    { cwd, env: { PATH: process.env.PATH, HOME: cwd }, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  return new Promise((resolve) => {
    let report = '';
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      report += chunk.toString();
    });
    child.on('close', () => {
      const { user, system } = JSON.parse(report || '{"user":1e9,"system":0}');
      resolve((user + system) / 1e6);
    });
  });
}
