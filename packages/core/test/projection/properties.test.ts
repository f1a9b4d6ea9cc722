/** What holds for every output and every accepted policy. */

import type { Projection, Spillway, ToolResult } from '@spillway/core';
import type { PolicyPatch } from '@spillway/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/text/tokens.ts';
import { anyBytes, anyPolicy, anyText, chunked } from '../arbitraries.ts';
import { openSpillway } from '../opening.ts';

const RUNS = { numRuns: Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 300) };
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const call = { tool: 'run', session: 's', scope: 's', input: { command: 'make' } };

const anyResult: fc.Arbitrary<ToolResult> = fc.oneof(
  { weight: 3, arbitrary: anyBytes.map((text) => ({ kind: 'text' as const, text })) },
  {
    weight: 2,
    arbitrary: fc
      .record(
        {
          stdout: anyText,
          stderr: anyText,
          exitCode: fc.constantFrom(0, 1, 137),
          durationMs: fc.nat({ max: 1e9 }),
        },
        { requiredKeys: ['stdout', 'stderr', 'exitCode'] },
      )
      .map((exec) => ({ kind: 'exec' as const, ...exec })),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(
        fc.oneof(
          { weight: 4, arbitrary: anyText.map((text) => ({ type: 'text' as const, text })) },
          {
            weight: 1,
            arbitrary: fc.constant({ type: 'image' as const, data: 'aGk=', mimeType: 'image/png' }),
          },
        ),
        { maxLength: 12 },
      )
      .map((blocks) => ({ kind: 'blocks' as const, blocks })),
  },
);

function linesIn(text: string): number {
  return text === '' ? 0 : text.split(/\r\n|\r|\n/).length - (/[\r\n]$/.test(text) ? 1 : 0);
}

describe('every projection', () => {
  it('is within every cap, notice and markers included, and never longer than the full text by more than our smallest notice', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyPolicy, async (result, policy) => {
        const { projection } = await openSpillway().process(call, result, { policy });
        expect(projection.text.length).toBeLessThanOrEqual(policy.inlineLimit ?? 0);
        expect(linesIn(projection.text)).toBeLessThanOrEqual(policy.maxLines ?? Number.POSITIVE_INFINITY);
        expect(estimateTokens(projection.text)).toBeLessThanOrEqual(
          policy.maxTokens ?? Number.POSITIVE_INFINITY,
        );
        const blocks = projection.blocks.reduce(
          (sum, block) => sum + (block.type === 'text' ? block.text.length : 0),
          0,
        );
        expect(blocks).toBeLessThanOrEqual(projection.text.length);
        const { original_size, was_truncated } = projection.metadata;
        if (was_truncated && original_size >= 300)
          expect(projection.text.length).toBeLessThanOrEqual(original_size + 40);
      }),
      RUNS,
    );
  });

  it('names the handle, the total and the exit code of what it cut', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyPolicy, async (result, policy) => {
        const { projection } = await openSpillway().process(call, result, { policy });
        if (!projection.metadata.was_truncated) return;
        const opening = projection.text.slice(0, 300);
        expect(opening).toContain(projection.metadata.artifact_id);
        expect(opening).toContain(projection.metadata.original_size.toLocaleString('en-US'));
        if (result.kind === 'exec') expect(opening).toContain(`Exit code ${result.exitCode}`);
      }),
      RUNS,
    );
  });

  it('is well-formed text', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyPolicy, async (result, policy) => {
        const { projection } = await openSpillway().process(call, result, { policy });
        expect(projection.text.isWellFormed()).toBe(true);
        for (const block of projection.blocks)
          if (block.type === 'text') expect(block.text.isWellFormed()).toBe(true);
      }),
      RUNS,
    );
  });

  it('projected again under the same policy stays as it is', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyPolicy, async (result, policy) => {
        const spillway = openSpillway();
        const { projection } = await spillway.process(call, result, { policy });
        const again = await spillway.process(
          call,
          { kind: 'text', text: String(projection.text) },
          { policy },
        );
        expect(again.projection.text).toBe(projection.text);
        expect(again.projection.metadata.was_truncated).toBe(false);
      }),
      RUNS,
    );
  });
});

