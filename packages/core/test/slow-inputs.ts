/**
 * Feeds a parser 250 KB of its worst input. What is worst for a scanner is the same small thing many
 * times over, with an end that does not fit. Quadratic time would be minutes. A limit of CPU does
 * not depend on how busy the machine is.
 */

const CHARS = 250_000;
const CPU_MS = 500;
const UNITS = [
  ...[' ', '\t', '\n', '\r', '\r\n', '\n ', '\n\t-', '0', '1,', '1-', '1 - ', 'a', 'a.', 'a-', 'a=', 'A$'],
  ...[
    '"',
    "'",
    '`',
    '\\',
    '\\"',
    '\\u',
    '\\u0022',
    '[',
    ']',
    '[[',
    '[a',
    '{',
    '{}',
    '(',
    '<',
    '<!--',
    '<a ',
    '</',
  ],
  ...[
    '.',
    '...',
    '... ',
    '...1',
    '... [1 lines / 2 chars omitted',
    '[Output: showing 1 of 2 ',
    '[art_1_aaaa: ',
  ],
  ...[
    '/',
    './',
    'a/',
    '\\\\',
    ':',
    '::',
    'a:1:',
    ': ',
    '#',
    ' #',
    '?a=',
    '&a',
    '$',
    '${',
    '${A',
    '*',
    '**',
    '?',
  ],
  ...['=', '= 1 passed', '-', '---\n', '-W-', ' -Wa', 'error', 'Error: ', 'ERROR in 1', 'FAILED[', 'AError'],
  ...['at a (', '    at a.b(c:1:1)\n', '‘', '“', '\u00a0', '\u2028', 'é', '\u001b[', '\u001b]', '\u001b[1m'],
  ...[
    'data: ',
    'data:\n',
    'id: 1\n',
    'export A=',
    'A="',
    "A='\n",
    'a: ',
    '- ',
    'a: [',
    '&a *a ',
    '|\n',
    'key: "',
  ],
  ...[
    'Thread 1 ',
    '*** [',
    'full output:',
    '\n> [',
    'output too long ',
    'TRUNCATION_A=1 #',
    'diff --git a/a b/',
  ],
];
const TEXTS = UNITS.map((unit) => [unit, `${unit.repeat(Math.ceil(CHARS / unit.length))}x`] as const);

/** The inputs that took a parser more than half a second of CPU. To refuse is an answer, too. */
export async function slowInputs(parse: (text: string) => unknown): Promise<string[]> {
  const slow: string[] = [];
  for (const [unit, text] of TEXTS) {
    const before = process.cpuUsage();
    await attempt(() => parse(text));
    const { user, system } = process.cpuUsage(before);
    const ms = Math.round((user + system) / 1_000);
    if (ms > CPU_MS) slow.push(`${JSON.stringify(unit)}: ${ms} ms`);
  }
  return slow;
}

export async function attempt(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}
