/** What fits is left alone, to the last char and line; what does not uses the room it has. */

import type { ToolResult } from '@spillway/core';
import type { PolicyPatch } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { shown as projected } from '../opening.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

const shown: typeof projected = (output, policy, options) =>
  projected(output, { contentDetection: false, ...policy }, options);

const lineCount = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

describe('what fits', () => {
  it('to the last char, line and token is returned as it is', async () => {
    const text = 'x'.repeat(400);
    expect((await shown(text, { inlineLimit: 400 })).text).toBe(text);
    expect((await shown(`${text}x`, { inlineLimit: 400 })).metadata.was_truncated).toBe(true);
    expect((await shown(numbered(8), { maxLines: 8 })).text).toBe(numbered(8));
    expect((await shown(numbered(9), { maxLines: 8 })).metadata.was_truncated).toBe(true);
    expect((await shown(text, { maxTokens: 400 }, { tokens: (words) => words.length })).text).toBe(text);
    expect(
      (await shown(text, { maxTokens: 399 }, { tokens: (words) => words.length })).metadata.was_truncated,
    ).toBe(true);
  });

  it('part by part is returned as it is, to the last char of each', async () => {
    const exec = (stdout: string, stderr: string): ToolResult => ({
      kind: 'exec',
      stdout,
      stderr,
      exitCode: 0,
    });
    const policy = { inlineLimit: 5_000, perPartLimit: 1_000 };
    expect((await shown(exec('o'.repeat(1_000), 'e'.repeat(1_000)), policy)).metadata.was_truncated).toBe(
      false,
    );
    expect((await shown(exec('o'.repeat(1_001), 'e'), policy)).metadata.was_truncated).toBe(true);
    expect((await shown('o'.repeat(4_000), policy)).metadata.was_truncated).toBe(false);
  });

  it('counts the line that says how it ended', async () => {
    const failed = (stdout: string): ToolResult => ({ kind: 'exec', stdout, stderr: '', exitCode: 1 });
    const status = '[Exit code 1.]\n';
    const room = 400 - status.length;
    expect((await shown(failed('x'.repeat(room)), { inlineLimit: 400 })).text).toBe(
      `${status}${'x'.repeat(room)}`,
    );
    expect((await shown(failed('x'.repeat(room + 1)), { inlineLimit: 400 })).text.length).toBeLessThanOrEqual(
      400,
    );
    expect((await shown(failed(numbered(7)), { maxLines: 8 })).text).toBe(`${status}${numbered(7)}`);
    expect(lineCount((await shown(failed(numbered(8)), { maxLines: 8 })).text)).toBeLessThanOrEqual(8);
  });

  it('has nothing elided, nothing omitted, and no lines that look like ours', async () => {
    const none = { elided_chars: 0, lookalikes: 0, omitted: [], was_truncated: false };
    expect((await shown('', {})).metadata).toMatchObject({ ...none, truncated_size: '[No output.]'.length });
    expect((await shown('text', {})).metadata).toMatchObject({ ...none, truncated_size: 4 });
    const blank = await shown({ kind: 'exec', stdout: 'out\n', stderr: ' \n', exitCode: 0 }, {});
    expect([blank.text, blank.metadata.elided_chars]).toEqual(['out\n', 2]);
  });

  it('is described where it has no text, also where it has no bytes', async () => {
    const { text } = await shown(
      {
        kind: 'blocks',
        blocks: [
          { type: 'text', text: '' },
          { type: 'image', data: new Uint8Array(), mimeType: 'image/png' },
        ],
      },
      {},
    );
    expect(text).toBe('[image/png, 0 bytes, sha256 e3b0c44298fc]');
  });
});

