// What a session still knows after many compactions: what users said is in the summary word for
// word, or named and fetchable.
import { describe, expect, it } from 'vitest';
import type { CompactOptions, Session } from '../../src/history/index.ts';
import type { Spillway } from '../../src/index.ts';
import { linesOf, NAME, openHistory, turn } from './opened.ts';

const HANDLE = /art_\d+_\w+/g;

const say = (session: Session, role: 'user' | 'assistant', text: string) =>
  session.say({ role, parts: [{ type: 'text', text }] });

async function compacted(session: Session, options: CompactOptions = { keepTokens: 1 }): Promise<string> {
  const { summary } = await session.compact(options);
  return summary?.text ?? '';
}

/** Every page of an artifact, put together. */
async function fetched(spillway: Spillway, id: string): Promise<string> {
  let body = '';
  for (let args: object | null = { artifact_id: id }; args !== null; ) {
    const page = await spillway.retrieve(args, NAME.scope);
    body += page.body;
    args = page.nextCursor === null ? null : { artifact_id: id, cursor: page.nextCursor };
  }
  return body;
}

/**
 * What an agent gets to know that reads a text and follows every handle in it, and in what it
 * fetches.
 */
async function reachable(spillway: Spillway, text: string): Promise<string> {
  const seen = new Set<string>();
  const texts = [text];
  for (let i = 0; i < texts.length; i++)
    for (const id of texts[i]?.match(HANDLE) ?? []) {
      if (seen.has(id)) continue;
      seen.add(id);
      texts.push(await fetched(spillway, id));
    }
  return texts.join('\n');
}

describe('what a user said', () => {
  it('in a short message is in the summary word for word many turns and compactions later', async () => {
    const { session } = openHistory();
    const early = [
      'Build the billing page.',
      'Customer id is 8841-ZK',
      'Answer in French',
      'Ports:\n  9443 and\t8080',
    ];
    for (const text of early) await say(session, 'user', text);
    let text = '';
    for (let i = 0; i < 40; i++) {
      await turn(session, i, linesOf(4_000, `t${i}`));
      await session.prepare({ window: 20_000 });
      if (i % 4 === 3) text = await compacted(session, { window: 20_000 });
    }
    for (const words of early) expect(text).toContain(words);
  });

  it('in a long message is shown by both its ends, with a handle that has every byte of it', async () => {
    const { session, spillway } = openHistory();
    await say(session, 'user', 'Look at this.');
    const log = `Why does it fail? ${linesOf(300_000, 'pasted')}\r\n\ud83d\ude00 THE LAST LINE`;
    const { ordinal } = await say(session, 'user', log);
    const document = {
      type: 'data',
      name: 'document',
      json: JSON.stringify({ text: linesOf(5_000) }),
    } as const;
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'And this one.' }, document] });
    await say(session, 'user', 'Well?');
    const text = await compacted(session);
    const line = text.split('\n').find((each) => each.startsWith(`- #${ordinal} `)) ?? '';
    expect(line).toContain('Why does it fail?');
    expect(line).toContain('THE LAST LINE');
    expect(line).toMatch(/^- #2 art_\w+ \(300,0\d\d chars\): /);
    expect(line.length).toBeLessThan(600);
    expect(await fetched(spillway, line.match(HANDLE)?.[0] ?? '')).toBe(log);
    const other = text.split('\n').find((each) => each.startsWith('- #3 ')) ?? '';
    expect(await fetched(spillway, other.match(HANDLE)?.[0] ?? '')).toBe(`And this one.${document.json}`);
  });

  it('as a long task keeps its handle, however small the window is', async () => {
    const { session, spillway } = openHistory();
    const task = `Rewrite the parser. ${'It must keep every comment. '.repeat(400)}`;
    await say(session, 'user', task);
    await say(session, 'user', 'go');
    for (const window of [100_000, 8_000, 2_000, 600]) {
      const text = await compacted(session, { window, reach: 'all' });
      const id = /^- #1 (art_\w+) /m.exec(text)?.[1] ?? '';
      expect(await fetched(spillway, id)).toBe(task);
    }
  });

  it('is all there in hundreds of messages: word for word, or by its number, which a transcript holds', async () => {
    const { session, spillway } = openHistory();
    const answer = new Map<number, string>();
    let text = '';
    for (let i = 0; i < 420; i++) {
      const words =
        i % 3 === 0 ? 'go on' : `Rule ${i}: the value of k${i} is ${i * 7919}, ${'x'.repeat(i % 90)}`;
      answer.set((await say(session, 'user', words)).ordinal, words);
      await say(session, 'assistant', `Noted under n${i * 31}.`);
      if (i % 35 === 34) text = await compacted(session, { window: 12_000, keepTokens: 1 });
    }
    expect(spillway.countTokens(text)).toBeLessThanOrEqual(3_600);
    const listed = new Set(text.match(/#\d+/g));
    const unlisted = Number(/(\d+) earlier ones/.exec(text)?.[1] ?? 0);
    const covered = [...answer.keys()].filter((position) => position <= 2 * 420 - 1);
    expect(covered.length - listed.size - unlisted).toBeLessThanOrEqual(1);
    const all = await reachable(spillway, text);
    for (const [ordinal, words] of answer)
      if (ordinal < 839) expect(all).toContain(`[message ${ordinal}, user]\n${words}\n`);
    for (let i = 0; i < 419; i++) expect(all).toContain(`Noted under n${i * 31}.`);
  });

  it('can be fetched in its scope only, as long as its session has not ended', async () => {
    const { session, spillway } = openHistory();
    await say(session, 'user', linesOf(5_000));
    await say(session, 'user', 'go');
    const ids = (await compacted(session)).match(HANDLE) ?? [];
    expect(ids.length).toBe(2);
    for (const id of ids)
      await expect(spillway.retrieve({ artifact_id: id }, 'elsewhere')).rejects.toMatchObject({
        code: 'not_found',
      });
    await spillway.endSession(NAME.scope, NAME.session);
    for (const id of ids)
      await expect(spillway.retrieve({ artifact_id: id }, NAME.scope)).rejects.toMatchObject({
        code: 'gone',
      });
  });
});

