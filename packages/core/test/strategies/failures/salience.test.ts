import { describe, expect, it } from 'vitest';
import { CALL, openSpillway, shown } from '../../opening.ts';
import { wordOf } from '../../words.ts';

const quiet = (i: number) =>
  `2026-01-01 10:00:${String(i % 60).padStart(2, '0')} INFO request ${i} handled in ${i % 90} ms`;
const log = Array.from({ length: 20_000 }, (_, i) =>
  i === 10_000 ? '2026-01-01 10:00:40 ERROR connection to the database lost' : quiet(i),
).join('\n');

describe('one error in the middle of 20,000 lines', () => {
  it.each(['head', 'tail', 'head_tail', 'size_limit', 'lines', 'smart_summary'])(
    'is shown under %s, in order, with exact gaps around it',
    async (strategy) => {
      const { text, metadata } = await shown(log, { strategy });
      expect(text).toContain('ERROR connection to the database lost');
      expect(text.length).toBeLessThanOrEqual(8_000);
      const lines = log.split('\n').length;
      const numbers = [...text.matchAll(/^(?:\d+: )?(?:2026\S* \S* )?INFO request (\d+) /gm)].map((match) =>
        Number(match[1]),
      );
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      const omitted = metadata.omitted.reduce((sum, gap) => sum + gap.lines, 0);
      expect(omitted + numbers.length + 1).toBe(lines);
    },
  );

  it('is left where it is when nobody wants errors preserved', async () => {
    expect(
      (await shown(log, { strategy: 'head_tail', preserveErrors: false, preserveWarnings: false })).text,
    ).not.toContain('database lost');
  });

  it('takes at most its share: the rest stays with the beginning and the end', async () => {
    const noisy = Array.from({ length: 5_000 }, (_, i) =>
      i % 3 === 0 ? `2026-01-01 10:00:00 ERROR job ${i} failed: reason ${(i * 7919) % 997}` : quiet(i),
    ).join('\n');
    const { text } = await shown(noisy, { strategy: 'head_tail', salientShare: 0.3 });
    expect(text).toContain('request 1 handled');
    expect(text).toContain('request 4999 handled');
  });
});

