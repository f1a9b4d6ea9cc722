/** Which layer wins, what is refused, and with which words. */

import { parseSettings } from '@spillway/core';
import { DEFAULT_POLICY, PROFILES, parseText, parseValue, profileOf, Settings } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import type { PolicyLayer } from '../../src/model/policy.ts';
import { resolveLayers, withInlineLimit } from '../../src/policy/resolve.ts';

const known = {
  strategies: ['auto', 'head_tail', 'tail', 'head', 'element'],
  dialects: ['standard', 'spill', 'plain'],
};
const layer = (patch: PolicyLayer['patch'], more: Partial<PolicyLayer> = {}): PolicyLayer => ({
  level: 'user',
  source: 'file',
  patch,
  ...more,
});

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was refused';
}

describe('profiles', () => {
  it('are these', () => {
    expect(PROFILES).toEqual({
      standard: { strategy: 'head_tail', slack: 0 },
      spill: {
        strategy: 'head_tail',
        inlineLimit: 40_000,
        slack: 0,
        maxLines: 2_000,
        shown: 20_000,
        headRatio: 0.5,
        snap: 'exact',
        preserveErrors: false,
        preserveWarnings: false,
        contentDetection: false,
        dialect: 'spill',
      },
      tail: { strategy: 'tail', inlineLimit: 8_000, slack: 0, contentDetection: false, dialect: 'plain' },
      exec: {
        strategy: 'tail',
        inlineLimit: 16_000,
        slack: 0,
        perPartLimit: 8_000,
        contentDetection: false,
        dialect: 'plain',
      },
      repl: {
        strategy: 'head_tail',
        headRatio: 0.5,
        inlineLimit: 16_000,
        slack: 0,
        perPartLimit: 8_000,
        contentDetection: false,
        dialect: 'plain',
      },
      mcp: {
        strategy: 'head_tail',
        inlineLimit: 50_000,
        slack: 0,
        maxLines: 1_000,
        headLines: 100,
        tailLines: 100,
      },
    });
  });

  it('are known by name only, and an unknown one is named with those there are', () => {
    expect(profileOf('tail')).toBe(PROFILES.tail);
    expect(refusal(() => profileOf('x'.repeat(50), 'config.yml:3: '))).toBe(
      `config.yml:3: "${'x'.repeat(40)}" is not a profile. Profiles: standard, spill, tail, exec, repl, mcp.`,
    );
    expect(refusal(() => profileOf('toString'))).toContain('"toString" is not a profile.');
  });
});

