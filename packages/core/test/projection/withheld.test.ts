/** Bytes that are no text are named, not shown: what a model reads then. */
import { expect, it } from 'vitest';
import { withheldSentence } from '../../src/wording/notice-lines.ts';
import { openSpillway } from '../opening.ts';

const png = Uint8Array.from({ length: 20_008 }, (_, i) =>
  i < 8 ? ([137, 80, 78, 71, 13, 10, 26, 10][i] ?? 0) : (Math.imul(i, 2_654_435_761) >>> 13) & 255,
);

it('the sentence names kind and size of each, and its stream where there are several', () => {
  expect(withheldSentence([{ name: null, what: 'PNG image', bytes: 30_000 }])).toBe(
    'Not shown, as it is binary: PNG image, 30,000 bytes.',
  );
  const both = ['stdout', 'stderr'].map((name) => ({ name, what: 'gzip archive', bytes: 1 }));
  expect(withheldSentence(both)).toBe(
    'Not shown, as it is binary: stdout (gzip archive, 1 byte), stderr (gzip archive, 1 byte).',
  );
});

it('the notice has it where something is withheld, and no line of it where nothing is', async () => {
  const spillway = openSpillway();
  const call = (callId: string) => ({ tool: 'read_file', session: 's', scope: 'x', callId });
  const shown = await spillway.process(call('1'), { kind: 'exec', stdout: png, stderr: '', exitCode: 0 });
  expect(shown.projection.text).toContain(
    '[Not shown, as it is binary: stdout (PNG image, 20,008 bytes).]\n',
  );
  const plain = await spillway.process(call('2'), { kind: 'text', text: 'a line\n'.repeat(3_000) });
  expect(plain.projection.text).not.toContain('Not shown');
});
