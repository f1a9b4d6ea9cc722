/** What `auto` chooses for calls and contents, and that chunks do not matter. */
import { type Outcome, Spillway } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { wordOf } from '../words.ts';

interface Given {
  readonly tool?: string;
  readonly input?: unknown;
  readonly outcome?: Outcome;
  readonly policy?: Readonly<Record<string, unknown>>;
}

async function chosen(text: string, { tool = 'tool', input, ...options }: Given = {}) {
  const spillway = new Spillway({ store: null });
  const call = { tool, session: 's', scope: 's', ...(input === undefined ? {} : { input }) };
  const { projection } = await spillway.process(call, { kind: 'text', text }, options);
  return projection;
}

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');
const code = lines(300, (i) => `export function step${i}(value: number): number { return value + ${i}; }`);
const log = lines(400, (i) => `2026-01-01T10:00:${String(i % 60).padStart(2, '0')}Z INFO step ${i} is done`);
const hits = lines(400, (i) => `src/file${i % 9}.ts:${i + 1}:  const value${i} = compute(${i});`);
const around = lines(600, (i) => {
  const separator = i % 12 === 6 ? ':' : '-';
  return i % 12 === 0 ? '--' : `src/file${i % 7}.ts${separator}${i}${separator}  const value${i} = ${i};`;
});
const json = JSON.stringify(Array.from({ length: 900 }, (_, id) => ({ id, name: `item ${id}` })));
const plain = lines(2_000, (i) => `line ${i}`);
const FAILED: Outcome = { status: 'error', exitCode: 1 };

describe('auto', () => {
  it.each([
    ['source code', code, {}, 'reading'],
    ['a source file', code, { tool: 'read_file', input: { path: 'a.ts' } }, 'reading'],
    ['what a command prints of a file', code, { tool: 'bash', input: { command: 'cat a.ts' } }, 'reading'],
    ['a log', log, {}, 'smart_summary'],
    ['search hits', hits, { tool: 'search_files' }, 'element'],
    ['hits with five lines around each', around, { tool: 'grep' }, 'element'],
    ['JSON', json, {}, 'element'],
    ['JSON of a call that failed', json, { tool: 'bash', outcome: FAILED }, 'element'],
    ['text of no known kind', plain, {}, 'head_tail'],
    ['the same in a file', plain, { tool: 'read_file' }, 'head_tail'],
    ['the same of a command that succeeded', plain, { tool: 'execute_command' }, 'head_tail'],
    ['the same of one that failed', plain, { tool: 'execute_command', outcome: FAILED }, 'tail'],
    [
      'the same with one line unlike all others',
      `${plain}Published at https://a.example\n${plain}`,
      {},
      'smart_summary',
    ],
    ['text that tells of an error', `${plain}ERROR: disk full\n${plain}`, {}, 'smart_summary'],
  ])('shows %s by its strategy', async (_, text, given, strategy) => {
    expect((await chosen(text, given)).metadata.strategy_used).toBe(strategy);
  });

  it('shows a long document that breaks at its very end as the text it is, and says so', async () => {
    const long = JSON.stringify(
      Array.from({ length: 9_000 }, (_, id) => ({ id, name: `item ${id}` })),
      null,
      1,
    );
    for (const strategy of ['auto', 'element']) {
      const policy = { strategy };
      const [whole, broken] = [await chosen(long, { policy }), await chosen(`${long}]`, { policy })];
      expect([whole.metadata.strategy_used, broken.metadata.strategy_used]).toEqual(['element', 'head_tail']);
      expect(broken.text).toContain('"name": "item 8999"');
    }
  });

  it('decides on the whole text: a log behind a long preamble is one', async () => {
    const readme = lines(150, (i) => `This is sentence ${i} of a long preamble that a program prints.`);
    const text = `${readme}${log.repeat(4)}ERROR: step 400 has failed\n`;
    const { metadata, text: shown } = await chosen(text, { tool: 'bash' });
    expect(metadata.strategy_used).toBe('smart_summary');
    expect(shown).toContain('ERROR: step 400 has failed');
  });

  it('keeps the one line that is unlike all others, wherever it stands and without a word for failure', async () => {
    const steps = lines(1_500, (i) => `Uploading layer ${i} of the image, ${i * 3} bytes`);
    const { text: shown } = await chosen(`${steps}Service live at https://web.example/v1.4.2\n${steps}`);
    expect(shown).toContain('Service live at https://web.example/v1.4.2');
  });

  it('summarises prose that a command prints behind a log, where the command ends badly', async () => {
    const list = lines(900, (i) => `${i}. https://example.org/a/long/path/to/some/page/${i * 7}`);
    const text = `${log}${list}The command "check-links" exited with 1.\n`;
    expect((await chosen(text, { tool: 'bash' })).metadata.strategy_used).toBe('smart_summary');
  });

  it('leaves a strategy alone that somebody named', async () => {
    expect((await chosen(code, { policy: { strategy: 'head' } })).metadata.strategy_used).toBe('head');
  });

  it('does not look at the text where that is turned off', async () => {
    const { metadata } = await chosen(code, { policy: { contentDetection: false } });
    expect(metadata.omitted).toHaveLength(1);
  });

  it('chooses the same however the text arrives, also where it is longer than what is held', async () => {
    const text = `${code.repeat(6)}${log}`;
    const spillway = new Spillway({ store: null });
    const whole = await chosen(text);
    for (const size of [997, 40_000]) {
      const capture = await spillway.open({ tool: 'tool', session: 's', scope: 's' });
      const part = capture.part({ name: 'text' });
      for (let at = 0; at < text.length; at += size) await part.write(text.slice(at, at + size));
      const { projection } = await capture.finish({ outcome: { status: 'ok' }, complete: true });
      expect(projection.text).toBe(whole.text);
    }
  });
});