describe('a merge', () => {
  it('takes the last value of each field and remembers where it came from, to the line where that is known', () => {
    const { policy, origins } = resolveLayers(
      [
        layer({ inlineLimit: 1_000, headRatio: 0.1 }, { source: 'first' }),
        layer(
          { inlineLimit: 2_000, snap: 'exact' },
          { level: 'task', source: 'second', at: { inlineLimit: 'second:7' } },
        ),
      ],
      known,
    );
    expect(policy).toEqual({ ...DEFAULT_POLICY, inlineLimit: 2_000, headRatio: 0.1, snap: 'exact' });
    expect(origins.inlineLimit).toEqual({ level: 'task', source: 'second:7' });
    expect(origins.snap).toEqual({ level: 'task', source: 'second' });
    expect(origins.headRatio).toEqual({ level: 'user', source: 'first' });
    expect(origins.maxLines).toEqual({ level: 'system', source: 'built-in' });
  });

  it('may be given another limit by the call, with its reason', () => {
    const effective = resolveLayers([], known);
    expect(withInlineLimit(effective, DEFAULT_POLICY.inlineLimit, 'window')).toBe(effective);
    const smaller = withInlineLimit(effective, 1_000, 'window');
    expect(smaller.policy).toEqual({ ...DEFAULT_POLICY, inlineLimit: 1_000, slack: 0 });
    expect(smaller.origins.inlineLimit).toEqual({ level: 'task', source: 'window' });
    expect(smaller.hash).not.toBe(effective.hash);
  });

  it('moves a built-in limit or threshold to the one that a person set', () => {
    const raised = resolveLayers([layer({ inlineLimit: 100_000 })], known);
    expect(raised.policy).toMatchObject({ inlineLimit: 100_000, artifactThreshold: 100_000 });
    expect(raised.origins.artifactThreshold).toEqual({
      level: 'system',
      source: 'built-in, raised to inline_limit',
    });
    const lowered = resolveLayers([layer({ artifactThreshold: 5_000 })], known);
    expect(lowered.policy).toMatchObject({ inlineLimit: 5_000, artifactThreshold: 5_000 });
    expect(lowered.origins.inlineLimit).toEqual({
      level: 'system',
      source: 'built-in, lowered to artifact_threshold',
    });
    expect(resolveLayers([layer({ inlineLimit: 50_000 })], known).origins.artifactThreshold).toEqual({
      level: 'system',
      source: 'built-in',
    });
  });

  it('refuses what does not go together, naming both and where they came from', () => {
    const sizes = (inlineLimit: number, artifactThreshold: number) =>
      refusal(() => resolveLayers([layer({ inlineLimit }), layer({ artifactThreshold })], known));
    expect(sizes(50_001, 50_000)).toBe(
      'inline_limit (50001, from file) must not be above artifact_threshold (50000, from file); lower the first or raise the second.',
    );
    expect(sizes(50_000, 50_000)).toBe('nothing was refused');
    const lines = (maxLines: number | null, headLines: number | null, tailLines: number | null) =>
      refusal(() => resolveLayers([layer({ maxLines, headLines, tailLines })], known));
    expect(lines(10, 6, 4)).toBe('nothing was refused');
    expect(lines(10, 6, 5)).toBe(
      'head_lines (6, from file) and tail_lines (5, from file) together must not be above max_lines (10, from file).',
    );
    expect(lines(10, null, 11)).toBe(
      'head_lines (off, from file) and tail_lines (11, from file) together must not be above max_lines (10, from file).',
    );
    expect(lines(10, null, 10)).toBe('nothing was refused');
    expect(lines(10, 11, null)).toContain('together must not be above');
    expect(lines(10, 10, null)).toBe('nothing was refused');
    expect(lines(null, 600, 500)).toBe('nothing was refused');
  });
});

describe('settings', () => {
  it('refuse a name that is not there even where a stronger layer hides it, and keep the former group', () => {
    const settings = new Settings(known);
    settings.replace('files', [layer({ inlineLimit: 1_000 })]);
    const hidden = [layer({ strategy: 'nope' }, { at: { strategy: 'file:9' } }), layer({ strategy: 'tail' })];
    expect(refusal(() => settings.replace('files', hidden))).toContain(
      'strategy "nope" (from file:9) is not known.',
    );
    const dialects = [layer({ dialect: 'nope' }, { at: { dialect: 'file:8' } }), layer({ dialect: 'plain' })];
    expect(refusal(() => settings.replace('files', dialects))).toContain(
      'dialect "nope" (from file:8) is not known.',
    );
    expect(settings.effective('any').policy.inlineLimit).toBe(1_000);
  });

  it('refuse what only together with another group is not valid, for a tool that the other names', () => {
    const settings = new Settings(known);
    settings.replace('tools', [layer({ headLines: 50 }, { level: 'tool', tool: 'build' })]);
    expect(refusal(() => settings.replace('files', [layer({ maxLines: 40 })]))).toContain(
      'together must not be above',
    );
    expect(settings.effective('other').policy.maxLines).toBe(null);
  });

  it('go by level, then by how closely the tool is named, then in the order given', () => {
    const settings = new Settings(known);
    settings.replace('one', [
      layer({ inlineLimit: 1_004 }, { level: 'tool', tool: 'BUILD_it' }),
      layer({ inlineLimit: 1_003 }, { level: 'tool', tool: 'build*' }),
      layer({ inlineLimit: 1_002 }, { level: 'tool', tool: 'b*' }),
      layer({ inlineLimit: 1_001 }, { level: 'tool' }),
      layer({ inlineLimit: 1_000 }, { level: 'user' }),
    ]);
    settings.replace('two', [layer({ inlineLimit: 999 }, { level: 'user' })]);
    const limit = (tool: string) => settings.effective(tool).policy.inlineLimit;
    expect(['build_it', 'build_that', 'bake', 'cook'].map(limit)).toEqual([1_004, 1_003, 1_002, 1_001]);
    settings.replace('one', [
      layer({ inlineLimit: 1_002 }, { level: 'tool', tool: '*' }),
      layer({ inlineLimit: 1_001 }, { level: 'tool' }),
    ]);
    expect(limit('build_it')).toBe(1_002);
    settings.replace('one', []);
    expect(limit('build_it')).toBe(999);
    settings.replace('three', [layer({ inlineLimit: 998 })]);
    expect(limit('build_it')).toBe(998);
    expect(
      settings.effective('build_it', [layer({ inlineLimit: 500 }, { level: 'task' })]).policy.inlineLimit,
    ).toBe(500);
    expect(limit('build_it')).toBe(998);
  });

  it('that are set while running add up, apply from the next call on, and are told', () => {
    const settings = new Settings(known);
    let observed = 0;
    settings.onChange(() => observed++);
    settings.effective('build');
    settings.set({ inline_limit: 700 });
    settings.set({ head_ratio: 0.25 }, 'build');
    expect(observed).toBe(2);
    const { policy, origins } = settings.effective('build');
    expect([policy.inlineLimit, policy.headRatio]).toEqual([700, 0.25]);
    expect(origins.inlineLimit).toEqual({ level: 'user', source: 'api' });
    expect(origins.headRatio).toEqual({ level: 'tool', source: 'api' });
    expect(settings.effective('other').policy.headRatio).toBe(DEFAULT_POLICY.headRatio);
    expect(refusal(() => settings.set({ inline_limit: 1 }))).not.toBe('nothing was refused');
    expect(observed).toBe(2);
  });
});

