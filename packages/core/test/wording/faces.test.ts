// The library does not know who uses it: no sentence of its own names a command, a flag or a
// variable of the program. A face spells its own hints.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const OF_THE_PROGRAM =
  /\b(?:spillway|acode) (?:artifacts|completion|config|doctor|exec|inspect|mcp|serve|sessions|stats|store|truncate)\b|\bSPILLWAY_[A-Z]+/;

describe('the library', () => {
  it('names no command and no variable of the program', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(300);
    const naming = files.filter((name) =>
      OF_THE_PROGRAM.test(readFileSync(`${SOURCES}/${name}`, 'utf8').replace(COMMENT, '')),
    );
    expect(naming).toEqual([]);
  });
});
