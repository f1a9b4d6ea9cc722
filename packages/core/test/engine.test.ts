/** The whole path, on the reference store. */

import { memoryStore, type Spillway, SpillwayError, type Store } from '@spillway/core';
import type { ArrivedRun } from '@spillway/core/plugin';
import type { OutputWriter } from '@spillway/core/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArrivalDecoder } from '../src/text/arrivals.ts';
import { CALL, openSpillway } from './opening.ts';

const long = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1}`).join('\n');

async function bytesOf(
  spillway: Spillway,
  artifact_id: string | null | undefined,
  more: object = {},
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await spillway.readRaw({ artifact_id, ...more }, 's')) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A store of which one thing is different. */
function storeWith(change: Partial<Store>): Store {
  const inner = memoryStore();
  return new Proxy(inner, {
    get: (target, name) => change[name as keyof Store] ?? Reflect.get(target, name).bind(target),
  });
}

describe('a result', () => {
  it('of 8,000 chars comes out as it went in, without a handle; beyond the slack one is cut and can be fetched whole', async () => {
    const spillway = openSpillway();
    const within = await spillway.process(CALL, { kind: 'text', text: 'x'.repeat(8_000) });
    expect(within.projection.text).toBe('x'.repeat(8_000));
    expect(within.projection.metadata).toMatchObject({ was_truncated: false, artifact_id: null });
    const over = await spillway.process(CALL, { kind: 'text', text: 'x'.repeat(9_201) });
    expect(over.projection.metadata.was_truncated).toBe(true);
    expect(await bytesOf(spillway, over.projection.metadata.artifact_id)).toBe('x'.repeat(9_201));
  });

  it('keeps text and images in place and in order; only the long text changes', async () => {
    const spillway = openSpillway();
    const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };
    const { projection } = await spillway.process(CALL, {
      kind: 'blocks',
      blocks: [{ type: 'text', text: 'first' }, image, { type: 'text', text: long }],
    });
    expect(projection.blocks.slice(0, 2)).toEqual([
      { type: 'text', text: 'first', part: 0 },
      { type: 'part', part: 1 },
    ]);
    expect(projection.blocks[2]).toMatchObject({
      type: 'text',
      part: 2,
      text: expect.stringContaining('[Showing '),
    });
    expect((await spillway.sealed({ projection }))?.parts.map((part) => [part.kind, part.mediaType])).toEqual(
      [
        ['text', undefined],
        ['binary', 'image/png'],
        ['text', undefined],
      ],
    );
  });

  it('gives unused room of one stream to the other, and a blank stream costs nothing', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(
      CALL,
      { kind: 'exec', stdout: long.repeat(2), stderr: 'ten chars!', exitCode: 0 },
      { policy: { strategy: 'head_tail' } },
    );
    expect(projection.text.length).toBeGreaterThan(7_700);
    expect(projection.text).toContain('ten chars!');
    const blank = await spillway.process(CALL, { kind: 'exec', stdout: long, stderr: ' \n', exitCode: 0 });
    expect(blank.projection.text).not.toContain('[stderr');
  });

  it('shows the first line of a whole-file read of 30,000 chars', async () => {
    const { projection } = await openSpillway().process(
      { ...CALL, tool: 'read_file' },
      { kind: 'text', text: `#!/bin/sh first\n${long}` },
    );
    expect(projection.text).toContain('\n#!/bin/sh first\n');
  });

  it('that was cut upstream says so', async () => {
    const { projection } = await openSpillway().process(
      CALL,
      { kind: 'text', text: long },
      { sourceTruncated: true },
    );
    expect(projection.text).toContain('[The output had already been cut before it was recorded.]');
    expect(projection.metadata.source_truncated).toBe(true);
  });

  it('with lone surrogates is stored exactly, shown with U+FFFD, and marked', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(CALL, {
      kind: 'text',
      text: 'a\uD800b',
    });
    expect(projection.text).toBe('a\uFFFDb');
    expect(projection.metadata.ill_formed).toBe(true);
    expect((await spillway.sealed({ projection }))?.parts[0]).toMatchObject({
      bytes: 5,
      notes: ['lone-surrogates'],
    });
  });

  it('keeps its input like content', async () => {
    const spillway = openSpillway();
    const answer = await spillway.process(
      { ...CALL, input: { path: 'a', id: 12345678901234567890n } },
      { kind: 'text', text: 'x' },
    );
    expect((await spillway.sealed(answer))?.parts[0]).toMatchObject({
      role: 'input',
      kind: 'json',
      notes: ['bigint'],
    });
  });
});