describe('values', () => {
  it('are refused with what the setting takes, and quoted in short', () => {
    expect(refusal(() => parseValue('inlineLimit', null))).toContain('it was null.');
    expect(refusal(() => parseValue('inlineLimit', {}))).toContain('it was an object.');
    expect(refusal(() => parseValue('inlineLimit', 'y'.repeat(50), 'file:1: max_chars'))).toBe(
      `file:1: max_chars must be a whole number of at least 300; it was "${'y'.repeat(40)}".`,
    );
    expect(parseValue('maxLines', 'off')).toEqual({ maxLines: null });
    for (const value of [-0.01, '0.5', Number.NaN])
      expect(refusal(() => parseValue('headRatio', value))).toContain('must be a number from 0 to 1;');
    for (const value of [0.99, 10.01, '2'])
      expect(refusal(() => parseValue('failingFactor', value))).toContain('must be a number from 1 to 10;');
  });

  it('are read from text: numbers with and without underscores, flags, names', () => {
    expect(parseText('headRatio', '.5')).toEqual({ headRatio: 0.5 });
    expect(refusal(() => parseText('preserveErrors', 'TRUE'))).toContain('it was "TRUE".');
    expect(refusal(() => parseText('headRatio', '-0.5'))).toContain('it was -0.5.');
    expect(refusal(() => parseText('inlineLimit', '8e3'))).toContain('it was "8e3".');
    expect(['tail', '5'].map((text) => parseText('strategy', text))).toEqual([
      { strategy: 'tail' },
      { strategy: '5' },
    ]);
    expect(parseText('snap', 'exact')).toEqual({ snap: 'exact' });
  });

  it('come under their name, their name in code or their alias; what is undefined was not said', () => {
    expect(parseSettings({ max_chars: 900, headRatio: 0.5, tail_lines: 3, head_lines: undefined })).toEqual({
      inlineLimit: 900,
      headRatio: 0.5,
      tailLines: 3,
    });
    expect(refusal(() => parseSettings({ [`nope${'x'.repeat(80)}`]: 1 }, 'file:2: '))).toMatch(
      /^file:2: "nopex{56}" is not a setting\. Settings: strategy, inline_limit, /,
    );
    expect(refusal(() => parseSettings({ max_chars: 1 }, 'file:2: '))).toMatch(/^file:2: max_chars must be /);
  });
});