describe('what does not fit', () => {
  it('uses the chars it has, up to a cut that has to fall somewhere', async () => {
    for (const inlineLimit of [600, 1_000, 5_000]) {
      const { text } = await shown('word '.repeat(20_000), {
        inlineLimit,
        artifactThreshold: 200_000,
        snap: 'exact',
      });
      expect(text.length).toBeLessThanOrEqual(inlineLimit);
      expect(text.length).toBeGreaterThan(inlineLimit - 40);
    }
  });

  it('uses the lines it has', async () => {
    for (const maxLines of [12, 30, 100]) {
      const { text } = await shown(numbered(1_000), { maxLines, artifactThreshold: 200_000 });
      expect(lineCount(text)).toBeLessThanOrEqual(maxLines);
      expect(lineCount(text)).toBeGreaterThan(maxLines - 4);
    }
  });

  it('uses the tokens it has, whatever a token is', async () => {
    for (const charsPerToken of [1, 3, 8]) {
      const tokens = (text: string) => Math.ceil(text.length / charsPerToken);
      const { text } = await shown(
        'word '.repeat(20_000),
        { maxTokens: 900, artifactThreshold: 200_000 },
        { tokens },
      );
      expect(tokens(text)).toBeLessThanOrEqual(900);
      expect(tokens(text)).toBeGreaterThan(Math.min(900, 8_000 / charsPerToken) * 0.5);
    }
  });

  it('shortens its own words before it shows less than half of the room, in lines as in chars', async () => {
    const streams: ToolResult = { kind: 'exec', stdout: numbered(500), stderr: numbered(500), exitCode: 1 };
    const lines = async (policy: PolicyPatch) =>
      (await shown(streams, { artifactThreshold: 200_000, ...policy })).text.trimEnd().split('\n');
    const NOTICE = /^\[Exit code 1\. Showing [1-9][\d,]* of 8,784 chars \(1,000 lines\)\. More: /;
    for (const maxLines of [8, 9, 12, 40]) {
      const text = await lines({ maxLines });
      expect(text[0]).toMatch(NOTICE);
      expect(text.length).toBeLessThanOrEqual(maxLines);
      expect(text.length).toBeGreaterThanOrEqual(maxLines - 2);
    }
    expect((await lines({ inlineLimit: 330 }))[0]).toMatch(/^\[Exit code 1\. /);
  });

  it('gives all parts of a batch of blocks their share, and names what was left out of each', async () => {
    const block = (letter: string) => ({ type: 'text' as const, text: letter.repeat(3_000) });
    const { metadata } = await shown(
      { kind: 'blocks', blocks: ['a', 'b', 'c'].map(block) },
      { inlineLimit: 3_000, snap: 'exact', strategy: 'head' },
    );
    const kept = metadata.omitted.map((gap) => 3_000 - gap.chars);
    expect(kept).toHaveLength(3);
    expect(Math.max(...kept) - Math.min(...kept)).toBeLessThan(3);
    expect(kept.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(2_400);
  });

  it('counts what it elides and what looks like its own words', async () => {
    const lookalike = '... [5 lines / 6 chars omitted] ...\n';
    const { metadata } = await shown(
      { kind: 'exec', stdout: `${lookalike}${'x'.repeat(20_000)}`, stderr: ' \n ', exitCode: 0 },
      { strategy: 'head' },
    );
    expect([metadata.lookalikes, metadata.elided_chars]).toEqual([1, 3]);
  });
});

describe('the notice', () => {
  const inSpill = async (policy: PolicyPatch, output: string | ToolResult = numbered(2_000)) => {
    const { text } = await shown(output, { dialect: 'spill', ...policy });
    return /Showing (.*) chars below/.exec(text)?.[1]?.replace(/[\d,]+/g, 'N');
  };

  it('says how much is shown of which end, where one text is shown by its ends alone', async () => {
    const errors = numbered(2_000).replace('line 1000\n', 'ERROR the disk is full\n');
    const streams: ToolResult = { kind: 'exec', stdout: numbered(2_000), stderr: 'x', exitCode: 0 };
    expect(await inSpill({ strategy: 'head_tail' })).toBe('first N and last N');
    expect(await inSpill({ strategy: 'head' })).toBe('first N');
    expect(await inSpill({ strategy: 'tail' })).toBe('last N');
    expect(await inSpill({ strategy: 'smart_summary' }, errors)).toBe('N');
    expect(await inSpill({ strategy: 'head_tail' }, streams)).toBe('N');
  });

  it('adds up what was found in the streams of a command', async () => {
    const stream = (word: string) =>
      Array.from({ length: 900 }, (_, i) => (i % 300 === 0 ? `ERROR ${word} ${i}\n` : `line ${i}\n`)).join(
        '',
      );
    const streams: ToolResult = { kind: 'exec', stdout: stream('disk'), stderr: stream('net'), exitCode: 1 };
    expect((await shown(streams, { inlineLimit: 4_000 })).text).toContain('\n[Error lines: 6');
  });

  it('goes into a JSON text where the call failed, so that hosts that take one string learn of it', async () => {
    const stdout = JSON.stringify(Array.from({ length: 2_000 }, (_, i) => ({ id: i })));
    const policy = { contentDetection: true, strategy: 'element' };
    const ran = (exitCode: number): ToolResult => ({ kind: 'exec', stdout, stderr: '', exitCode });
    const [well, failed] = [await shown(ran(0), policy), await shown(ran(1), policy)];
    expect(well.notice).toMatch(/^\[Exit code 0\. Showing /);
    expect(well.text.length + (well.notice?.length ?? 0)).toBeLessThanOrEqual(8_000);
    expect([failed.notice, failed.text.startsWith('["[Exit code 1. Showing ')]).toEqual([null, true]);
  });
});

describe('the body', () => {
  const kept = async (policy: PolicyPatch, length = 40_000) => {
    const { metadata } = await shown('word '.repeat(length / 5), policy);
    return length - metadata.omitted.reduce((sum, { chars }) => sum + chars, 0);
  };

  it('is as long as `shown` says, and under a card as long as `preview_limit`', async () => {
    const about = async (chars: number, policy: PolicyPatch, length?: number) => {
      const body = await kept(policy, length);
      expect(Math.abs(body - chars)).toBeLessThan(100);
    };
    await about(1_000, { shown: 1_000 });
    await about(500, { previewLimit: 500 }, 60_000);
    expect(await kept({ previewLimit: 500 })).toBeGreaterThan(7_000);
    expect(await kept({}, 60_000)).toBeGreaterThan(7_000);
  });

  it('shows a short line behind a very long one with the end of the long one', async () => {
    const { text } = await shown(`${'x'.repeat(20_000)}\nbb\n`);
    expect(text).toMatch(/x{2000}\nbb\n$/);
  });
});