describe('what the assistant said', () => {
  it('is kept where it decides something or tells what remains, and can be fetched where it does not', async () => {
    const { session, spillway } = openHistory();
    await say(session, 'user', 'Add refunds.');
    await say(
      session,
      'assistant',
      "I looked at the table. I won't add a column; the ledger has it already.",
    );
    await say(
      session,
      'assistant',
      'Done with the model. Remaining: (a) the route, (b) the mail, (c) the docs.',
    );
    await say(
      session,
      'assistant',
      'Still to do:\n1. migrate the rows\n2. tell the team\n\nThe sky is blue.',
    );
    await say(session, 'assistant', 'The token of the sandbox begins with tk_77.');
    let text = '';
    for (let i = 0; i < 24; i++) {
      await turn(session, i, linesOf(3_000, `t${i}`));
      if (i % 2 === 1) text = await compacted(session, { window: 20_000, keepTokens: 100 });
    }
    expect(text).toContain("I won't add a column; the ledger has it already.");
    expect(text).toContain('Remaining: (a) the route, (b) the mail, (c) the docs.');
    expect(text).toContain('Still to do: 1. migrate the rows 2. tell the team');
    expect(text).not.toContain('The sky is blue.');
    const all = await reachable(spillway, text);
    expect(all).toContain('The sky is blue.');
    expect(all).toContain('The token of the sandbox begins with tk_77.');
  });

  it('and no longer has room is counted, not forgotten', async () => {
    const { session, spillway } = openHistory();
    await say(session, 'user', 'Go.');
    for (let i = 0; i < 100; i++) await say(session, 'assistant', `I decided to keep variant ${i * 17}.`);
    await say(session, 'user', 'And?');
    const text = await compacted(session, { window: 4_000, keepTokens: 1 });
    const more = Number(/^Decisions \((\d+) more in what was said\):$/m.exec(text)?.[1]);
    expect(more).toBe(100 - (text.match(/^- I decided/gm) ?? []).length);
    const all = await reachable(spillway, text);
    for (let i = 0; i < 100; i++) expect(all).toContain(`I decided to keep variant ${i * 17}.`);
  });
});

