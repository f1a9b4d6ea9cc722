/** Levels of settings, their order and their origin. */
import { FIELD_NAMES, type PolicyLayer, PROFILES, profileOf, Settings } from '@spillway/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../src/text/glob.ts';
import { openSpillway } from '../opening.ts';

const known = {
  strategies: ['auto', 'head_tail', 'tail', 'head', 'none'],
  dialects: ['standard', 'spill', 'plain'],
};
const text = 'x'.repeat(40_000);
const call = (tool: string) => ({ tool, session: 's', scope: 's' });

describe('levels', () => {
  it('are merged field by field: a tool that sets only its strategy keeps the limit of the user', () => {
    const settings = new Settings(known);
    settings.replace('files', [
      { level: 'tool', source: 'tools.yaml', tool: 'build', patch: { strategy: 'tail' } },
      { level: 'user', source: 'config.yml', patch: { inlineLimit: 30_000 } },
    ]);
    expect(settings.effective('build').policy).toMatchObject({ inlineLimit: 30_000, strategy: 'tail' });
    expect(settings.effective('other').policy).toMatchObject({ inlineLimit: 30_000, strategy: 'auto' });
  });

  it('know the tools they are for, each once', () => {
    const settings = new Settings(known);
    settings.replace('mine', [
      { level: 'tool', source: 'tools.yaml', tool: 'my_tool', patch: { strategy: 'tail' } },
      { level: 'tool', source: 'config.yml', tool: 'my_tool', patch: { strategy: 'head' } },
      { level: 'user', source: 'config.yml', patch: { inlineLimit: 30_000 } },
    ]);
    const names = settings.toolNames();
    expect(names.filter((name) => name === 'my_tool')).toHaveLength(1);
    expect(names.every((name) => typeof name === 'string')).toBe(true);
  });

  it('name the true source of each field, whatever was set where', () => {
    const levels: readonly ('user' | 'tool' | 'task')[] = ['user', 'tool', 'task'];
    const rank = (layer: PolicyLayer) => (['user', 'tool', 'task'] as string[]).indexOf(layer.level);
    const patch = fc.record(
      {
        inlineLimit: fc.integer({ min: 300, max: 4_000 }),
        headRatio: fc.double({ min: 0, max: 1, noNaN: true }),
        snap: fc.constantFrom('line' as const, 'exact' as const),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...levels), patch), { maxLength: 8 }), (given) => {
        const layers: PolicyLayer[] = given.map(([level, values], i) => ({
          level,
          source: `source ${i}`,
          patch: values,
          ...(level === 'tool' ? { tool: 'build' } : {}),
        }));
        const settings = new Settings(known);
        settings.replace(
          'files',
          layers.filter((layer) => layer.level !== 'task'),
        );
        const { policy, origins } = settings.effective(
          'build',
          layers.filter((layer) => layer.level === 'task'),
        );
        const strongestFirst = [...layers].sort(
          (a, b) => rank(b) - rank(a) || layers.indexOf(b) - layers.indexOf(a),
        );
        for (const name of ['inlineLimit', 'headRatio', 'snap'] as const) {
          const expected = strongestFirst.find((layer) => layer.patch[name] !== undefined);
          expect(origins[name].source).toBe(expected?.source ?? 'built-in');
          if (expected !== undefined) expect(policy[name]).toBe(expected.patch[name]);
        }
      }),
    );
  });

  it('put the nearer of two patterns above the wider, and an exact name above both', () => {
    const settings = new Settings(known);
    settings.replace('files', [
      { level: 'tool', source: 'exact', tool: 'MCP__GitHub__search', patch: { inlineLimit: 500 } },
      { level: 'tool', source: 'near', tool: 'mcp__github__*', patch: { inlineLimit: 600, headRatio: 0.1 } },
      {
        level: 'tool',
        source: 'wide',
        tool: 'mcp__*',
        patch: { inlineLimit: 700, headRatio: 0.2, strategy: 'tail' },
      },
    ]);
    expect(settings.effective('mcp__github__search').policy).toMatchObject({
      inlineLimit: 500,
      headRatio: 0.1,
      strategy: 'tail',
    });
    expect(settings.effective('mcp__slack__post').policy).toMatchObject({ inlineLimit: 700, headRatio: 0.2 });
  });

  it('that do not fit together are refused with both sources, and the former ones stay', () => {
    const settings = new Settings(known);
    settings.replace('files', [{ level: 'user', source: 'config.yml:3', patch: { inlineLimit: 9_000 } }]);
    const bad: PolicyLayer = {
      level: 'tool',
      source: 'tools.yaml:7',
      tool: 'build',
      patch: { artifactThreshold: 5_000 },
    };
    expect(() => settings.replace('tools', [bad])).toThrow(
      'inline_limit (9000, from config.yml:3) must not be above artifact_threshold (5000, from tools.yaml:7); lower the first or raise the second.',
    );
    expect(settings.effective('build').policy.artifactThreshold).toBe(50_000);
  });

  it('of the built-in kind let the content decide, for every tool', () => {
    for (const tool of ['execute_command', 'read_file', 'mcp__github__search'])
      expect(new Settings(known).effective(tool)).toMatchObject({
        policy: { strategy: 'auto' },
        origins: { strategy: { level: 'system', source: 'built-in' } },
      });
  });
});

