// An agent that reads an output to its end: it knows nothing but what the last request showed it,
// calls what the hint there says, and records the page as it records any result.
import { describe, expect, it } from 'vitest';
import { type Session, textOf } from '../../src/history/index.ts';
import { type Spillway, TruncationProcessor } from '../../src/index.ts';
import { linesOf, NAME, openHistory } from './opened.ts';

const HINT = /get_artifact\((artifact_id=[^\n]*?)\)[\]\s]/g;

interface Followed {
  readonly body: string;
  readonly pages: number;
}

interface Following {
  readonly session: Session;
  readonly spillway: Spillway;
  readonly window?: number;
  readonly first: Readonly<Record<string, unknown>>;
  /** How the agent calls the tool, and whether it records the arguments. */
  readonly tool?: string;
  readonly withInput?: boolean;
}

/**
 * Fetches, records and prepares until no hint is left; `body` is everything that was shown below
 * the headers.
 */
async function follow(how: Following): Promise<Followed> {
  const { session, spillway, window, tool = 'get_artifact', withInput = true } = how;
  let body = '';
  let args: Readonly<Record<string, unknown>> | null = how.first;
  let pages = 0;
  for (; args !== null; pages++) {
    if (pages > 2_000) throw new Error('the hints go round in circles');
    const callId = `page-${pages}`;
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId, tool, input: JSON.stringify(args) }],
    });
    const page = await spillway.retrieve(args, NAME.scope);
    const of = { callId, tool, ...(withInput ? { input: args } : {}) };
    await session.result(of, { kind: 'text', text: page.text });
    const shown = await lastResult(session, window);
    const lineEnd = shown.indexOf('\n') + 1;
    const hints: string[] = [...shown.matchAll(HINT)].map(([, spelled]) => spelled ?? '');
    expect(hints.length).toBeLessThanOrEqual(1);
    expect(shown).not.toMatch(/omitted/);
    body += shown.slice(lineEnd);
    args = hints[0] === undefined ? null : argumentsOf(hints[0]);
  }
  return { body, pages };
}

async function lastResult(session: Session, window: number | undefined): Promise<string> {
  for (;;) {
    const prepared = await session.prepare(window === undefined ? {} : { window });
    if (prepared.verdict === 'refused' || prepared.verdict === 'needs_compaction') {
      const { summarised } = await session.compact(window === undefined ? {} : { window });
      if (summarised > 0) continue;
    }
    if (prepared.verdict === 'refused') throw new Error(prepared.reason);
    const part = prepared.messages.at(-1)?.parts.at(-1);
    if (part?.type !== 'result') throw new Error('no result at the end');
    return textOf(part);
  }
}

/** `artifact_id="art_1", cursor="1.2.3"` as arguments. */
function argumentsOf(spelled: string): Readonly<Record<string, unknown>> {
  const pairs = [...spelled.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\d+)/g)];
  return Object.fromEntries(pairs.map(([, name, value]) => [name, JSON.parse(value ?? 'null')]));
}

async function stored(session: Session, text: string): Promise<string> {
  const call = { type: 'call', callId: 'c1', tool: 'build', input: '{}' } as const;
  await session.say({ role: 'user', parts: [{ type: 'text', text: 'read all of it' }] });
  await session.say({ role: 'assistant', parts: [call] });
  return (await session.result({ callId: 'c1', tool: 'build', input: {} }, { kind: 'text', text })).output.id;
}

const ONE_LINE = JSON.stringify({
  rows: Array.from({ length: 9_000 }, (_, i) => ({ id: i, name: `n${i}`, note: 'ünï çødé ↔ 😀' })),
});

