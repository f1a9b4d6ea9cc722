// A program that dies in the middle says nothing of what it was reading.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshWorkspace, numberedLines } from '../program.ts';

const SECRET = 'sk-planted-4242';
const DEATHS = {
  'an error nobody handles': "setTimeout(() => { throw new Error('unhandled'); }, 250);",
  'a promise nobody handles': "setTimeout(() => Promise.reject(new Error('unhandled')), 250);",
  'a driver that quotes what it was given': `
    import { DatabaseSync } from 'node:sqlite';
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function (sql) {
      const statement = prepare.call(this, sql);
      const { run } = statement;
      statement.run = (...values) => {
        if (sql.includes('INTO piece')) throw new Error('cannot bind ' + values.map((value) => Buffer.isBuffer(value) || value instanceof Uint8Array ? Buffer.from(value).toString() : value));
        return run.apply(statement, values);
      };
      return statement;
    };`,
};

test.concurrent.each(Object.entries(DEATHS))('%s', async (death, preload) => {
  const { root, run } = await freshWorkspace();
  await writeFile(join(root, 'preload.mjs'), preload);
  await writeFile(join(root, `${SECRET}.log`), numberedLines(400_000, SECRET));
  const env = { NODE_OPTIONS: `--import=file://${join(root, 'preload.mjs')}` };
  const { code, stdout, stderr } = await run(
    ['truncate', `${SECRET}.log`, '--session', SECRET, '--tool', SECRET],
    { env },
  );
  expect(stderr).not.toContain(SECRET);
  if (death.endsWith('nobody handles')) expect(code).not.toBe(0);
  else expect(stdout).toContain('not stored');
});