describe('settings of a running Spillway', () => {
  it('apply to the next call; those of one call are gone with it; those of a session stay with it', async () => {
    const spillway = openSpillway();
    const size = async (options = {}) =>
      (await spillway.process(call('build'), { kind: 'text', text }, options)).projection.text.length;
    const before = await size();
    expect(await size({ policy: { max_chars: 2_000 } })).toBeLessThanOrEqual(2_000);
    expect(await size()).toBe(before);
    spillway.configureSession('s', { inlineLimit: 3_000 });
    expect(await size()).toBeLessThanOrEqual(3_000);
    expect(spillway.explain('build', { session: 's' }).origins.inlineLimit).toEqual({
      level: 'task',
      source: 'session',
    });
    spillway.configureSession('s', null);
    spillway.settings.set({ inline_limit: 5_000 }, 'BUILD');
    expect(await size()).toBeLessThanOrEqual(5_000);
    expect(() => spillway.settings.set({ artifact_threshold: 4_999 })).toThrow('must not be above');
    expect(() => spillway.settings.set({ strategy: 'tale' })).toThrow(
      'Known: auto, head, tail, head_tail, size_limit, lines, reading, smart_summary, none, element.',
    );
    expect(await size()).toBeLessThanOrEqual(5_000);
  });

  it('given to one call again are looked up, also after those below them have changed', () => {
    const spillway = openSpillway();
    const policy = { maxLines: 10 };
    const first = spillway.explain('build', { policy });
    expect(spillway.explain('build', { policy: { ...policy } })).toBe(first);
    expect(spillway.explain('test', { policy })).not.toBe(first);
    spillway.settings.set({ inline_limit: 5_000 });
    expect(spillway.explain('build', { policy }).policy).toMatchObject({ inlineLimit: 5_000, maxLines: 10 });
    // JSON says null for it, which is a value that max_lines takes.
    expect(spillway.explain('build', { policy: { maxLines: null } }).policy.maxLines).toBeNull();
    expect(() => spillway.explain('build', { policy: { maxLines: Number.NaN } })).toThrow('maxLines must');
  });

  it('given to one call are checked: a bad one is an error of that call', async () => {
    const spillway = openSpillway();
    await expect(
      spillway.process(call('t'), { kind: 'text', text: 'x' }, { policy: { inlineLimit: 10 } }),
    ).rejects.toMatchObject({ code: 'invalid_policy' });
    await expect(
      // @ts-expect-error A typing error does not compile, and is refused where nothing was compiled.
      spillway.process(call('t'), { kind: 'text', text: 'x' }, { policy: { colour: 1 } }),
    ).rejects.toThrow('"colour" is not a setting.');
  });
});

describe('profiles', () => {
  it('are all accepted, and named when a wrong one is asked for', () => {
    const names = {
      strategies: ['auto', 'head_tail', 'tail', 'head', 'lines', 'size_limit', 'none'],
      dialects: known.dialects,
    };
    for (const [name, patch] of Object.entries(PROFILES)) {
      const settings = new Settings(names);
      settings.replace('files', [{ level: 'user', source: `profile ${name}`, patch }]);
      expect(settings.effective('execute_command').policy).toMatchObject(patch);
    }
    expect(() => profileOf('spil', '--profile ')).toThrow(
      '--profile "spil" is not a profile. Did you mean spill? Profiles: standard, spill, tail, exec, repl, mcp.',
    );
  });
});

describe('a pattern for tool names', () => {
  it.each([
    ['mcp__*', 'MCP__x', true],
    ['*search*', 'web_search_v2', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*', '', true],
    ['a.c', 'abc', false],
    ['', 'a', false],
    ['a*b*c', 'a-b-b-d', false],
  ])('%s and %s: %s', (pattern, name, matches) => {
    expect(matchesGlob(pattern, name)).toBe(matches);
  });

  it('takes no time on hostile input', () => {
    expect(matchesGlob(`${'a*'.repeat(5_000)}b`, 'a'.repeat(10_000))).toBe(false);
  });
});

it('every field has a default that is itself accepted', () => {
  const settings = new Settings(known);
  const { policy } = settings.effective('anything');
  for (const name of FIELD_NAMES) expect(policy[name]).not.toBeUndefined();
});
