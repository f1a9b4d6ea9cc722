import { describe, expect, it } from 'vitest';
import { CALL, openSpillway, shown } from '../../opening.ts';

const KINDS = Array.from({ length: 24 }, (_, k) => String.fromCharCode(97 + k));

/** Diagnostics, of which two in five say the same; each tool in its own way. */
const TOOLS: readonly [string, (file: string, line: number, code: number, message: string) => string][] = [
  ['tsc', (file, line, code, message) => `${file}.ts(${line},5): error TS${code}: ${message}`],
  ['gcc', (file, line, code, message) => `${file}.c:${line}:9: error: ${message} [-W${code}]`],
  ['mypy', (file, line, code, message) => `${file}.py:${line}: error: ${message}  [rule-${code}]`],
  ['javac', (file, line, _, message) => `${file}.java:${line}: error: ${message}`],
  ['an unknown tool', (file, line, code, message) => `${file}.zig:${line}:1: ERROR ${code}: ${message}`],
];

describe.each(TOOLS)('many diagnostics of %s', (_, spelled) => {
  const text = Array.from({ length: 240 }, (_unused, i) => {
    const file = `src/part${i % 30}/module${i}`;
    if (i % 5 < 2)
      return spelled(file, i + 1, 2339, `Property 'name${i}' does not exist on type 'Widget${i % 9}'.`);
    const kind = KINDS[i % 24] ?? '';
    return spelled(
      file,
      i + 1,
      2400 + (i % 24),
      `The rule ${kind}${kind} is broken by 'name${i}' in this place.`,
    );
  }).join('\n');

  it('are shown kind by kind, and like ones are told once with their places', async () => {
    const projection = await shown(text, { strategy: 'smart_summary', inlineLimit: 8_000 });
    expect(KINDS.filter((kind) => !projection.text.includes(`The rule ${kind}${kind} is broken`))).toEqual(
      [],
    );
    expect(projection.text).toMatch(/^· .+ ×\d+: src\/part\S+:\d+, .*src\/part\S+:\d+, … \d+ more$/m);
    const shownOnes = projection.text.match(/'name\d+' does not exist on type/g)?.length ?? 0;
    const noted = Number(/^· .*(?:2339|Property …).* ×(\d+): /m.exec(projection.text)?.[1]);
    expect(shownOnes + noted).toBe(96);
    expect(projection.text).toContain('25 kinds.');
    expect(projection.text.length).toBeLessThanOrEqual(8_000);
    expect(projection.text.match(/does not exist on type/g)?.length).toBeLessThan(20);
  });
});

describe('more diagnostics than can be listed', () => {
  it('are counted for the fullest files and the most frequent codes', async () => {
    const lines = Array.from({ length: 90 }, (_, f) =>
      Array.from({ length: 2 + (f === 50 ? 38 : f % 7) }, (__, i) => {
        const code = i % 9 === 8 ? 7006 : 2551;
        const rule = String.fromCharCode(97 + (f % 26), 97 + (i % 26), 97 + ((f * i) % 26));
        return `src/a/rather/long/path/of/file${f}.ts(${i + 1},3): error TS${code}: The rule ${rule} is broken here.`;
      }),
    );
    const { text } = await shown(lines.flat().join('\n'), { strategy: 'smart_summary', inlineLimit: 8_000 });
    expect(text).toMatch(/^· by file: src\/a\/rather\/long\/path\/of\/file50\.ts ×\d+, .*, … \d+ more$/m);
    expect(text).toMatch(/^· TS2551 ×\d{3}: src/m);
  });
});

describe('many diagnostics in few files', () => {
  const files = Array.from({ length: 34 }, (_, f) => `src/mod/file${f}.ts`);
  const text = files
    .flatMap((file, f) =>
      Array.from({ length: f < 10 ? 5 : 4 }, (_, j) =>
        (f + j) % 2 === 0
          ? `${file}(${10 + j},3): error TS2339: Property 'a${f}' does not exist on type 'Widget'.`
          : `${file}(${10 + j},3): error TS7006: Parameter 'b${j}' implicitly has an 'any' type.`,
      ),
    )
    .join('\n');

  it('are told by file: every one is shown, or counted under its file and code', async () => {
    const { text: projection } = await shown(`${text}\n\nFound 146 errors in 34 files.\n`, {
      strategy: 'smart_summary',
      inlineLimit: 8_000,
    });
    const lines = projection.split('\n');
    for (const file of files) {
      const verbatim = lines.filter((line) => line.replace(/^\d+: /, '').startsWith(`${file}(`)).length;
      const note = lines.find((line) => line.startsWith(`· ${file}: `)) ?? '';
      const counted = [...note.matchAll(/TS\d+(?: ×(\d+))?/g)].reduce(
        (sum, [, n]) => sum + Number(n ?? 1),
        0,
      );
      expect([file, verbatim + counted]).toEqual([file, text.split(`${file}(`).length - 1]);
    }
    // The tool counted them itself.
    expect(projection).toContain('Found 146 errors in 34 files.');
    expect(projection).not.toContain('Error lines:');
  });
});