describe('runs of like lines', () => {
  const objects = (count: number) => lines(count, (i) => `  CC      src/${wordOf(i)}/${wordOf(i * 7)}.o`);

  it('are told by their number, with the first of them and the last', async () => {
    const { text } = await chosen(`make: Entering directory '/srv'\n${objects(2_000)}  LD      app\n`, {
      tool: 'execute_command',
      outcome: { status: 'ok', exitCode: 0 },
    });
    expect(text).toContain(
      '\n  CC      src/b/b.o\n  CC      src/c/k.o\n\n' +
        '... [1,997 lines / 49,037 chars omitted: like those above] ...\n  CC      src/krv/fjnm.o\n  LD      app\n',
    );
    expect(text.length).toBeLessThan(600);
  });

  it('leave what failed among them with what stands around it', async () => {
    const error = "src/shop.c:21:9: error: 'cart' undeclared\n   21 |   cart = 1;\n      |   ^~~~\n";
    const { text } = await chosen(`${objects(1_000)}${error}${objects(1_000)}make: *** [all] Error 1\n`, {
      tool: 'execute_command',
      outcome: FAILED,
    });
    expect(text).toContain(error);
    expect(text.endsWith('make: *** [all] Error 1\n')).toBe(true);
    expect(text.length).toBeLessThan(900);
  });

  it.each([
    [
      '✓ closes',
      (i: number) => ` ✓ test/${wordOf(i)}.test.ts (${i} tests) ${i}ms`,
      ' Test Files  900 passed (900)',
    ],
    ['ok', (i: number) => `ok ${i + 1} - closes ${wordOf(i)}`, '# pass  900'],
    ['PASSED', (i: number) => `tests/test_${wordOf(i)}.py::test_${i} PASSED`, '===== 900 passed in 2s ====='],
  ])('of passing tests (%s) are few words, whether or not the exit code is known', async (_, line, end) => {
    for (const given of [{}, { tool: 'bash', outcome: { status: 'ok', exitCode: 0 } as Outcome }]) {
      const { text } = await chosen(`${lines(900, line)}\n${end}\n`, given);
      expect(text).toContain(end);
      expect(text.length).toBeLessThan(600);
    }
  });

  it('are no runs of data: rows that begin with a name are not folded', async () => {
    const { text } = await chosen(lines(900, (i) => `name-${i} is used by part ${i} of it`));
    expect(text.length).toBeGreaterThan(7_500);
  });

  it('are not frames of a stack below an error', async () => {
    const frames = lines(10, (i) => `    at step${i} (/srv/app/file${i}.js:${i}:7)`);
    const { text } = await chosen(`${log.repeat(2)}Error: cart is empty\n${frames}`, {
      tool: 'bash',
      outcome: FAILED,
    });
    expect(text).toContain(frames);
  });
});

describe('a text that repeats itself', () => {
  it('is shown by the ends of its runs, and the room stays empty', async () => {
    const { text } = await chosen(`${lines(3_000, () => 'waiting for lock')}got it\n`, { tool: 'run' });
    expect(text).toContain(
      'waiting for lock\n\n... [2,999 lines / 50,983 chars omitted: the line above ×2,999] ...\ngot it\n',
    );
    expect(text.length).toBeLessThan(400);
  });

  it('is shown whole if it fits without its colours', async () => {
    const { text } = await chosen('\u001b[31mred\u001b[0m\n'.repeat(900), { tool: 'run' });
    expect(text).toContain('red\n'.repeat(900));
  });

  it('is no table because its line has a comma', async () => {
    const { metadata, text } = await chosen(lines(3_000, () => 'connection refused, retrying'));
    expect(metadata.strategy_used).not.toBe('element');
    expect(text.length).toBeLessThan(500);
  });
});

describe('a diff that is larger than the table', () => {
  it('names its files, and counts nothing that it has not seen', async () => {
    const file = (f: number) =>
      `diff --git a/src/f${f}.ts b/src/f${f}.ts\n--- a/src/f${f}.ts\n+++ b/src/f${f}.ts\n@@ -1,300 +1,600 @@\n${lines(900, (i) => (i % 3 === 0 ? `-old ${f} ${i} ${'x'.repeat(40)}` : `+new ${f} ${i} ${'y'.repeat(40)}`))}`;
    const { text } = await chosen(Array.from({ length: 60 }, (_, f) => file(f)).join(''), {
      tool: 'execute_command',
      input: { command: 'git diff' },
    });
    const named = text.split('\n').filter((line) => line.startsWith('· '));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((line) => !/^· src\/f\d+\.ts(?: \+600 −300)?$/.test(line))).toEqual([]);
  });
});

describe('a long list of commits', () => {
  it('goes on without a hole until it ends', async () => {
    const commit = (i: number) =>
      `commit ${i.toString(16).padStart(40, 'a')}\nAuthor: A B <a@b>\nDate:   Mon May 4 10:00:00 2026 +0000\n\n    change ${i} ${'word '.repeat(i % 17)}\n\n src/a${i}.ts | 2 +-\n 1 file changed\n\n`;
    const { text } = await chosen(Array.from({ length: 120 }, (_, i) => commit(i)).join(''), {
      tool: 'execute_command',
      input: { command: 'git log --stat' },
    });
    const numbers = [...text.matchAll(/^· a*[0-9a-f]+ .*: change (\d+)\b/gm)].map(([, n]) => Number(n));
    const [first = 0] = numbers;
    expect(numbers.slice(0, -1)).toEqual(numbers.slice(0, -1).map((_, i) => first + i));
    expect(numbers.at(-1)).toBe(119);
  });
});
