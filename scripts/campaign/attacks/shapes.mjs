// Hostile texts by their shape. Random bytes find little: what breaks a scanner is the same small
// thing many times over, an opening without its end, or two grammars in one text. Every text
// follows from the given random numbers.
import { between } from '../content.mjs';

const pick = (random, list) => list[between(random, 0, list.length - 1)];
const ESC = '\u001b';

/** Units that are repeated as they are. */
const UNITS = [
  `${ESC}[2K${ESC}[1G`,
  `${ESC}]`,
  `${ESC}]0;title`,
  `${ESC}]52;c;aGVsbG8=\u0007`,
  `${ESC}P`,
  `${ESC}[`,
  `${ESC}[38;5;`,
  `${ESC}[31mFAILED${ESC}[0m `,
  '\u009b31m',
  '\r',
  '\n',
  '\r\n',
  '\n\r',
  '10%\r',
  '[',
  '{',
  '(',
  '[{',
  '{"a":',
  '[[],',
  '"',
  '\\',
  '\\u',
  '\\ud800',
  '\ud83d',
  '\udc00',
  '<a>',
  '<a ',
  '<!--',
  '<![CDATA[',
  '&amp;',
  '&#x110000;',
  ',',
  ';',
  '\t',
  '|',
  '"",',
  '2026-01-01T00:00:00.000Z\n',
  '2026-01-01T00:00:00.000Z ',
  '12:00:00 ',
  '@@ -1 +1 @@\n',
  'diff --git a/a b/a\n',
  '--- a\n+++ b\n',
  'a/b/c:1:x\n',
  './a/',
  'a/',
  'Error: ',
  'error\n',
  '    at f (a.js:1:1)\n',
  'Traceback (most recent call last):\n',
  '{"level":"error"}\n',
  '{}\n',
  'e\u0301',
  '\u0301',
  '\u200d',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\u0000',
  '9',
  '-',
  '=',
  '#',
  '```\n',
  '| a | b |\n',
  '... [1 lines / 2 chars omitted] ...\n',
  '[Output truncated: showing 1 of 2 chars. Full output: art_1794734710_pt4fe242gymk0nvw]\n',
  '[Exit code 0.]\n',
  '[Artifact: art_1794734710_pt4fe242gymk0nvw] build (1 KB)\n',
  '"$spillway": 1, ',
  '> [Exit code 0.]\n',
  '**[Artifact: art_1794734710_pt4fe242gymk0nvw] build (1 KB)**\n',
  ' ',
  '\n ',
  '...1',
  'A$',
  ' FAILED[',
  'error in 1 ',
  '*** [',
  '\u2018',
  '=== 1 passed ',
];

/** Makers of a text of about so many chars. */
const MAKERS = [
  (random, chars) => repeated(pick(random, UNITS), chars),
  (random, chars) => {
    const [first, second] = [pick(random, UNITS), pick(random, UNITS)];
    return repeated(first + second, chars);
  },
  // One unit, then its opposite: deep and closed.
  (random, chars) => {
    const [opening, closing] = pick(random, [
      ['[', ']'],
      ['{"a":', '}'],
      ['<a>', '</a>'],
      ['(', ')'],
    ]);
    const depth = Math.max(1, Math.floor(chars / (opening.length + closing.length)));
    return opening.repeat(depth) + (opening === '{"a":' ? '1' : '') + closing.repeat(depth);
  },
  // A valid beginning that goes wrong late.
  (random, chars) => {
    const good = pick(random, ['{"id":1,"name":"x"},', '1,', '"text",', '[1,2,3],']);
    return `[${repeated(good, chars)}${pick(random, UNITS)}`;
  },
  // Lines that differ in a number, with one unit in the middle.
  (random, chars) => {
    const lines = Math.max(2, Math.floor(chars / 30));
    const middle = pick(random, UNITS);
    const one = (i) => (i === lines >> 1 ? middle : `record ${i} was migrated`);
    return Array.from({ length: lines }, (_, i) => one(i)).join('\n');
  },
  // A soup of units.
  (random, chars) => {
    const parts = [];
    for (let length = 0; length < chars; ) {
      const part = pick(random, UNITS).repeat(between(random, 1, 12));
      parts.push(part);
      length += part.length;
    }
    return parts.join('');
  },
  // Two texts, one inside the other.
  (random, chars) => {
    const outer = repeated(pick(random, UNITS), chars >> 1);
    const inner = repeated(pick(random, UNITS), chars >> 1);
    return outer.slice(0, outer.length >> 1) + inner + outer.slice(outer.length >> 1);
  },
  // A number of many digits, in JSON.
  (random, chars) => `{"n":${pick(random, ['', '-', '0.', '1e'])}${repeated('9', chars)}}`,
  // A table whose rows do not agree.
  (random, chars) => {
    const separator = pick(random, [',', ';', '\t', '|']);
    const rows = [];
    for (let length = 0; length < chars; length += rows.at(-1).length + 1)
      rows.push(
        Array.from({ length: between(random, 1, 9) }, () => pick(random, ['a', '"', '1', ''])).join(
          separator,
        ),
      );
    return rows.join('\n');
  },
];

/** A hostile text of about so many chars. */
export function hostileText(random, chars) {
  return pick(random, MAKERS)(random, chars);
}

/**
 * The text of a value with one thing changed: a member removed, doubled, renamed, or given another
 * value.
 */
export function mutatedJson(random, text) {
  const value = JSON.parse(text);
  const spots = [];
  collect(value, spots);
  if (spots.length === 0) return pick(random, ['null', '[]', '0', '"x"', '']);
  const { owner, key } = pick(random, spots);
  const change = between(random, 0, 9);
  if (change === 0) delete owner[key];
  else if (change === 1 && !Array.isArray(owner)) owner[`${key}s`] = owner[key];
  else owner[key] = pick(random, VALUES)(random);
  return JSON.stringify(value);
}

const VALUES = [
  () => null,
  () => -1,
  () => 1e308,
  () => 0.5,
  () => '',
  () => '../../outside',
  () => '/etc/passwd',
  () => '__proto__',
  () => [],
  () => ({}),
  () => [[[[]]]],
  () => ({ toString: 1, length: -1 }),
  () => true,
  (random) => hostileText(random, 200).toWellFormed(),
  () => 'art_1_aaaaaaaaaaaaaaaa',
  () => 'x'.repeat(70_000),
];

function collect(value, spots) {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    spots.push({ owner: value, key });
    collect(value[key], spots);
  }
}

function repeated(unit, chars) {
  return unit.repeat(Math.max(1, Math.floor(chars / unit.length)));
}

export { pick };
