/** Settings from outside, and the policy they make. */

import { parseSettings, type SettingsInput } from '@spillway/core';
import {
  DEFAULT_POLICY,
  FIELD_NAMES,
  FIELDS,
  fieldOf,
  type PolicyPatch,
  parseText,
  settingName,
} from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { resolveLayers } from '../../src/policy/resolve.ts';

const known = { strategies: ['auto', 'head_tail', 'none'], dialects: ['standard'] };
const resolvePolicy = (patches: readonly PolicyPatch[], names: typeof known) =>
  resolveLayers(
    patches.map((patch) => ({ level: 'task', source: 'call', patch })),
    names,
  ).policy;
const policyHash = (patch: PolicyPatch) =>
  resolveLayers([{ level: 'task', source: 'call', patch }], known).hash;

describe('a setting', () => {
  it('has its documented default', () => {
    expect(DEFAULT_POLICY).toMatchObject({
      strategy: 'auto',
      inlineLimit: 8_000,
      maxLines: null,
      artifactThreshold: 50_000,
      maxArtifactSize: 10_485_760,
      headRatio: 0.6,
      pageLimit: 16_000,
      salientShare: 0.5,
    });
  });

  it('is known by its snake_case name, its alias and its name in code', () => {
    expect([fieldOf('inline_limit'), fieldOf('max_chars'), fieldOf('inlineLimit')]).toEqual([
      'inlineLimit',
      'inlineLimit',
      'inlineLimit',
    ]);
    expect(FIELD_NAMES.map(settingName)).toContain('max_artifact_size');
  });

  it('that does not exist is refused with the nearest that does, and the list of all', () => {
    expect(() => fieldOf('inline_limt', '--set ')).toThrow(
      /^--set "inline_limt" is not a setting\. Did you mean inline_limit\? Settings: strategy, inline_limit/,
    );
    expect(() => fieldOf('zzz', '--set ')).toThrow(/^--set "zzz" is not a setting\. Settings: strategy, /);
  });

  it.each([
    ['inline_limit', 0, 'inline_limit must be a whole number of at least 300; it was 0.'],
    ['inline_limit', -1, 'inline_limit must be a whole number of at least 300; it was -1.'],
    ['max_chars', 299, 'max_chars must be a whole number of at least 300; it was 299.'],
    ['head_ratio', 1.1, 'head_ratio must be a number from 0 to 1; it was 1.1.'],
    ['max_lines', 7, 'max_lines must be a whole number of at least 8, or off; it was 7.'],
    ['max_tokens', 149, 'max_tokens must be a whole number of at least 150, or off; it was 149.'],
    ['snap', 'word', 'snap must be one of line, exact; it was "word".'],
    ['preserve_errors', 'yes', 'preserve_errors must be true or false; it was "yes".'],
    ['strategy', '', 'strategy must be a name; it was "".'],
  ])('%s = %j is refused: %s', (name, value, message) => {
    expect(() => parseSettings({ [name]: value })).toThrow(message);
  });

  it('given as text is read as its kind', () => {
    expect(parseText('inlineLimit', '12_000')).toEqual({ inlineLimit: 12_000 });
    expect(parseText('maxLines', 'off')).toEqual({ maxLines: null });
    expect(parseText('preserveErrors', 'false')).toEqual({ preserveErrors: false });
    expect(() => parseText('inlineLimit', 'abc', 'TRUNCATION_MAX_CHARS')).toThrow(
      'TRUNCATION_MAX_CHARS must be a whole number of at least 300; it was "abc".',
    );
  });

  it('is explained', () => {
    for (const name of FIELD_NAMES) expect(FIELDS[name].doc.length).toBeGreaterThan(20);
  });
});

describe('a policy', () => {
  it('is merged field by field, the strongest level last', () => {
    const policy = resolvePolicy(
      [{ inlineLimit: 30_000 }, { strategy: 'none' }, { headRatio: undefined }],
      known,
    );
    expect(policy).toMatchObject({ inlineLimit: 30_000, strategy: 'none', headRatio: 0.6 });
  });

  it.each([
    [{ strategy: 'tale' }, 'strategy "tale" (from call) is not known. Known: auto, head_tail, none.'],
    [{ dialect: 'x' }, 'dialect "x" (from call) is not known. Known: standard.'],
    [
      { inlineLimit: 60_000, artifactThreshold: 50_000 },
      'inline_limit (60000, from call) must not be above artifact_threshold (50000, from call); lower the first or raise the second.',
    ],
    [
      { maxLines: 10, headLines: 6, tailLines: 5 },
      'head_lines (6, from call) and tail_lines (5, from call) together must not be above max_lines (10, from call).',
    ],
  ])('%j is refused: %s', (patch, message) => {
    expect(() => resolvePolicy([patch], known)).toThrow(message);
  });

  it('may be given in code by an alias in camelCase', () => {
    const input: SettingsInput = { maxChars: 900, defaultStrategy: 'none' };
    expect(parseSettings(input)).toEqual({ inlineLimit: 900, strategy: 'none' });
    // @ts-expect-error: an alias takes what its setting takes
    const wrong: SettingsInput = { maxChars: 'many' };
    expect(() => parseSettings(wrong)).toThrow('maxChars must be a whole number of at least 300');
  });

  it('has the same hash as an equal one and another than a different one', () => {
    expect(policyHash({ headRatio: 0.6 })).toBe(policyHash({}));
    expect(policyHash({ inlineLimit: 8_001 })).not.toBe(policyHash({}));
  });
});