describe('the same call id again', () => {
  it('with the same content is the same output, shown as it was even if the policy has changed', async () => {
    const spillway = openSpillway();
    const first = await spillway.process({ ...CALL, callId: 'c1' }, { kind: 'text', text: long });
    const again = await spillway.process(
      { ...CALL, callId: 'c1' },
      { kind: 'text', text: long },
      { policy: { inlineLimit: 900 } },
    );
    expect(again.projection).toEqual(first.projection);
    expect((await spillway.sealed(again))?.id).toBe((await spillway.sealed(first))?.id);
  });

  it('with other content is a new version', async () => {
    const spillway = openSpillway();
    await spillway.process({ ...CALL, callId: 'c1' }, { kind: 'text', text: 'one' });
    const second = await spillway.process({ ...CALL, callId: 'c1' }, { kind: 'text', text: 'two' });
    expect((await spillway.sealed(second))?.version).toBe(2);
  });

  it('is recognised also when the first answer was given before it was sealed', async () => {
    const spillway = openSpillway();
    const [a, b] = await Promise.all(
      [1, 2].map(() => spillway.process({ ...CALL, callId: 'c' }, { kind: 'text', text: 'same' })),
    );
    if (a === undefined || b === undefined) throw new Error('two answers');
    expect(a.projection.text).toBe('same');
    expect((await spillway.sealed(a))?.id).toBe((await spillway.sealed(b))?.id);
  });
});

describe('a projection', () => {
  it('once made is frozen for its audience; previews change nothing, reprojecting does', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(CALL, { kind: 'text', text: long });
    const record = await spillway.sealed({ projection });
    if (record === null) throw new Error('not stored');
    const smaller = { policy: { inlineLimit: 1_000 } };
    expect((await spillway.preview(record, smaller)).text.length).toBeLessThanOrEqual(1_000);
    expect(await spillway.project(record, smaller)).toEqual(projection);
    expect(
      (await spillway.project(record, { ...smaller, audience: 'screen' })).text.length,
    ).toBeLessThanOrEqual(1_000);
    const changed = await spillway.reproject(record, smaller);
    expect(await spillway.project(record)).toEqual(changed);
    expect(changed.text.length).toBeLessThanOrEqual(1_000);
  });

  it('cannot be recorded as if a tool had said it: the types forbid it', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(CALL, { kind: 'text', text: 'x' });
    // @ts-expect-error a projected text is not a tool's text
    await spillway.process(CALL, { kind: 'text', text: projection.text });
    // @ts-expect-error nor is a projection a result
    await expect(spillway.process(CALL, projection)).rejects.toThrow();
  });
});

