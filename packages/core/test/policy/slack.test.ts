/** A result that is little over its limit passes whole; a limit that somebody gave for it holds. */
import { describe, expect, it } from 'vitest';
import { openSpillway } from '../opening.ts';

const CALL = { tool: 'run', session: 's', scope: 's' };
const text = (chars: number) => `${'a line of words\n'.repeat(Math.ceil(chars / 16)).slice(0, chars - 1)}\n`;

async function shown(chars: number, settings: object = {}, policy: object = {}): Promise<string> {
  const spillway = openSpillway();
  spillway.configureSession('s', settings);
  return (await spillway.process(CALL, { kind: 'text', text: text(chars) }, { policy })).projection.text;
}

describe('slack', () => {
  it('lets a result pass that is over inline_limit by at most 15 %', async () => {
    expect(await shown(9_200)).toBe(text(9_200));
    const cut = await shown(9_201);
    expect(cut).toMatch(/^\[Showing /);
    expect(cut.length).toBeLessThanOrEqual(8_000);
  });

  it('is a setting', async () => {
    expect(await shown(8_001, { slack: 0 })).toMatch(/^\[Showing /);
    expect(await shown(12_000, { slack: 0.5 })).toBe(text(12_000));
    expect(await shown(4_600, { inlineLimit: 4_000 })).toBe(text(4_600));
  });

  it('does not widen a limit that was given for the call, nor max_lines', async () => {
    expect((await shown(8_001, {}, { inlineLimit: 8_000 })).length).toBeLessThanOrEqual(8_000);
    expect(await shown(8_001, { maxLines: 400 })).toMatch(/^\[Showing /);
  });
});
