/** The WebAssembly in byte-scan.ts is what its text says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import openWabt from 'wabt';

const folder = join(import.meta.dirname, '../../src/text');

it('the module is made from byte-scan.wat', async () => {
  const wabt = await openWabt();
  const text = readFileSync(join(folder, 'byte-scan.wat'), 'utf8');
  const made = wabt.parseWat('byte-scan.wat', text, { simd: true }).toBinary({}).buffer;
  const [, lines = ''] =
    /const MODULE = \[([^\]]*)\]/.exec(readFileSync(join(folder, 'byte-scan.ts'), 'utf8')) ?? [];
  const embedded = [...lines.matchAll(/'([^']*)'/g)].map(([, line]) => line).join('');
  expect(Buffer.from(embedded, 'base64')).toEqual(Buffer.from(made));
});