describe('two streams', () => {
  it('that arrive at the same time are kept apart, and their order is kept', async () => {
    const store = memoryStore();
    const spillway = openSpillway({ store });
    const capture = await spillway.open(CALL);
    const out = capture.part({ name: 'stdout', labelled: true });
    const err = capture.part({ name: 'stderr', labelled: true });
    const smiley = Buffer.from('😀');
    await out.write('one ');
    await out.write(smiley.subarray(0, 2));
    await err.write('warn\n');
    await out.write(smiley.subarray(2));
    const { projection } = await capture.finish({
      outcome: { status: 'error', exitCode: 3 },
      complete: true,
    });
    expect(projection.text).toBe('[Exit code 3.]\n[stdout]\none 😀\n[stderr]\nwarn\n');
    const record = await spillway.sealed({ projection });
    const order = record?.parts.find((part) => part.role === 'order');
    const reading = await store.read(capture.id, order?.index ?? -1, { bytes: 0 });
    const pieces: Uint8Array[] = [];
    for await (const piece of reading.pieces) pieces.push(piece);
    expect([...new ArrivalDecoder().push(Buffer.concat(pieces))]).toEqual([
      { part: 0, bytes: 6 },
      { part: 1, bytes: 5 },
      { part: 0, bytes: 2 },
    ]);
  });

  it('in any interleaving are read back in the order of their arrival, byte for byte', async () => {
    const chunks = fc.array(
      fc.record({ part: fc.nat({ max: 1 }), text: fc.string({ minLength: 1, maxLength: 40 }) }),
    );
    await fc.assert(
      fc.asyncProperty(chunks, async (arriving) => {
        const spillway = openSpillway();
        const capture = await spillway.open(CALL);
        const parts = ['stdout', 'stderr'].map((name) => capture.part({ name, labelled: true }));
        const bytes = arriving.map(({ part, text }) => ({ part, bytes: Buffer.from(text) }));
        for (const { part, bytes: chunk } of bytes) await parts[part]?.write(chunk);
        await spillway.sealed(await capture.finish({ outcome: { status: 'ok' }, complete: true }));
        const runs: ArrivedRun[] = [];
        for await (const run of await spillway.interleaved({ scope: CALL.scope, id: capture.id }))
          runs.push(run);
        const whole = (list: readonly { readonly bytes: Uint8Array }[]) =>
          Buffer.concat(list.map((run) => run.bytes)).toString('hex');
        expect(whole(runs)).toBe(whole(bytes));
        for (const [i, name] of ['stdout', 'stderr'].entries())
          expect(whole(runs.filter(({ part }) => part === name))).toBe(
            whole(bytes.filter(({ part }) => part === i)),
          );
      }),
      { numRuns: 60 },
    );
  });

  it('that end by timeout keep what had arrived, marked incomplete', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(CALL, {
      kind: 'exec',
      stdout: ['part', 'ial'],
      timedOut: true,
    });
    expect(projection.text).toBe('[Timed out. Output incomplete.]\npartial');
    expect(await spillway.sealed({ projection })).toMatchObject({
      complete: false,
      outcome: { status: 'timeout' },
    });
  });
});

describe('an output that never ends', () => {
  it('is cut off at max_capture; what arrived is kept and said', async () => {
    let produced = 0;
    const endless = (async function* () {
      for (;;) {
        produced += 1_000;
        yield 'y\n'.repeat(500);
      }
    })();
    const spillway = openSpillway({ maxCapture: 50_500 });
    const { projection } = await spillway.process(CALL, { kind: 'text', text: endless });
    expect(projection.metadata).toMatchObject({ original_size: 50_500, complete: false });
    expect(projection.text).toContain('Output incomplete.');
    expect((await spillway.sealed({ projection }))?.parts[0]?.bytes).toBe(50_500);
    expect(produced).toBeLessThanOrEqual(52_000);
  });
});

describe('a store that is slow', () => {
  it('makes the producer wait: nothing piles up in memory', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const inner = memoryStore();
    const store = storeWith({
      create: async (draft) => {
        const writer = await inner.create(draft);
        const append: OutputWriter['append'] = async (part, piece) => {
          await gate;
          await writer.append(part, piece);
        };
        return {
          part: (spec) => writer.part(spec),
          append,
          seal: (seal) => writer.seal(seal),
          discard: () => writer.discard(),
          [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
        };
      },
    });
    let produced = 0;
    const source = (async function* () {
      for (let i = 0; i < 1_000; i++) {
        produced += 10_000;
        yield 'z'.repeat(10_000);
      }
    })();
    const working = openSpillway({ store }).process(CALL, { kind: 'text', text: source });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(produced).toBeLessThanOrEqual(80_000);
    release();
    expect((await working).projection.metadata.original_size).toBe(10_000_000);
  });
});

