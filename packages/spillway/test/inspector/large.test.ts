/** An output of 100 MB with 1.5 million lines: its first and last rows, and memory that stays small. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Answer, OutputAnswer } from '../../src/inspector/api.ts';
import { freshWorkspace } from '../program.ts';
import { startInspector, visit } from './visiting.ts';

const LINES = 1_500_000;
const SCRIPT = `awk 'BEGIN { for (i = 1; i <= ${LINES}; i++) printf "%07d compiled the module number %d of the whole, and it took a while\\n", i, i }'`;

it('is read by ranges and searched whole, in memory that its size does not matter for', async () => {
  const workspace = await freshWorkspace();
  await workspace.run(['exec', '--', 'sh', '-c', `${SCRIPT}; echo 'ERROR: the last line broke'`]);
  const inspector = await startInspector(workspace);
  const person = await visit(inspector);
  const [row] = (await person.get<Answer<'GET /api/outputs'>>('/api/outputs')).items;
  const { output, projection } = await person.get<OutputAnswer>(`/api/outputs/${row?.id}`);
  expect(output.bytes).toBeGreaterThan(100_000_000);
  expect(projection?.views[0]?.lines).toBe(LINES + 1);
  const part = projection?.views[0]?.part;
  const lines = await person.get<Answer<'GET /api/outputs/:id/lines'>>(
    `/api/outputs/${row?.id}/lines?part=${part}&ranges=1-100,750000,${LINES}-${LINES + 9}`,
  );
  expect(lines.ranges.map(({ texts }) => texts.length)).toEqual([100, 1, 2]);
  expect(lines.ranges[1]?.texts[0]).toMatch(/^0750000 /);
  expect(lines.ranges[2]?.texts[1]).toBe('ERROR: the last line broke');
  const found = await person.get<Answer<'GET /api/outputs/:id/search'>>(
    `/api/outputs/${row?.id}/search?q=NUMBER+1499999+of`,
  );
  expect(found).toMatchObject({ total: 1, matches: [{ line: 1_499_999, column: 29 }] });
  const { errors } = await person.get<Answer<'GET /api/outputs/:id/findings'>>(
    `/api/outputs/${row?.id}/findings?part=${part}`,
  );
  expect(errors).toMatchObject({ total: 1, shown: 1, lines: [LINES + 1] });
  const status = readFileSync(`/proc/${inspector.child.pid}/status`, 'utf8');
  const peakKb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  expect(peakKb).toBeLessThan(400_000);
}, 240_000);
