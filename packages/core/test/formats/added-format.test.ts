/**
 * A format that is added through the plugin door: recognised, cut validly, addressed and marked
 * like a built-in one.
 */
import { GET_ARTIFACT, memoryStore, openAgent, type SpillwayOptions } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { CALL, openSpillway, shown } from '../opening.ts';
import { ini } from './ini/index.ts';

const section = (name: string, entries: number) =>
  `[${name}]\n${Array.from({ length: entries }, (_, i) => `${name}_key_${i} = some value of it\n`).join('')}`;
const TEXT = section('server', 40) + section('database', 400) + section('cache', 3);
const added = { formats: [ini] };

/** Never asked here. */
const engines: Partial<SpillwayOptions> = { patterns: {} as never, paths: {} as never };

describe('an added format', () => {
  it('decides what is kept, within the limit, and the text stays valid', async () => {
    for (const inlineLimit of [900, 2_000, 6_000]) {
      const { text } = await shown(TEXT, { inlineLimit }, added);
      expect(text.length).toBeLessThanOrEqual(inlineLimit);
      const lines = text.trimEnd().split('\n');
      const kept = lines.filter((line) => !line.startsWith(';'));
      expect(kept.length).toBeGreaterThan(2);
      let head = '';
      for (const line of kept) {
        expect(TEXT).toContain(`${line}\n`);
        head = /^\[(\w+)\]$/.exec(line)?.[1] ?? head;
        if (!line.startsWith('[')) expect(line.startsWith(`${head}_key_`)).toBe(true);
      }
    }
  });

  it('marks its gaps itself, and what is shown and omitted is the whole', async () => {
    const { text } = await shown(TEXT, { inlineLimit: 2_000 }, added);
    const omitted = [...text.matchAll(/^; (\d+) entr(?:y|ies) omitted$/gm)].map(([, count]) => Number(count));
    const kept = text.split('\n').filter((line) => /^(?:\[|\w+_key_)/.test(line)).length;
    expect(kept + omitted.reduce((sum, count) => sum + count, 0)).toBe(446);
  });

  it('holds the notice where it is to be embedded', async () => {
    const { text } = await shown(TEXT, { inlineLimit: 2_000, notice: 'embedded' }, added);
    expect(text).toMatch(/^; \[.*\n(?:; .*\n)*\[server\]\n/);
  });

  it('is asked by an argument of its own, page by page', async () => {
    const spillway = openSpillway(added);
    spillway.settings.set({ page_limit: 2_000 });
    const { projection } = await spillway.process(CALL, { kind: 'text', text: TEXT });
    const { artifact_id } = projection.metadata;
    const cache = await spillway.retrieve({ artifact_id, section: 'cache' }, CALL.scope);
    expect(cache.body).toBe(section('cache', 3));
    expect(cache.notice).toBe(`[${artifact_id}: sections 1-1 of 1]\n`);
    let body = '';
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const args = { artifact_id, section: 'database', ...(cursor === undefined ? {} : { cursor }) };
      const page = await spillway.retrieve(args, CALL.scope);
      expect(page.text.length).toBeLessThanOrEqual(2_000);
      body += page.body;
      cursor = page.nextCursor;
    }
    expect(body).toBe(section('database', 400));
  });

  it('tells the model of its argument in the tool that is handed out', async () => {
    const section = {
      type: 'string',
      description: 'For INI: only the section with this name, e.g. "database".',
    };
    const { description, inputSchema } = GET_ARTIFACT;
    // Without engines behind them, patterns and paths are not offered.
    const { pattern: _, context: __, json_path: ___, ...answered } = inputSchema.properties;
    const expected = { ...inputSchema, properties: { ...answered, section } };
    expect(openSpillway(added).definition).toEqual({
      name: 'get_artifact',
      description,
      inputSchema: expected,
    });
    await using agent = await openAgent({
      session: 's',
      store: memoryStore(),
      shape: 'anthropic',
      formats: [ini],
    });
    const message = { type: 'string', description: 'earlier message: "12" or "12-20"' };
    expect(agent.definition.input_schema).toEqual({
      ...expected,
      properties: { ...expected.properties, message },
    });
    expect(openSpillway(engines).definition).toEqual(GET_ARTIFACT);
  });

  it('does not change what the model is told of an argument that is there', () => {
    const { address } = ini;
    if (address === undefined) throw new Error('it has an address');
    const rows = { ...ini, address: { ...address, argument: 'rows' } };
    expect(openSpillway({ formats: [rows], ...engines }).definition).toEqual(GET_ARTIFACT);
  });

  it('is unknown to those who did not add it', async () => {
    const { text } = await shown(TEXT, { inlineLimit: 2_000 });
    expect(text).not.toContain('; ');
    const spillway = openSpillway();
    const { projection } = await spillway.process(CALL, { kind: 'text', text: TEXT });
    const { artifact_id } = projection.metadata;
    await expect(spillway.retrieve({ artifact_id, section: 'cache' }, CALL.scope)).rejects.toThrow(
      'Unknown argument "section".',
    );
  });

  it('takes nothing from the formats that are there', async () => {
    const json = JSON.stringify(Array.from({ length: 900 }, (_, i) => ({ i })));
    const [alone, beside] = [await shown(json), await shown(json, {}, added)];
    expect(beside.text).toBe(alone.text);
  });
});