describe('the counts of a projection', () => {
  it('add up exactly: shown and omitted are the whole text, in chars and in lines', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyPolicy, async (text, policy) => {
        const { projection, spillway } = await projectText(text, policy);
        const { omitted, original_size, original_lines } = projection.metadata;
        expect(original_size).toBe(text.length);
        expect(original_lines).toBe(linesIn(text));
        const shownText = omitted.reduceRight(
          (rest, gap) => rest.slice(0, gap.first_char - 1) + rest.slice(gap.last_char),
          text,
        );
        expect(shownText.length + omitted.reduce((sum, gap) => sum + gap.chars, 0)).toBe(text.length);
        const shownLines = new Set(lineNumbers(text, omitted));
        expect(shownLines.size + omitted.reduce((sum, gap) => sum + gap.lines, 0)).toBe(original_lines);
        const parsed = spillway.parse(projection.text);
        if (parsed !== null && projection.metadata.lookalikes === 0) {
          expect(parsed).toMatchObject({
            dialect: policy.dialect,
            totalChars: text.length,
            artifactId: projection.metadata.artifact_id,
          });
          // One marker counts the gaps between the lines that are listed below it.
          expect(sumOf(parsed.gaps, 'chars')).toBe(sumOf(omitted, 'chars'));
          if (policy.dialect === 'standard')
            expect(sumOf(parsed.gaps, 'lines')).toBe(sumOf(omitted, 'lines'));
        }
      }),
      RUNS,
    );
  });

  it('shows nothing but text of the tool between the notice and the markers', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyPolicy, async (text, policy) => {
        const { projection } = await projectText(text, policy);
        const { omitted } = projection.metadata;
        if (omitted.length === 0) {
          const whole = text === '' ? '[No output.]' : text;
          // Without a gap it is the text itself, or only formatting was left out of it.
          if (projection.text === whole) return;
          expect(/\r(?!\n)/.test(text) || text.includes('\u001b')).toBe(true);
          expect(projection.metadata.was_truncated).toBe(false);
          expect(projection.text.length).toBeLessThan(text.length);
          return;
        }
        let at = 0;
        for (const gap of [...omitted, { first_char: text.length + 1, last_char: text.length }]) {
          // Formatting may be elided inside a run; what is left of it is there, in order.
          const shown = text.slice(at, gap.first_char - 1).replace(ESCAPES, '');
          // Of lines that overwrite each other only the last may be there.
          const plain = projection.text.replace(ESCAPES, '');
          if (!/\r(?!\n)/.test(shown) && !isListed(plain, text.slice(0, at), shown))
            expect(plain).toContain(shown);
          at = gap.last_char;
        }
      }),
      RUNS,
    );
  });
});

function sumOf<Name extends string>(gaps: readonly { readonly [name in Name]: number | null }[], name: Name) {
  return gaps.reduce((sum, gap) => sum + (gap[name] ?? 0), 0);
}

/** Whether lines stand below a marker, each behind its number. */
function isListed(projection: string, before: string, lines: string): boolean {
  const first = linesIn(before) + 1;
  return lines
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .every((line, i) => projection.includes(`\n${first + i}: ${line}`));
}

describe('the pieces in which an output arrives', () => {
  it('do not matter', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyBytes,
        anyPolicy,
        fc.array(fc.nat(), { maxLength: 20 }),
        async (bytes, policy, cuts) => {
          const whole = await projectText(bytes, policy);
          const inChunks = await projectText(chunked(bytes, cuts), policy);
          expect(inChunks.projection.text).toBe(whole.projection.text);
          expect(inChunks.projection.metadata.omitted).toEqual(whole.projection.metadata.omitted);
        },
      ),
      RUNS,
    );
  });
});

describe('what was stored', () => {
  it('gives the same projection as what streamed by', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyPolicy, async (result, policy) => {
        const spillway = openSpillway({ random: () => new Uint8Array(10) });
        const { projection } = await spillway.process(call, result, { policy });
        const record = await spillway.sealed({ projection });
        if (record === null) throw new Error('not stored');
        expect(await spillway.preview(record, { policy })).toEqual(projection);
      }),
      RUNS,
    );
  });

  it('can be fetched back through every marker: the text of each gap is where its address says', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyPolicy, async (text, policy) => {
        const { projection, spillway } = await projectText(text, policy);
        for (const gap of projection.metadata.omitted) {
          const artifact_id = projection.metadata.artifact_id;
          const byChars = await collect(
            spillway.readRaw({ artifact_id, chars: `${gap.first_char}-${gap.last_char}` }, 's'),
          );
          expect(byChars.toString()).toBe(text.slice(gap.first_char - 1, gap.last_char));
          const byLines = await collect(
            spillway.readRaw({ artifact_id, lines: `${gap.first_line}-${gap.last_line}` }, 's'),
          );
          expect(byLines.toString()).toContain(text.slice(gap.first_char - 1, gap.last_char));
        }
      }),
      RUNS,
    );
  });

  it('comes back page by page, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        const spillway = openSpillway();
        spillway.settings.set({ page_limit: 1_000 });
        const answer = await spillway.process(call, { kind: 'text', text: bytes });
        const id = (await spillway.sealed(answer))?.id;
        let page = await spillway.retrieve({ id }, 's');
        let body = page.body;
        while (page.nextCursor !== null) {
          expect(page.text.length).toBeLessThanOrEqual(1_000);
          expect(page.nextCall).toBe(`get_artifact(artifact_id="${id}", cursor="${page.nextCursor}")`);
          page = await spillway.retrieve({ id, cursor: page.nextCursor }, 's');
          body += page.body;
        }
        expect(body.length).toBe(page.totalChars);
        expect(await collect(spillway.readRaw({ id }, 's'))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 150 },
    );
  });
});

async function projectText(
  text: string | Uint8Array | Uint8Array[],
  policy: PolicyPatch,
): Promise<{ projection: Projection; spillway: Spillway }> {
  let seed = 0;
  const spillway = openSpillway({
    clock: () => 1_700_000_000_000,
    random: (count) => new Uint8Array(count).fill(seed++),
  });
  const { projection } = await spillway.process(call, { kind: 'text', text }, { policy });
  return { projection, spillway };
}

async function collect(chunks: Promise<AsyncIterable<Uint8Array>>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of await chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** Numbers of the lines of which any part is shown. */
function* lineNumbers(text: string, gaps: Projection['metadata']['omitted']): Generator<number> {
  let number = 1;
  let at = 0;
  for (const line of text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []) {
    const hidden = gaps.some((gap) => gap.first_char - 1 <= at && gap.last_char >= at + line.length);
    if (!hidden) yield number;
    at += line.length;
    number++;
  }
}