describe('a store that fails', () => {
  const full = () => Promise.reject(new SpillwayError('store_full', 'no room'));

  it('when it is opened, written to or sealed, still leaves a bounded projection that says so, without a handle', async () => {
    const failing: Partial<Store>[] = [
      { create: () => Promise.reject(new SpillwayError('store_unavailable', 'gone')) },
      { create: async (draft) => ({ ...(await writerOf(draft)), append: full }) },
      { create: async (draft) => ({ ...(await writerOf(draft)), seal: full }) },
    ];
    const whys = ['the store is not available', 'no room left in the store', 'no room left in the store'];
    for (const [i, change] of failing.entries()) {
      const events: string[] = [];
      const spillway = openSpillway({
        store: storeWith(change),
        onEvent: (event) => events.push(event.type),
      });
      const { projection } = await spillway.process(CALL, { kind: 'text', text: long });
      expect(projection.text).toContain(
        `[Full output not stored (${whys[i]}): what is not shown cannot be fetched.]`,
      );
      expect(projection.text).not.toContain('art_');
      expect(projection.text.length).toBeLessThanOrEqual(8_000);
      expect(projection.text.endsWith('line 3000')).toBe(true);
      expect(projection.metadata).toMatchObject({ stored: false, artifact_id: null, was_truncated: true });
      expect(await spillway.sealed({ projection })).toBeNull();
      expect(events).toEqual(['not_stored']);
    }
  });

  it('throws under strict', async () => {
    const spillway = openSpillway({ store: storeWith({ create: full }), strict: true });
    await expect(spillway.process(CALL, { kind: 'text', text: 'x' })).rejects.toMatchObject({
      code: 'not_stored',
    });
  });

  const writerOf = async (draft: Parameters<Store['create']>[0]) => {
    const writer = await memoryStore().create(draft);
    return {
      part: writer.part.bind(writer),
      append: writer.append.bind(writer),
      seal: writer.seal.bind(writer),
      discard: writer.discard.bind(writer),
      [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
    };
  };
});

describe('an output over max_artifact_size', () => {
  const big = 'b'.repeat(30_000);

  it('is stored and flagged by default', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(
      CALL,
      { kind: 'text', text: big },
      { policy: { maxArtifactSize: 20_000 } },
    );
    expect(projection.metadata.exceeds_max).toBe(true);
    expect(await bytesOf(spillway, projection.metadata.artifact_id)).toBe(big);
  });

  it('is not kept under reject, and the notice says so', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(
      CALL,
      { kind: 'text', text: big },
      { policy: { maxArtifactSize: 20_000, onOverMax: 'reject' } },
    );
    expect(projection.text).toContain('[Full output not stored (larger than max_artifact_size)');
    expect(await spillway.sealed({ projection })).toBeNull();
  });
});

describe('the ledger', () => {
  it('holds what happened, in numbers only', async () => {
    const store = memoryStore();
    const spillway = openSpillway({ store });
    const { projection } = await spillway.process(
      { ...CALL, input: { token: 'SECRET-IN' } },
      { kind: 'text', text: `SECRET-OUT ${long}` },
    );
    await spillway.retrieve({ id: projection.metadata.artifact_id, lines: '1-2' }, 's');
    const { items } = await store.events({});
    expect(items.map((event) => event.type)).toEqual(['captured', 'projected', 'fetched']);
    expect(JSON.stringify(items)).not.toContain('SECRET');
    expect(items[1]?.data).toMatchObject({
      cut: true,
      strategy: 'head_tail',
      audience: 'model',
      limit: 8_000,
    });
    expect(items[2]?.data).toMatchObject({ by: 'lines', part: 'text', first_line: 1, last_line: 2 });
  });

  it('tells a call that is made again in its session, and whether it had been cut', async () => {
    const store = memoryStore();
    const spillway = openSpillway({ store });
    const input = { command: 'make' };
    const ids = [];
    for (const [session, text, given] of [
      ['s', long, input],
      ['s', 'short', input],
      ['s', 'short', { command: 'make again' }],
      ['another', 'short', input],
      ['s', 'short', input],
    ] as const) {
      const answer = await spillway.process({ ...CALL, session, input: given }, { kind: 'text', text });
      ids.push((await spillway.sealed(answer))?.id);
    }
    const { items } = await store.events({ type: 'reexecuted' });
    expect(items.map(({ output, data }) => [output, data])).toEqual([
      [ids[1], { of: ids[0], cut: true }],
      [ids[4], { of: ids[1], cut: false }],
    ]);
  });
});
