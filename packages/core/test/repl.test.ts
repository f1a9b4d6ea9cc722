// What an interpreter did, as a library function: each part bounded, the whole bounded, with tags
// or without.
import { spawn } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processRepl } from '../src/index.ts';
import { openSpillway } from './opening.ts';

const CALL = { tool: 'run_python', session: 's', scope: 's' };
const LONG = Array.from({ length: 2_000 }, (_, i) => `line ${i + 1} of what was said\n`).join('');
const spillway = () => openSpillway();

describe('the result of an interpreter', () => {
  it('is shown whole within the limits, by its parts', async () => {
    const { text } = await processRepl(spillway(), CALL, { printed: 'hello\n', value: { a: 1 } });
    expect(text).toBe('[printed]\nhello\n[value]\n{"a":1}');
  });

  it('has at most 8,000 chars of each part and 16,000 in all, both ends of each, and says what is missing', async () => {
    const lines = (word: string) => Array.from({ length: 4_000 }, (_, i) => `${word} ${i + 1}`).join('\n');
    const { text, projection } = await processRepl(spillway(), CALL, {
      printed: lines('printed'),
      value: lines('value'),
      error: lines('error'),
    });
    expect(text.length).toBeLessThanOrEqual(16_000);
    expect(projection.metadata.was_truncated).toBe(true);
    for (const word of ['printed', 'value', 'error']) {
      expect(text).toContain(`${word} 1\n`);
      expect(text).toContain(`${word} 4000`);
      expect(text).toMatch(new RegExp(String.raw`\([\d,]+ chars truncated from ${word}\)`));
      const shown = text.match(new RegExp(`^${word} \\d+$`, 'gm'))?.join('\n').length ?? 0;
      expect(shown).toBeGreaterThan(1_000);
      expect(shown).toBeLessThanOrEqual(8_000);
    }
  });

  it.each([
    ['only what it printed', { printed: LONG, value: { small: true } }, { printed: 'cut', value: 'whole' }],
    ['only its value', { printed: 'a word\n', value: LONG }, { printed: 'whole', value: 'cut' }],
    ['both', { printed: LONG, value: LONG }, { printed: 'cut', value: 'cut' }],
  ])('that is long in %s is cut there, to 8,000, with both of its ends', async (_, result, expected) => {
    const { text } = await processRepl(spillway(), CALL, result, { tag: 'python_result' });
    expect(text.length).toBeLessThanOrEqual(16_000);
    for (const [part, how] of Object.entries(expected)) {
      const marker = new RegExp(String.raw`\([\d,]+ chars truncated from ${part}\)`);
      expect(marker.test(text)).toBe(how === 'cut');
    }
    const cut = Object.values(expected).filter((how) => how === 'cut').length;
    expect(text.match(/^line 1 of what was said$/gm)).toHaveLength(cut);
    expect(text.match(/^line 2000 of what was said$/gm)).toHaveLength(cut);
    const shown = (text.match(/^line \d+ of what was said$/gm) ?? []).join('\n').length;
    expect(shown).toBeGreaterThan(cut * 6_000);
    expect(shown).toBeLessThanOrEqual(cut * 8_000);
  });

  it('of a tool call is bounded too, with its summary', async () => {
    const policy = { strategy: 'head_tail', inlineLimit: 16_000, perPartLimit: 8_000 } as const;
    const own = spillway();
    const result = { kind: 'repl', printed: LONG, value: { rows: LONG } } as const;
    const { projection } = await own.process({ ...CALL, input: { code: LONG } }, result, { policy });
    expect(projection.text.length).toBeLessThanOrEqual(16_000);
    expect(projection.text.length).toBeGreaterThan(10_000);
    expect(((await own.sealed({ projection }))?.summary ?? '').length).toBeLessThanOrEqual(100);
  });

  it('that prints a hundred thousand times stays bounded, as does what it is injected as', async () => {
    const script = 'for (let i = 1; i <= 100_000; i++) console.log(`print ${i}`)';
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const own = spillway();
    const { text, projection } = await processRepl(
      own,
      CALL,
      { printed: child.stdout },
      { tag: 'python_result' },
    );
    expect(text.length).toBeLessThanOrEqual(16_000);
    expect(text.startsWith('<python_result>\n')).toBe(true);
    expect(text).toContain('print 1\n');
    expect(text).toContain('print 100000\n');
    const parts = (await own.sealed({ projection }))?.parts ?? [];
    expect(parts.find(({ name }) => name === 'printed')?.lines).toBe(100_000);
  });

  it('of any size stays within the limit with its tags, for any tag', async () => {
    const chars = fc.integer({ min: 0, max: 40_000 });
    await fc.assert(
      fc.asyncProperty(chars, chars, chars, fc.integer({ min: 400, max: 20_000 }), async (a, b, c, limit) => {
        const result = { printed: 'p'.repeat(a), value: 'v'.repeat(b), error: 'e'.repeat(c) };
        const { text } = await processRepl(spillway(), CALL, result, {
          tag: 'python_result',
          policy: { inlineLimit: limit, artifactThreshold: 50_000 },
        });
        expect(text.length).toBeLessThanOrEqual(limit);
        expect(text.startsWith('<python_result>\n') && text.endsWith('\n</python_result>')).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('that holds the closing tag cannot end its frame', async () => {
    const printed = 'a</python_result>b</python_result_2>';
    const { text } = await processRepl(spillway(), CALL, { printed }, { tag: 'python_result' });
    expect(text).toBe(`<python_result_3>\n[printed]\n${printed}\n</python_result_3>`);
  });

  it('is refused a limit that has no room for its tags', async () => {
    const options = { tag: 'python_result', policy: { inlineLimit: 320 } };
    await expect(processRepl(spillway(), CALL, { printed: 'x' }, options)).rejects.toThrow(
      'inline_limit must be at least 343 with the tag python_result',
    );
  });

  it('with an error is an error, and everything can be fetched', async () => {
    const own = spillway();
    const printed = 'x'.repeat(20_000);
    const { projection } = await processRepl(own, CALL, { printed, error: 'ValueError: no' });
    expect(projection.metadata.outcome).toEqual({ status: 'error' });
    const id = (await own.sealed({ projection }))?.id ?? '';
    const chunks: Uint8Array[] = [];
    for await (const chunk of await own.readRaw({ artifact_id: id, part: 'printed' }, 's'))
      chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(printed);
  });
});

it('what was printed and the value are bounded to 8,000 chars each and 16,000 in all, with both ends of each', async () => {
  const numbered = (word: string) => Array.from({ length: 9_000 }, (_, i) => `${word} ${i}`).join('\n');
  const only = async (result: { readonly printed?: string; readonly value?: string }) =>
    (await processRepl(openSpillway(), { tool: 'python', session: 's', scope: 's' }, result)).text;
  const [printed, value] = [await only({ printed: numbered('p') }), await only({ value: numbered('v') })];
  // The heading and the notice are beside the 8,000 of a part.
  for (const text of [printed, value]) {
    expect(text.length).toBeGreaterThan(7_000);
    expect(text.length).toBeLessThanOrEqual(8_400);
  }
  const both = await only({ printed: numbered('p'), value: numbered('v') });
  expect(both.length).toBeGreaterThan(14_000);
  expect(both.length).toBeLessThanOrEqual(16_000);
  for (const end of ['p 0\n', 'p 8999\n', 'v 0', 'v 8999']) expect(both).toContain(end);
  expect(both).toMatch(/\.\.\. \([\d,]+ chars truncated from printed\) \.\.\./);
});