describe('the pages that a model fetches', () => {
  it.each([
    ['many lines', linesOf(150_000)],
    ['one line of JSON, 500 KB long', ONE_LINE],
    ['lines without an end and CRLF', `${'a\r\nb'.repeat(20_000)}\r\n${'x'.repeat(30_000)}`],
  ])('lead from hint to hint to the last byte: %s', async (_, text) => {
    const { session, spillway } = openHistory();
    const id = await stored(session, text);
    const { body } = await follow({ session, spillway, first: { artifact_id: id } });
    expect(body).toBe(text);
  });

  it.each([
    ['from a line on', { start_line: 101 }, (text: string) => text.split('\n').slice(100).join('\n')],
    ['a range of lines', { lines: '101-900' }, (text: string) => linesFrom(text, 101, 900)],
    ['start and end', { start_line: 7, end_line: 2_000 }, (text: string) => linesFrom(text, 7, 2_000)],
    ['a range of chars', { chars: '1001-90000' }, (text: string) => text.slice(1_000, 90_000)],
  ])('end where the range ends that was asked for: %s', async (_, range, expected) => {
    const text = linesOf(200_000);
    for (const window of [undefined, 16_000]) {
      const { session, spillway } = openHistory();
      const first = { artifact_id: await stored(session, text), ...range };
      const { body } = await follow({
        session,
        spillway,
        first,
        ...(window === undefined ? {} : { window }),
      });
      expect(body).toBe(expected(text));
    }
  });

  it('are never cut in a window with room, and become smaller pages, with the right hint, in one without', async () => {
    for (const text of [linesOf(120_000), ONE_LINE.slice(0, 120_000)])
      for (const withInput of [true, false]) {
        const { session, spillway } = openHistory();
        const first = { artifact_id: await stored(session, text) };
        const { body, pages } = await follow({ session, spillway, first, window: 9_000, withInput });
        expect(body).toBe(text);
        expect(pages).toBeGreaterThan(8);
      }
  });

  it('are known whatever the tool is called, and also where its arguments were not recorded', async () => {
    const text = linesOf(60_000);
    for (const withInput of [true, false]) {
      const { session, spillway } = openHistory();
      const first = { artifact_id: await stored(session, text) };
      const { body } = await follow({ session, spillway, first, tool: 'mcp__memory__fetch', withInput });
      expect(body).toBe(text);
    }
  });

  it('by structure lead to the last row as well, in a small window too', async () => {
    const { session, spillway } = openHistory();
    const rows = `id,name\n${Array.from({ length: 4_000 }, (_, i) => `${i},name ${i}`).join('\n')}\n`;
    const first = { artifact_id: await stored(session, rows), rows: '1-4000' };
    const { body } = await follow({ session, spillway, first, window: 8_000 });
    expect(body.replaceAll('id,name\n', '')).toBe(rows.replaceAll('id,name\n', ''));
  });

  it('are whole although the settings allow results less than pages, in lines and tokens too', async () => {
    const { session, spillway } = openHistory();
    spillway.configureSession(NAME.session, { inlineLimit: 1_000, maxLines: 20, maxTokens: 400 });
    const text = linesOf(60_000);
    const { body, pages } = await follow({
      session,
      spillway,
      first: { artifact_id: await stored(session, text) },
    });
    expect(body).toBe(text);
    expect(pages).toBeLessThan(6);
  });

  it('that a tool only imitates are bounded like any result', async () => {
    const { session } = openHistory();
    const header = '[art_1700000000_0123456789abcdef: lines 1-9 of 9, chars 1-9 of 9]\n';
    await stored(session, header + linesOf(15_000));
    expect((await lastResult(session, undefined)).length).toBeLessThanOrEqual(8_000);
    const { session: other } = openHistory();
    const id = await stored(other, linesOf(9_000));
    await other.say({ role: 'assistant', parts: [{ type: 'call', callId: 'c2', tool: 'cat', input: '{}' }] });
    const text = `[${id}: lines 1-9 of 9, chars 1-9 of 9]\n${linesOf(60_000, 'other')}`;
    await other.result({ callId: 'c2', tool: 'cat' }, { kind: 'text', text });
    expect((await lastResult(other, undefined)).length).toBeLessThanOrEqual(8_000);
  });
});

describe('a page that is given to the processor', () => {
  it('comes back as it is, by the name of the tool alone', async () => {
    const { session, spillway } = openHistory();
    const args = { artifact_id: await stored(session, linesOf(100_000)) };
    const page = await spillway.retrieve(args, NAME.scope);
    const processor = new TruncationProcessor({ spillway, ...NAME });
    const { content, artifactId } = await processor.process(page.text, 'get_artifact');
    expect(content).toBe(page.text);
    expect(artifactId).toBeUndefined();
  });
});

describe('a page that is given to `process`', () => {
  it('comes back as it is, whatever the window, with no handle of its own', async () => {
    const { session, spillway } = openHistory();
    const args = { artifact_id: await stored(session, linesOf(100_000)) };
    const page = await spillway.retrieve(args, NAME.scope);
    const call = { ...NAME, tool: 'fetch', input: args };
    const window = { tokens: 4_000, used: 3_500 };
    const { projection } = await spillway.process(call, { kind: 'text', text: page.text }, { window });
    expect(projection.text).toBe(page.text);
    expect(projection.metadata.artifact_id).toBeNull();
    const [batched] = await spillway.processBatch([{ call, result: { kind: 'text', text: page.text } }], {
      window,
    });
    expect(batched?.projection.text).toBe(page.text);
  });
});

function linesFrom(text: string, first: number, last: number): string {
  return text
    .split(/(?<=\n)/)
    .slice(first - 1, last)
    .join('');
}

describe('a limit that was given for this very call', () => {
  it('holds for a page as well, and so does that of a stream or a screen', async () => {
    const { session, spillway } = openHistory();
    const args = { artifact_id: await stored(session, linesOf(100_000)) };
    const { text } = await spillway.retrieve(args, NAME.scope);
    const call = { ...NAME, tool: 'get_artifact', input: args };
    const given = { policy: { inlineLimit: 2_000 } };
    const { projection } = await spillway.process(call, { kind: 'text', text }, given);
    expect(projection.text.length).toBeLessThanOrEqual(2_000);
    const { record } = await spillway.record(call, { kind: 'text', text });
    const [shown] = await spillway.projectTogether([record], { audience: 'transport', ...given });
    expect(shown?.projection.text.length).toBeLessThanOrEqual(2_000);
  });
});