describe('many warnings beside one error', () => {
  it('are counted by code, not file by file', async () => {
    const lines = Array.from({ length: 60 }, (_, f) =>
      ['unused-variable', 'sign-compare', 'shadow', 'unused-variable'].map(
        (rule, i) => `src/mod${f}.c:${10 + i}:3: warning: the code is not as it should be [-W${rule}]`,
      ),
    ).flat();
    lines.splice(131, 0, "src/mod32.c:40:9: error: 'limit' undeclared (first use in this function)");
    const { text } = await shown(lines.join('\n'), { strategy: 'smart_summary' });
    expect(text).toContain("error: 'limit' undeclared");
    expect(text).toMatch(/^· -Wunused-variable ×\d{2,3}: src/m);
    expect(text).not.toMatch(/^· src\/mod\d+\.c: /m);
    expect(text.length).toBeLessThan(4_000);
  });
});

describe('after exit code 0', () => {
  it('names that contain a word for failure are not counted as errors', async () => {
    const text = Array.from({ length: 900 }, (_, i) =>
      i === 400
        ? 'librust-backtrace-dev/oldstable,now 0.3.67-2 amd64 [installed,automatic]'
        : `librust-part${i}-dev/oldstable,now 0.${i}.1-2 amd64 [installed,automatic]`,
    ).join('\n');
    const { projection } = await openSpillway().process(
      CALL,
      { kind: 'text', text },
      {
        policy: { strategy: 'smart_summary' },
        outcome: { status: 'ok', exitCode: 0 },
      },
    );
    expect(projection.text).not.toContain('Error lines:');
  });
});

describe('diagnostics that stand under the name of their file', () => {
  const rules = ['no-var', 'eqeqeq', 'curly', 'no-shadow', 'semi'];
  const files = Array.from({ length: 30 }, (_, f) => ({
    name: `/srv/app/src/part${f}/index.js`,
    findings: Array.from({ length: 5 + (f % 4) }, (_unused, k) => {
      const rule = rules[(f + k * k) % 5] ?? '';
      return `  ${k * 7 + f + 1}:${k + 1}  ${k % 3 === 0 ? 'warning' : 'error'}  'name${f}_${k}' breaks a rule here  ${rule}`;
    }),
  }));
  const text = files.map(({ name, findings }) => `${name}\n${findings.join('\n')}\n`).join('\n');

  it.each([2_000, 4_000, 8_000])('are shown with it, or not at all, within %i chars', async (inlineLimit) => {
    const { text: projection } = await shown(text, { strategy: 'smart_summary', inlineLimit });
    let file = '';
    const wrong = projection.split('\n').filter((line) => {
      if (line.startsWith('/srv/')) file = line;
      const owner = files.find(({ findings }) => findings.includes(line));
      return owner !== undefined && owner.name !== file;
    });
    expect(wrong).toEqual([]);
    expect(projection).toContain('breaks a rule here');
  });
});

describe('diagnostics with the code they are about', () => {
  const findings = Array.from({ length: 120 }, (_, i) => {
    const message =
      i % 5 < 3
        ? `error TS2345: Argument of type 'Name${i}' is not assignable to parameter of type 'number', which every part of this program expects here.`
        : `error TS2304: Cannot find name 'name${i}'.`;
    return {
      message: `src/part${i % 30}.ts:${i + 1}:9 - ${message}`,
      code: `${i + 1}   const name${i} = made(${i});`,
    };
  });
  const text = findings.map(({ message, code }) => `${message}\n\n${code}\n        ~~~~~\n\n`).join('');

  it.each([2_000, 4_000, 8_000])('show no code without its message within %i chars', async (inlineLimit) => {
    const { text: projection } = await shown(text, { strategy: 'smart_summary', inlineLimit });
    const lines = new Set(projection.split('\n'));
    const orphans = findings.filter(({ message, code }) => lines.has(code) && !lines.has(message));
    expect(orphans).toEqual([]);
    expect(findings.filter(({ code }) => lines.has(code)).length).toBeGreaterThan(3);
  });
});

describe('diagnostics below lines that say how the compiler came there', () => {
  const text = Array.from({ length: 120 }, (_, i) => {
    const command = `[${i}/120] cc -O2 -c src/part${i}.c -o out/part${i}.o\n`;
    if (i % 9 === 4)
      return `${command}In file included from include/all.h:${i},\n                 from src/part${i}.c:2:\ninclude/part${i}.h:${10 + i}:5: error: unknown type name 'word${i}'\n   ${10 + i} |     word${i} value;\n      |     ^~~~~~\n`;
    if (i % 9 === 7)
      return `${command}src/part${i}.c: In function 'run${i}':\nsrc/part${i}.c:${i}:9: error: 'value${i}' undeclared\n  ${i} |   return value${i};\n     |          ^~~~~~\n`;
    return command;
  }).join('');

  it.each([1_500, 2_500, 4_000])(
    'are shown with them, or not at all, within %i chars',
    async (inlineLimit) => {
      const { text: projection } = await shown(text, { strategy: 'smart_summary', inlineLimit });
      const lines = projection.split('\n');
      const alone = lines.filter((line, i) => {
        if (/^include\S+ error:/.test(line)) return !(lines[i - 2] ?? '').startsWith('In file included from');
        return /^src\S+ error:/.test(line) && !(lines[i - 1] ?? '').includes(': In function');
      });
      expect(alone).toEqual([]);
      expect(projection.match(/ error: /g)?.length).toBeGreaterThan(3);
    },
  );
});
