// Messages that Mastra itself makes and stores, taken in through the words of the AI SDK that Mastra
// gives them itself, and taken back by its own list of messages.
import { Agent, convertMessages } from '@mastra/core/agent';
import { MessageList } from '@mastra/core/agent/message-list';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call, mockModel, say } from '../../adapters/programs/mock-mastra.mjs';
import { linesOf, openHistory } from '../opened.ts';

const LONG = linesOf(60_000);

/** What Mastra stores of a run with a result, a failure and an answer. */
async function storedRun() {
  const calls = [say('I look.'), call('call_1', 'read'), call('call_2', 'fail')];
  const { model } = mockModel((_, number) => (number === 0 ? calls : [say('Done.')]));
  const tool = (id: string, execute: () => Promise<string>) =>
    createTool({ id, description: id, inputSchema: z.looseObject({}), execute });
  const tools = {
    read: tool('read', async () => LONG),
    fail: tool('fail', () => Promise.reject(new Error('no such file'))),
  };
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'You are careful.', model, tools });
  const { messages } = await agent.generate('Look.');
  return messages;
}

describe('messages', () => {
  it('that Mastra stores come in by its own conversion, results whole, and its list takes them back', async () => {
    const stored = await storedRun();
    const { session } = openHistory();
    const given = convertMessages(stored).to('AIV5.UI');
    expect(await session.import('ai_ui', given)).toMatchObject({ results: 2, losses: [] });
    expect(await session.report()).toMatchObject({ calls: 2, results: 2, missing: 0, orphans: 0 });
    const { messages, losses } = await session.export('ai_ui');
    expect(losses).toEqual([]);
    expect(JSON.stringify(messages)).toContain(JSON.stringify(LONG).slice(1, -1));
    const list = new MessageList().add(messages as never, 'memory');
    expect(list.get.all.aiV5.model().map(({ role }) => role)).toEqual(
      new MessageList()
        .add(stored, 'memory')
        .get.all.aiV5.model()
        .map(({ role }) => role),
    );
    for await (const message of session.messages())
      expect(JSON.stringify(message).length).toBeLessThan(2_000);
  });
});
