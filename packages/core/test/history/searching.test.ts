// What was said and returned in a session is found by its words, and messages by their numbers.
import { memoryStore, openAgent } from '@spillway/core';
import { describe, expect, it } from 'vitest';

const store = memoryStore();
const agent = await openAgent({ session: 'run-1', scope: 'team', store });
const texts = new Map<string, string>();
const run = agent.tool(async ({ command }: { command: string }) => texts.get(command) ?? '', {
  name: 'deploy',
});
const deploy = (command: string, text: string) => run({ command: texts.set(command, text) && command });
await agent.say('Please ship the billing service; the ticket is OPS-4711.');
for (let n = 1; n <= 40; n++)
  await deploy(`deploy ${n}`, `step ${n} of the rollout\nregion eu-${n} is up\n${'.'.repeat(500)}\n`);
await deploy(
  'deploy 41',
  `step 41 of the rollout\nthe canary in eu-west answered 503: pool Exhausted\ndone\n`,
);
await agent.say({ role: 'assistant', parts: [{ type: 'text', text: 'The canary failed; I roll back.' }] });

const fetch = (args: object) => agent.fetch(args);
const handle = /art_\w+/g;

describe('a search through a session', () => {
  it('finds outputs and messages, the best first, with the lines that hold the words', async () => {
    const page = (await fetch({ search: 'canary exhausted' })).replaceAll(handle, 'art_1');
    expect(page).toBe(
      '[Found in 2 of 41 outputs and 2 messages; best first, 1-2. Numbers are lines.]\n' +
        'art_1 deploy: deploy 41\n' +
        '  2: the canary in eu-west answered 503: pool Exhausted\n' +
        'message 2, assistant\n' +
        '  1: The canary failed; I roll back.\n',
    );
  });

  it('shows ten at a time and names the call for the next', async () => {
    const first = await fetch({ search: 'rollout' });
    expect(first).toMatch(/^\[Found in 41 of 41 outputs and 2 messages; best first, 1-10\. /);
    expect(first).toContain('Next: get_artifact(search="rollout", cursor="10")]');
    const seen = new Set(first.match(handle));
    for (let cursor: string | undefined = '10'; cursor !== undefined; ) {
      const page = await fetch({ search: 'rollout', cursor });
      for (const id of page.match(handle) ?? []) seen.add(id);
      cursor = /cursor="(.+?)"/.exec(page)?.[1];
    }
    expect(seen.size).toBe(41);
  });

  it('keeps quoted words together, and finds words in the middle of identifiers', async () => {
    expect(await fetch({ search: '"is up" eu-7' })).toMatch(/deploy 7\n {2}2: region eu-7 is up\n/);
    expect(await fetch({ search: '4711' })).toContain(
      'message 1, user\n  1: Please ship the billing service',
    );
  });

  it('tells what it looked through when nothing is found, and refuses an empty question', async () => {
    expect(await fetch({ search: 'zebra' })).toBe(
      '[Nothing found in 41 outputs and 2 messages. Try fewer or other words.]\n',
    );
    expect(await fetch({ search: '?!' })).toBe('search needs a word or a number to look for.');
    expect(await fetch({ search: 'up', lines: '1-2' })).toBe(
      'search asks for the whole session: leave out "lines", or leave out search.',
    );
  });

  it('reaches what the handles of its scope reach, and nothing else', async () => {
    const helper = await openAgent({ session: 'run-2', scope: 'team', spillway: agent.spillway });
    expect(await helper.fetch({ search: 'exhausted' })).toMatch(/^\[Found in 1 of 41 outputs and 0 messages/);
    const stranger = await openAgent({ session: 'run-1', scope: 'other', spillway: agent.spillway });
    expect(await stranger.fetch({ search: 'exhausted' })).toMatch(/^\[Nothing found in 0 outputs/);
    const { items } = await store.list({ scope: 'team', show: 'all', limit: 1 });
    await agent.spillway.retire({ how: 'purge', scope: 'team', ids: items.map(({ id }) => id) });
    expect(await fetch({ search: 'exhausted' })).toMatch(/^\[Nothing found in 40 outputs/);
  });
});

describe('messages by their numbers', () => {
  it('are fetched one by one, or several', async () => {
    expect(await fetch({ message: 2 })).toBe(
      '[Message 2.]\n[message 2, assistant]\nThe canary failed; I roll back.\n',
    );
    expect(await fetch({ message: '1-2' })).toBe(
      '[Messages 1-2.]\n[message 1, user]\nPlease ship the billing service; the ticket is OPS-4711.\n' +
        '[message 2, assistant]\nThe canary failed; I roll back.\n',
    );
    expect(await fetch({ message: '#9' })).toBe('[There is no message 9 in this session.]\n');
    expect(await fetch({ message: 'last' })).toBe('message must look like 12-40, 12- or 12.');
  });

  it('come in pages that lead to the last char', async () => {
    const text = Array.from({ length: 4_000 }, (_, i) => `wish ${i}`).join('\n');
    await agent.say(text);
    let all = '';
    for (let args: object | null = { message: 3 }; args !== null; ) {
      const page = await fetch(args);
      expect(page.length).toBeLessThanOrEqual(16_000);
      const [heading = ''] = page.split('\n', 1);
      all += page.slice(heading.length + 1);
      const cursor = /cursor="(\d+)"/.exec(heading)?.[1];
      args = cursor === undefined ? null : { message: 3, cursor };
    }
    expect(all).toBe(`[message 3, user]\n${text}\n`);
  });

  it('are offered in the tool of an agent only: no other caller has any', async () => {
    expect(agent.getArtifact.inputSchema.properties).toHaveProperty('message');
    expect(agent.spillway.definition.inputSchema.properties).not.toHaveProperty('message');
    await expect(agent.spillway.retrieve({ message: 1 }, 'team')).rejects.toThrow(
      'No messages are kept here. Use search, or an artifact_id.',
    );
  });
});
