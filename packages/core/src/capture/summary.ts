/**
 * One line that describes an output: the tool and its most informative argument, or else the first
 * informative line of its text. At most 100 chars, one line, no control characters. It is content:
 * shown to models and people, never logged.
 */
const MOST_CHARS = 100;
/** Arguments that say most about a call, the best first. */
const INFORMATIVE = [
  'command',
  'cmd',
  'path',
  'file_path',
  'filePath',
  'file',
  'filename',
  'url',
  'uri',
  'query',
  'pattern',
  'name',
  'id',
];

/** `firstText` returns the beginning of the text; called if no argument is informative. */
export function summarise(tool: string, input: unknown, firstText: () => string): string {
  const informative = informativeInput(input) ?? firstInformativeLine(firstText());
  const line = oneLine(informative === '' ? tool : `${tool}: ${informative}`);
  if (line.length <= MOST_CHARS) return line;
  return `${line
    .slice(0, MOST_CHARS - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`;
}

function informativeInput(input: unknown): string | undefined {
  if (typeof input === 'string') return input.slice(0, 1_000);
  if (input === null || typeof input !== 'object') return undefined;
  const fields = input as Record<string, unknown>;
  const key =
    INFORMATIVE.find((name) => isInformative(fields[name])) ??
    Object.keys(fields).find((name) => isInformative(fields[name]));
  return key === undefined ? undefined : wordsOf(fields[key]).slice(0, 1_000);
}

function isInformative(value: unknown): boolean {
  return wordsOf(value).trim() !== '';
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value.join(' ') : '';
}

function firstInformativeLine(text: string): string {
  return (
    text.split(/\r\n|\r|\n/, 50).find((line) => /[a-z0-9]/i.test(line) || /[\p{L}\p{N}]/u.test(line)) ?? ''
  );
}

function oneLine(text: string): string {
  // Unicode property tables take a while to load.
  if (/^[ -~]*$/.test(text) && !text.includes('  ')) return text.trim();
  return text
    .replace(/\p{Cc}\[[0-9;?]*[ -/]*[@-~]/gu, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
}
