/** The command line is read as Node's own parser reads it. */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../src/flags.ts';

const COMMAND = {
  name: 'try',
  operands: { usage: '[WORD]…', min: 0, max: 20 },
  flags: [
    { name: 'json', doc: 'A switch.' },
    { name: 'no-store', doc: 'Another.' },
    { name: 'limit', value: 'CHARS', doc: 'Takes a value.' },
    { name: 'set', value: 'NAME=VALUE', many: true as const, doc: 'Takes several.' },
  ],
  examples: [],
};

const OPTIONS = {
  json: { type: 'boolean' },
  'no-store': { type: 'boolean' },
  limit: { type: 'string' },
  set: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const;

const words = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...['--json', '--limit', '--limit=', '--limit=5', '--set', '--set=a=b', '--no-store', '--help', '-h'],
      ...['--', '-', '--json=1', '--lim', '-x', '-hx', '-hh', '--=', '--=x', 'file', ''],
    ),
    fc.string({ maxLength: 4, unit: fc.constantFrom('-', '=', 'h', 'a', ' ') }),
  ),
  { maxLength: 6 },
);

describe('a command line', () => {
  it('gives the same flags, values and operands as the parser of Node, or is refused by both', () => {
    fc.assert(
      fc.property(words, (argv) => {
        // A value that begins with one dash is read as a value by us alone.
        fc.pre(!argv.some((word, i) => /^--(?:limit|set)$/.test(word) && /^-./.test(argv[i + 1] ?? '')));
        // To Node a dash among letters is a word of its own.
        fc.pre(!argv.some((word) => /^-[^-].*-/.test(word)));
        expect(ours(argv)).toEqual(nodes(argv));
      }),
      { numRuns: 2_000 },
    );
  });
});

function ours(argv: readonly string[]): unknown {
  try {
    const given = parseCommandLine(COMMAND, argv);
    const flags = ['json', 'no-store', 'help'].map((name) => given.has(name));
    return { operands: given.operands, flags, limit: given.value('limit'), set: given.values('set') };
  } catch {
    return 'refused';
  }
}

function nodes(argv: readonly string[]): unknown {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
    const flags = [values.json, values['no-store'], values.help].map((value) => value === true);
    return { operands: positionals, flags, limit: values.limit, set: values.set ?? [] };
  } catch {
    return 'refused';
  }
}
