/**
 * Estimates beside what the o200k tokenizer counts, which is given as a number: rather high than
 * low, in every class of text.
 */
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/text/tokens.ts';

/** Every char of a block, in an order in which no two neighbours belong together. */
function every(first: number, last: number): string {
  const size = last - first + 1;
  return Array.from({ length: size }, (_, i) => String.fromCodePoint(first + ((i * 37) % size))).join('');
}

const TABLE = `┌──────┬────────┐\n│ id   │ name   │\n├──────┼────────┤\n${'│ 12   │ alpha  │\n'.repeat(20)}└──────┴────────┘\n`;

describe('the estimate beside a tokenizer', () => {
  it.each([
    ['a table in box drawing', TABLE, 217],
    ['a tree of files', '├── src\n│   ├── index.ts\n│   └── model.ts\n└── test\n'.repeat(20), 500],
    ['bars of blocks', '████████░░░░ 67% ▏▎▍▌▋▊▉\n'.repeat(20), 460],
    ['a spinner in braille', '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ building\n'.repeat(20), 640],
    ['box drawing', every(0x2500, 0x257f), 246],
    ['arrows', every(0x2190, 0x21ff), 219],
    ['mathematics', every(0x2200, 0x22ff), 501],
    ['dingbats', every(0x2700, 0x27bf), 378],
    ['symbols of fonts', every(0xe0a0, 0xe0d4) + every(0xf400, 0xf4a8), 659],
    ['phonetic signs', every(0x250, 0x2af), 185],
    ['Tibetan', every(0xf40, 0xf6c), 89],
    ['Cherokee', every(0x13a0, 0x13f4), 255],
    ['rare Han', every(0x3400, 0x34ff), 758],
    ['Yi', every(0xa000, 0xa0ff), 765],
    ['cuneiform', every(0x12000, 0x120ff), 1_021],
    ['emoji', '😀🎉🚀✨🔥💯👍🏽'.repeat(10), 120],
    ['numbers', Array.from({ length: 100 }, (_, i) => i * 7_919).join(' '), 298],
    ['mixed case', 'getElementById toLocaleUpperCase XMLHttpRequest '.repeat(10), 101],
    ['English', 'The quick brown fox jumps over the lazy dog. '.repeat(10), 101],
    ['Greek', 'Η γρήγορη αλεπού πηδάει πάνω από το σκυλί. '.repeat(8), 153],
    ['Chinese', '快速的棕色狐狸跳过懒惰的狗，然后回家睡觉。'.repeat(8), 160],
    ['Thai', 'สุนัขจิ้งจอกกระโดดข้ามสุนัข '.repeat(8), 145],
  ])('is not too low and not far too high: %s', (_, text, counted) => {
    expect(estimateTokens(text) / counted).toBeGreaterThan(0.95);
    expect(estimateTokens(text) / counted).toBeLessThan(1.75);
  });
});