describe('a failure', () => {
  const run = async (session: Session, callId: string, input: object, exitCode: number, stderr = '') => {
    const tool = 'execute_command';
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId, tool, input: JSON.stringify(input) }],
    });
    await session.result({ callId, tool, input }, { kind: 'exec', stdout: 'ran\n', stderr, exitCode });
  };

  it('that a later run of the same command resolved is not open, whatever the call has beside the command', async () => {
    const { session } = openHistory();
    await say(session, 'user', 'Make the tests pass.');
    const failing = 'TypeError: total is not a function\n';
    await run(session, 'c1', { command: 'npm test', description: 'Run the tests' }, 1, failing);
    await run(session, 'c2', { command: 'npm test', timeout: 9 }, 1, failing);
    await run(session, 'c3', { command: 'npm run lint' }, 1, 'Error: unused name\n');
    await say(session, 'assistant', 'Now it should work.');
    await compacted(session);
    await run(session, 'c4', { command: 'npm test', description: 'Run them again' }, 0);
    await say(session, 'user', 'And?');
    const text = await compacted(session);
    expect(text).not.toContain('total is not a function');
    expect(text).toMatch(/^- execute_command c1 art_\w+ error, exit 1: npm test; resolved by c4$/m);
    expect(text).toMatch(/^- execute_command c2 art_\w+ error, exit 1: npm test; resolved by c4$/m);
    expect(text).toMatch(/^Open errors:\n- execute_command c3 art_\w+: Error: unused name$/m);
  });
});

describe('a summary', () => {
  it('never has more tokens than it may, in any window', async () => {
    for (const window of [1_500, 4_000, 10_000, 40_000]) {
      const { session, spillway } = openHistory();
      await say(session, 'user', linesOf(9_000, 'a long task in many words'));
      for (let i = 0; i < 60; i++) {
        await say(session, 'user', `Wish ${i}: 漢字のメッセージ ${'文'.repeat(i)} must be kept`);
        await say(
          session,
          'assistant',
          `I decided to go with src/part-${i}/file.ts because the cause is ${i}.`,
        );
        await turn(session, i, `ERROR: no ${i}\n`);
      }
      const text = await compacted(session, { window, keepTokens: 1 });
      expect(spillway.countTokens(text)).toBeLessThanOrEqual(Math.max(window * 0.3, 450));
    }
  });

  it('of the host is bounded, with a handle of the whole; an empty one, or none, is not used', async () => {
    const { session, spillway } = openHistory();
    for (let i = 0; i < 6; i++) await turn(session, i, linesOf(2_000, `t${i}`));
    const huge = `THE STORY\n${linesOf(400_000, 'story')}`;
    let room = 0;
    const { summary } = await session.compact({
      window: 10_000,
      keepTokens: 900,
      model: async ({ maxChars }) => {
        room = maxChars;
        return huge;
      },
    });
    expect(room).toBeGreaterThan(1_000);
    expect(summary?.by).toBe('host');
    const text = summary?.text ?? '';
    expect(text).toContain('THE STORY');
    expect(spillway.countTokens(text)).toBeLessThanOrEqual(3_000);
    const id = /^\[The summary is longer; the whole of it is in (art_\w+)\.\]$/m.exec(text)?.[1] ?? '';
    expect(await fetched(spillway, id)).toBe(huge);
    let tries = 0;
    for (const nothing of ['', ' \n', undefined, 7, { text: 'x' }]) {
      await turn(session, 10 + tries++, 'more');
      const done = await session.compact({ keepTokens: 1, model: async () => nothing as string });
      expect(done.summary?.by).toBe('extractive');
      expect(done.failure).toBeInstanceOf(Error);
      expect(done.summary?.text).toContain('please do step 0');
    }
  });

  it('that was made for a larger window is made smaller for a small one', async () => {
    const { session, spillway } = openHistory();
    for (let i = 0; i < 80; i++) await turn(session, i, `ERROR: result ${i}`);
    const large = await compacted(session, { window: 100_000, keepTokens: 1 });
    const again = await session.compact({ window: 100_000, keepTokens: 1 });
    expect(again.summary?.text).toBe(large);
    const small = await compacted(session, { window: 5_000, keepTokens: 1 });
    expect(spillway.countTokens(large)).toBeGreaterThan(1_500);
    expect(spillway.countTokens(small)).toBeLessThanOrEqual(1_500);
  });
});