describe('room', () => {
  const failing = (blank: string) =>
    Array.from({ length: 400 }, (_, i) => [
      `stdout | src/rule${i}.test.ts > price ${i}`,
      `rule ${i} ok`,
      blank,
      ...(i % 40 === 20 ? [` × src/rule${i}.test.ts > rounds half to even`, '   → expected 3 to be 2'] : []),
    ])
      .flat()
      .join('\n');

  it('is not spent on markers that are longer than what they hide', async () => {
    const { text } = await shown(failing(''), { strategy: 'smart_summary', inlineLimit: 4_000 });
    expect(text).toContain('rounds half to even');
    const hidden = [...text.matchAll(/\.\.\. \[\d+ lines? \/ (\d+) chars omitted/g)].map((match) =>
      Number(match[1]),
    );
    expect(hidden.length).toBeGreaterThan(0);
    expect(Math.min(...hidden)).toBeGreaterThan(30);
  });

  it.each(['  ', '\t', '   │'])('is not spent on a line of %j between two markers', async (blank) => {
    const { text } = await shown(failing(blank), { strategy: 'smart_summary', inlineLimit: 4_000 });
    expect(text).toContain('rounds half to even');
    expect(text).not.toMatch(/omitted[^\n]*\.\.\.\n\n?[\s│]*\n\.\.\. \[/);
  });
});

describe('a room of 300 chars', () => {
  it('has the error, not its stack or its count', async () => {
    const stack = Array.from({ length: 6 }, (_, i) => `    at step${i} (/srv/app/orders.js:1${i}:27)`);
    const error = "TypeError: Cannot read properties of undefined (reading 'name')";
    const ticks = Array.from({ length: 400 }, (_, i) => `tick ${i}`);
    const lines = [...ticks, '/srv/app/orders.js:12', '', error, ...stack, '', 'Node.js v24.1.0', ''];
    const { text } = await shown(lines.join('\n'), { inlineLimit: 300 });
    expect(text).toContain(error);
    expect(text).not.toContain('Error lines');
  });
});

describe('a warning beside failures', () => {
  const words = 'alpha bravo delta echo golf hotel india kilo lima mike oscar papa quebec romeo'.split(' ');
  const word = (i: number, n: number) => words[(i >> (4 * n)) % words.length];
  const lines = Array.from({ length: 900 }, (_, i) =>
    i % 180 === 0
      ? `ERROR: job ${word(i, 0)} failed, no route to host ${word(i, 1)}`
      : `unit ${word(i * 7919, 0)} ${word(i * 7919, 1)} ${word(i * 7919, 2)}: ${word(i * 31, 1)} of ${word(i * 17, 0)}`,
  );
  lines[330] = 'WARNING: job 330 is done late';

  it.each([true, false])('is kept if warnings are preserved: %s', async (preserveWarnings) => {
    expect((await shown(lines.join('\n'), { preserveWarnings })).text.includes('is done late')).toBe(
      preserveWarnings,
    );
  });
});

describe('errors that end alike', () => {
  it('leave room for another one, whoever said them', async () => {
    const browsers = ['Chrome', 'Firefox', 'Safari', 'Edge', 'Opera', 'Brave', 'Vivaldi', 'Konqueror'];
    const noise = browsers.map(
      (name) =>
        `${name} LOG: 'Attempting to configure the module with a descriptor that nobody can read and got error, giving up: TypeError: undefined is not an object!'`,
    );
    const log = [
      ...noise.flatMap((line, i) => [line, ...Array.from({ length: 30 }, (_, j) => quiet(30 * i + j))]),
      'injector should throw if its value was not set FAILED',
      '    Expected function to throw an Error.',
      ...[...'abcdefghijklmnop'].map((name, i) => `    at run_${name} (src/zone/${name}.js:${i}:17)`),
      ...Array.from({ length: 300 }, (_, i) => quiet(i)),
    ].join('\n');
    const { text } = await shown(log, { strategy: 'smart_summary', inlineLimit: 2_200 });
    expect(text).toContain('giving up: TypeError');
    expect(text).toContain('at run_p (src/zone/p.js:15:17)');
  });
});

describe('a run of errors that differ in a number', () => {
  it('leaves room for another error, however long its lines are', async () => {
    const long = (i: number) =>
      `[1537:0214/0652${i}.734:ERROR:bus.cc(397)] Failed to connect to the bus at /var/run/dbus/system_bus_socket, for the desktop integration of the page renderer: No such file or directory`;
    const log = [
      ...Array.from({ length: 300 }, (_, i) => quiet(i)),
      ...Array.from({ length: 12 }, (_, i) => long(40 + i)),
      ...Array.from({ length: 40 }, (_, i) => quiet(i)),
      'page.c:9: Assertion `size > 0` failed: cannot draw an empty page',
      ...[...'abcdefghijklmnop'].map((name, i) => `    #${i} draw_${name} src/draw/${name}.c:${i}`),
      ...Array.from({ length: 300 }, (_, i) => quiet(i)),
    ].join('\n');
    const { text } = await shown(log, { strategy: 'smart_summary', inlineLimit: 2_200 });
    expect(text).toContain('Failed to connect to the bus');
    expect(text).toContain('#15 draw_p');
  });
});

describe('tests that failed and differ in a number', () => {
  it('are all named, each with a long trace below it', async () => {
    const trace = (i: number) =>
      Array.from({ length: 40 }, (_, k) => `    at step${k} (/srv/app/src/part${i}/file${k}.js:${k}:${i})`);
    const failed = Array.from({ length: 24 }, (_, i) => [
      `FAILED tests/negotiation.test.js test_host_key_${i}`,
      `Error: banner ${i} was not read`,
      ...trace(i),
    ]);
    const { text } = await shown(failed.flat().join('\n'), { strategy: 'smart_summary', inlineLimit: 4_000 });
    expect(failed.filter(([name = '']) => !text.includes(`${name}\n`))).toEqual([]);
  });
});

describe('formatting', () => {
  it('is left out of lines that are kept, counted, and said', async () => {
    const coloured = Array.from({ length: 3_000 }, (_, i) =>
      i === 1_500
        ? '\u001b[31mFAILED\u001b[0m tests/orders.py::test_discount - AssertionError: 3 != 4'
        : `\u001b[32mPASSED\u001b[0m tests/orders.py::test_${i}`,
    ).join('\n');
    const { text, metadata } = await shown(coloured, { strategy: 'smart_summary' });
    expect(text).toContain('FAILED tests/orders.py::test_discount - AssertionError: 3 != 4\n');
    expect(metadata.elided_chars).toBeGreaterThan(0);
    expect(text).toMatch(/Formatting left out: [\d,]+ chars\.\]/);
  });
});

describe('a line that a carriage return overwrote', () => {
  const steps = Array.from({ length: 600 }, (_, i) => `step ${wordOf(i)} done without trouble\n`).join('');
  const built = (progress: string) => `${steps}${progress}ERROR: the disk is full\n${steps}`;

  it('is left out as formatting where the one in its place is shown', async () => {
    const bar = Array.from({ length: 50 }, (_, i) => `fetching ${i * 2} %`).join('\r');
    const { text, metadata } = await shown(built(`${bar}\n`), {
      strategy: 'smart_summary',
      inlineLimit: 3_000,
    });
    expect(text).toContain('fetching 98 %\nERROR: the disk is full\n');
    expect(text).not.toContain('fetching 96 %');
    expect(metadata.elided_chars).toBe('fetching 0 %\r'.length * 5 + 'fetching 10 %\r'.length * 44);
  });

  it.each([
    ['|\u2588\u2588  | 10 %\r|\u2588\u2588\u2588 | 20 %\n', '10 %'],
    ['10/20\r11/20\n', '10/20'],
  ])('is known by its looks, numbers and bars apart: %j', async (progress, gone) => {
    const { text } = await shown(built(progress), { strategy: 'smart_summary', inlineLimit: 3_000 });
    expect(text).not.toContain(gone);
  });

  it('is not taken for another in a script without Latin letters', async () => {
    const { text } = await shown(built('失败一\r成功二\n'), {
      strategy: 'smart_summary',
      inlineLimit: 3_000,
    });
    expect(text).toContain('失败一\r成功二\n');
  });

  it('is shown where what follows it does not look like it', async () => {
    const { text } = await shown(built('error: cannot open the device\rretrying with another\n'), {
      strategy: 'smart_summary',
      inlineLimit: 3_000,
    });
    expect(text).toContain('error: cannot open the device\rretrying with another\n');
  });
});

describe('what was found', () => {
  const noisy = Array.from({ length: 3_000 }, (_, i) =>
    i % 10 === 5 ? `ERROR: job ${i} failed` : i % 100 === 51 ? 'warning: slow disk' : `step ${i} ok`,
  ).join('\n');

  it('is told in one line, shown or not', async () => {
    const { text } = await shown(noisy, { strategy: 'smart_summary', inlineLimit: 1_000 });
    const errors = text.match(/^(?:\d+: )?ERROR: job/gm)?.length ?? 0;
    const warnings = text.match(/^(?:\d+: )?warning: slow/gm)?.length ?? 0;
    expect(errors).toBeGreaterThan(0);
    expect(text).toContain(
      `[Error lines: ${errors} of 300 shown, 1 kind. Warning lines: ${warnings} of 30 shown, 1 kind.]`,
    );
  });

  it.each(['head_tail', 'lines'])('counts what the positional ranges of %s show too', async (strategy) => {
    const { text } = await shown(noisy, { strategy, inlineLimit: 2_000 });
    const errors = text.match(/^ERROR: job/gm)?.length ?? 0;
    expect(text).toContain(`[Error lines: ${errors} of 300 shown, 1 kind.`);
  });

  it('is nothing in a log without trouble', async () => {
    const { text, metadata } = await shown('step done without trouble\n'.repeat(900), {
      strategy: 'smart_summary',
    });
    expect(text).not.toContain('Errors:');
    expect(metadata.omitted).toHaveLength(1);
  });
});

describe('a warning in the middle', () => {
  const warned = log.replace('ERROR connection to the database lost', 'WARN disk nearly full: 97 %');

  it('is kept as preserve_warnings says, also without any error', async () => {
    const kept = await shown(warned, { strategy: 'head_tail' });
    expect(kept.text).toContain('WARN disk nearly full: 97 %');
    expect(kept.text).toContain('[Warning lines: 1.');
    const left = await shown(warned, { strategy: 'head_tail', preserveWarnings: false });
    expect(left.text).not.toContain('WARN disk');
  });

  it('is kept a few times, not hundreds of times', async () => {
    const many = log.replaceAll(/INFO request (\d+)5 handled/g, 'WARN disk $15 nearly full');
    const { text, metadata } = await shown(many, { strategy: 'head_tail' });
    expect(text).toMatch(/Warning lines: \d+ of 1,999 shown/);
    expect(metadata.omitted.length).toBeLessThan(9);
  });
});

describe('a run that ended well', () => {
  const chatty = `${log.replace('connection to the database lost', 'expected in this test: no connection')}\n`;

  it('leaves its errors little room, and shows its beginning and end', async () => {
    for (const strategy of ['head_tail', 'smart_summary']) {
      const errors = chatty.replaceAll(/INFO request (\d+)7 /g, 'ERROR handler $17 refused: ');
      const { text, metadata } = await shown(`${errors}BUILD SUCCESS\n`, { strategy });
      const between = metadata.omitted
        .slice(1)
        .reduce((sum, gap, i) => sum + gap.first_char - (metadata.omitted[i]?.last_char ?? 0) - 1, 0);
      expect(text).toContain('request 1 handled');
      expect(between).toBeGreaterThan(0);
      expect(between).toBeLessThan(900);
      const failed = await shown(errors, { strategy });
      expect(failed.metadata.omitted.length).toBeGreaterThan(metadata.omitted.length);
    }
  });

  it('did not end well if an error follows', async () => {
    const { text } = await shown(`${chatty}BUILD SUCCESS\nERROR: upload failed\n`, {
      strategy: 'smart_summary',
    });
    expect(text).toContain('BUILD SUCCESS\nERROR: upload failed\n');
    expect(text).toContain('expected in this test');
  });
});

describe('a pattern of a host', () => {
  it('makes lines salient from the next output on', async () => {
    const spillway = openSpillway({
      ownPatterns: { errors: [/^QX-\d+/m], warnings: [] },
    });
    const text = `${`${quiet(1)}\n`.repeat(900)}QX-17 has come to an end\n${`${quiet(2)}\n`.repeat(900)}`;
    const policy = { strategy: 'head_tail' };
    const shownOf = async () =>
      (await spillway.process(CALL, { kind: 'text', text }, { policy })).projection.text;
    expect(await shownOf()).toContain('QX-17 has come to an end');
    spillway.setOwnPatterns({ errors: [], warnings: [] });
    expect(await shownOf()).not.toContain('QX-17');
  });
});

describe('the lines of a long line', () => {
  it('are not shown in part where only whole lines are', async () => {
    const giant = `ERROR: ${'word '.repeat(4_000)}\n`;
    const text = `${quiet(1)}\n`.repeat(300) + giant + `${quiet(2)}\n`.repeat(300);
    expect((await shown(text, { strategy: 'lines' })).text).not.toContain('word word');
    expect((await shown(text, { strategy: 'head_tail' })).text).toContain('ERROR: word word');
  });
});

describe('the same line over and over', () => {
  const pad = Array.from({ length: 400 }, (_, i) => `step ${wordOf(i)} went on`).join('\n');
  const text = `${pad}\n${'ERROR: no route to host\n'.repeat(500)}ERROR: giving up\n${pad}\n`;

  it('is shown once, and counted', async () => {
    const { text: words, metadata } = await shown(text, { strategy: 'smart_summary', inlineLimit: 1_200 });
    expect(words).toContain(
      'ERROR: no route to host\n\n... [499 lines / 11,976 chars omitted: the line above ×499] ...\nERROR: giving up\n',
    );
    expect(words).toContain('[Error lines: 2 of 501 shown, 2 kinds.');
    expect(metadata.omitted.some((gap) => gap.lines === 499)).toBe(true);
  });

  it('is not counted as one where it differs in a number', async () => {
    const counting = text.replaceAll(/host\n/g, () => `host ${Math.random()}\n`);
    expect((await shown(counting, { strategy: 'smart_summary' })).text).not.toContain('the line above');
  });
});

describe('sentences that a command says', () => {
  const words = ['quick', 'brown', 'rather lazy', 'old', 'somewhat hungry'];
  const sentences = Array.from(
    { length: 200 },
    (_, i) =>
      `The ${words[i % 5]} fox has jumped over the ${words[(i * 3) % 5]} dog once more${i % 2 ? ' today' : ''}.\n`,
  ).join('');
  const reported = `${sentences}Error: the fence could not be found anywhere near here.\n${sentences}`;

  const weak = reported
    .split('\n')
    .map((line, i) => (i % 3 === 0 ? line.replace(' jumped', ' not jumped, as is known,') : line));

  it('keep their errors, and only those that are sure where the others are common', async () => {
    const spillway = openSpillway();
    const run = async (stdout: string, exitCode: number) =>
      (
        await spillway.process(
          CALL,
          { kind: 'exec', stdout, stderr: '', exitCode },
          { policy: { strategy: 'tail' } },
        )
      ).projection.text;
    for (const exitCode of [0, 1])
      expect(await run(reported, exitCode)).toContain('Error: the fence could not be found');
    expect((await run(weak.join('\n'), 0)).match(/^\.\.\. \[/gm)).toHaveLength(2);
  });
});

describe('text that is not the output of a command', () => {
  it('keeps its positional ranges: prose and code that speak of errors are not logs', async () => {
    const prose = `${'Handling errors well is an art. Every error message should tell the reader what to do next.\n\n'.repeat(40)}${'The committee met on Tuesday and discussed the garden at length, as it does.\n\n'.repeat(200)}`;
    const { metadata } = await shown(prose, { strategy: 'head_tail' });
    expect(metadata.omitted).toHaveLength(1);
  });
});

describe('why a block was kept', () => {
  it('is told by cause, the strongest first, without freezing anything', async () => {
    const spillway = openSpillway();
    const steps = Array.from({ length: 500 }, (_, i) => `${quiet(i)}\n`).join('');
    const text = `${steps}TypeError: x is not a function\n    at a (b.js:1:2)\n${steps}`;
    const policy = { strategy: 'head_tail' };
    const { projection } = await spillway.process(CALL, { kind: 'text', text }, { policy });
    const id = projection.metadata.artifact_id;
    if (id === null) throw new Error('nothing was cut');
    const [first] = await spillway.reasons({ scope: 's', id }, { policy });
    const blocks = first?.blocks ?? [];
    expect(blocks.map(({ causes }) => causes[0]?.cause)).toEqual(['position', 'beside an error', 'position']);
    expect(blocks[1]?.firstLine).toBeLessThanOrEqual(501);
    expect(blocks[1]?.lastLine).toBeGreaterThanOrEqual(502);
    const causes = blocks[1]?.causes.map(({ cause }) => cause);
    expect(causes).toEqual(expect.arrayContaining(['exception', 'strong refusal']));
    const [smart] = await spillway.reasons({ scope: 's', id }, { policy: { strategy: 'smart_summary' } });
    expect(smart?.blocks.at(-1)?.causes[0]).toEqual({ cause: 'end', score: 4 });
    expect((await spillway.project({ scope: 's', id })).text).toBe(projection.text);
  });
});

describe('the time stamp that a runner puts before each line', () => {
  it('is shown once for each second, whatever is left out between its lines', async () => {
    const stamped = (line: string, i: number) => `2026-01-31T10:00:00.${1_000_000 + i}Z ${line}`;
    const lines = Array.from({ length: 700 }, (_, i) => `module ${wordOf(i)} copied to its place`);
    lines[300] = 'ERROR: no space left on device';
    lines[600] = 'ERROR: cannot write the index';
    const { text } = await shown(lines.map(stamped).join('\n'), {
      strategy: 'smart_summary',
      inlineLimit: 2_000,
    });
    expect(text).toContain('\nERROR: cannot write the index\n');
    expect(text.match(/2026-01-31T/g)).toHaveLength(1);
  });
});

describe('clean', () => {
  const coloured = (count: number) =>
    Array.from({ length: count }, (_, i) => `${quiet(i)} \u001b[32mok\u001b[0m\n`).join('');

  it('leaves formatting out of whatever is cut, and uses the room', async () => {
    const cleaned = await shown(coloured(900), { strategy: 'head_tail', inlineLimit: 2_000 });
    expect(cleaned.text).not.toContain('\u001b');
    expect(cleaned.text).toMatch(/\[Showing [\d,]+ of 59,190 chars/);
    expect(cleaned.text).toMatch(/Formatting left out: [\d,]+ chars\.\]/);
    expect(cleaned.text.length).toBeGreaterThan(1_700);
    const raw = await shown(coloured(900), { strategy: 'head_tail', inlineLimit: 2_000, clean: 'never' });
    expect(raw.text).toContain('ms \u001b[32mok');
    expect(raw.metadata.elided_chars).toBe(0);
  });

  it('leaves what fits as it is, unless it is to be clean always', async () => {
    const text = coloured(40);
    expect((await shown(text, {})).text).toBe(text);
    const always = await shown(text, { clean: 'always' });
    expect(always.text).not.toContain('\u001b');
    expect(always.text).toContain('ms ok\n2026-01-01 10:00:01 INFO request 1 handled');
    const formatting = 40 * 9;
    expect(always.text).toContain(
      `[Formatting left out: 360 of ${text.length.toLocaleString('en')} chars. Everything else is shown.`,
    );
    expect(always.metadata).toMatchObject({
      elided_chars: formatting,
      omitted: [],
      was_truncated: true,
    });
  });
});

describe('the one line that tells why', () => {
  const text = [
    '/srv/app/t.js:1',
    'for (let i = 0; i < 500; i++) console.log(i); null.x',
    '                                                   ^',
    '',
    "TypeError: Cannot read properties of null (reading 'x')",
    ...Array.from(
      { length: 9 },
      (_, i) => `    at Module.step${i} (node:internal/modules/cjs/loader:${1700 + i}:14)`,
    ),
    'Node.js v24.21.0',
    '',
  ].join('\n');

  it.each(['tail', 'head_tail'])(
    'is shown under %s in little room: it pays for one marker only',
    async (strategy) => {
      const printed = Array.from({ length: 500 }, (_, i) => `step ${i}\n`).join('');
      const { projection } = await openSpillway().process(
        CALL,
        { kind: 'exec', stdout: printed, stderr: text, exitCode: 1 },
        { policy: { strategy, inlineLimit: 1_000 } },
      );
      expect(projection.text).toContain('TypeError: Cannot read properties of null');
      expect(projection.text.length).toBeLessThanOrEqual(1_000);
    },
  );
});
