/**
 * The user's own RE2 patterns, beside the settings for every tool: `error_patterns` and
 * `warning_patterns` match lines that count as errors or warnings, `redact_patterns` match
 * secrets. The lists of all files count together. Each is compiled when it is read, so a bad one
 * is a problem of its file.
 */

import { SpillwayError } from '@spillway/core';
import {
  formatCount,
  type OwnPattern,
  type OwnPatterns,
  type PatternEngine,
  type SecretPattern,
} from '@spillway/core/plugin';
import { re2Patterns } from '../patterns.ts';
import { invalid } from './problems.ts';
import type { Entry, Reading } from './yaml-file.ts';

/** As data, also for the schema. */
export const PATTERN_LISTS = {
  error_patterns: 'Lines that match one of these RE2 patterns count as errors.',
  warning_patterns: 'Lines that match one of these RE2 patterns count as warnings.',
  redact_patterns:
    'What matches one of these RE2 patterns is a secret: it is replaced wherever redact is not off.',
} as const;

export const NO_PATTERNS: OwnPatterns = { errors: [], warnings: [], secrets: [] };

/** The most patterns in one list, and the longest of them: each may be tried on every line. */
export const MOST_PATTERNS = 50;
export const MOST_PATTERN_CHARS = 200;
/**
 * Instructions of all patterns of a file together: a line takes as many steps as it has chars,
 * times these.
 */
const MOST_INSTRUCTIONS = 1_000;

export function isPatternList(name: string): name is keyof typeof PATTERN_LISTS {
  return Object.hasOwn(PATTERN_LISTS, name);
}

export async function readPatterns(reading: Reading, entries: readonly Entry[]): Promise<OwnPatterns> {
  const lists = entries.filter(({ key }) => isPatternList(key));
  if (lists.length === 0) return NO_PATTERNS;
  const engine = await re2Patterns();
  const of = (name: keyof typeof PATTERN_LISTS) =>
    lists.filter(({ key }) => key === name).flatMap((entry) => compiled(reading, entry, engine));
  const found = {
    errors: of('error_patterns'),
    warnings: of('warning_patterns'),
    secrets: of('redact_patterns'),
  };
  const size = Object.values(found)
    .flat()
    .reduce((sum, pattern) => sum + pattern.size, 0);
  if (size <= MOST_INSTRUCTIONS) return found;
  reading.problems.add(
    `${lists[0]?.at}: the patterns are too large together (${formatCount(size)} instructions, at most ${formatCount(MOST_INSTRUCTIONS)}). Use fewer of them, or smaller counted repetitions.`,
  );
  return NO_PATTERNS;
}

interface SizedPattern extends OwnPattern, SecretPattern {
  readonly size: number;
}

export function allPatterns(found: readonly OwnPatterns[]): OwnPatterns {
  return {
    errors: found.flatMap(({ errors }) => errors),
    warnings: found.flatMap(({ warnings }) => warnings),
    secrets: found.flatMap(({ secrets = [] }) => secrets),
  };
}

function compiled(
  { yaml, problems }: Reading,
  { key, value, at }: Entry,
  engine: PatternEngine,
): SizedPattern[] {
  if (yaml.isEmpty(value)) return [];
  const items = yaml.elements(value);
  if (items === null || items.length > MOST_PATTERNS) {
    problems.add(`${at}: ${key} must be a list of at most ${MOST_PATTERNS} patterns.`);
    return [];
  }
  return items.flatMap(
    (item, i) =>
      problems.attempt(() => pattern(yaml.scalar(item.value), `${at}: ${key}, item ${i + 1}`, engine)) ?? [],
  );
}

function pattern(source: unknown, label: string, engine: PatternEngine): SizedPattern {
  if (typeof source !== 'string' || source === '') throw invalid(`${label} must be a pattern in quotes.`);
  if (source.length > MOST_PATTERN_CHARS)
    throw invalid(
      `${label} has ${formatCount(source.length)} chars, at most ${MOST_PATTERN_CHARS} are allowed.`,
    );
  const compiled = named(label, () => engine.compile(source));
  const { find, size = source.length } = compiled;
  if (find('') >= 0) throw invalid(`${label} matches every line: it must need at least one character.`);
  const match = (text: string, from: number) => compiled.match?.(text, from) ?? null;
  return { source, size, test: (line) => find(line) >= 0, match };
}

function named<T>(label: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    throw invalid(`${label}: ${error.message}`);
  }
}
