/**
 * Arguments and results that were made to keep a parser busy for hours: each is answered, and the
 * process goes on. A scan that is not linear ends these tests by their timeout.
 */
import { describe, expect, it } from 'vitest';
import { textOf, through, workspace } from '../gateway/peer.ts';
import { freshWorkspace, numberedLines } from '../program.ts';

const BLANKS = ' '.repeat(3_000);
const CALLED = { name: 't', arguments: '{}' };
const UNLIKE_A_RANGE = (name: string) => `${name} must look like 12-40, 12- or 12.`;

describe('an argument of blanks', () => {
  it('is refused by the gateway, which answers the next call', async () => {
    const gateway = through(await workspace());
    await gateway.initialize();
    const id = /art_\w+/.exec(textOf(await gateway.call('emit', { chars: 60_000 })))?.[0];
    for (const name of ['lines', 'chars', 'rows'])
      for (const given of [`${BLANKS}x`, `1${BLANKS}x`, `${'1'.repeat(9_000)}x`]) {
        const answer = await gateway.call('get_artifact', { artifact_id: id, [name]: given });
        expect(answer.result.isError, name).toBe(true);
        expect(textOf(answer), name).toContain(UNLIKE_A_RANGE(name));
      }
    for (const name of ['lines', 'line_range', 'chars']) {
      const args = { path: '/a', [name]: `${'-'.padStart(1_000_000)}x`, chars: 60_000 };
      expect(textOf(await gateway.call('emit', args))).toContain('line 1 of what was said');
    }
    expect(textOf(await gateway.call('get_artifact', { artifact_id: id, lines: ' 2 - 3 ' }))).toContain(
      'line 3 of what was said',
    );
  });

  it('is refused by the program', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = (await truncate(numberedLines(3_000))).artifact?.id ?? '';
    for (const flag of ['lines', 'chars']) {
      const { code, stderr } = await run(['artifacts', 'show', id, `--${flag}`, `${BLANKS}x`]);
      expect([code, stderr]).toEqual([2, `spillway: ${UNLIKE_A_RANGE(flag)}\n`]);
    }
  });
});

it('a search whose words stand in most lines of a long output shows the best three, in linear time', async () => {
  const gateway = through(await workspace());
  await gateway.initialize();
  await gateway.call('emit', { chars: 10_000_000 });
  const text = textOf(await gateway.call('get_artifact', { search: 'line 12' }));
  expect([...text.matchAll(/^ {2}(\d+): line (\d+) /gm)].map(([, at, line]) => [at, line])).toEqual([
    ['12', '12'],
    ['112', '112'],
    ['120', '120'],
  ]);
});

describe('an imported result', () => {
  it('is searched for marks of a cut in linear time', async () => {
    const { run } = await freshWorkspace();
    const units = ['\n', '\n...', '...1', '1,', '[showing 1', '... ', 'full output:'];
    const calls = units.map((_, i) => ({ id: `c${i}`, type: 'function', function: CALLED }));
    const results = units.map((unit, i) => ({
      role: 'tool',
      tool_call_id: `c${i}`,
      content: `x${unit.repeat(300_000 / unit.length)}x`,
    }));
    const input = JSON.stringify([{ role: 'assistant', content: null, tool_calls: calls }, ...results]);
    const ran = await run(['sessions', 'import', '--as', 'openai_chat', '--session', 's'], { input });
    expect([ran.code, ran.stdout]).toEqual([0, 'Imported 8 messages and 7 outputs into session s.\n']);
  });
});
