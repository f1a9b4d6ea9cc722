// A message shape of one's own, through the public doors alone: an agent speaks it.
import { memoryStore, openAgent, type Shape } from '@spillway/core';
import { expect, test } from 'vitest';

interface Line {
  readonly who: string;
  readonly text: string;
}

const lines: Shape = {
  name: 'lines',
  read: (given) => ({
    messages: (given as readonly Line[]).map(({ who, text }) => ({
      role: who === 'me' ? ('user' as const) : ('assistant' as const),
      parts: [{ type: 'text' as const, text }],
    })),
    losses: [],
  }),
  write: (messages) => ({
    messages: messages.map(({ role, parts }) => ({
      who: role === 'user' ? 'me' : 'it',
      text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    })),
    losses: [],
  }),
  messagesOf: ({ lines: answered }) => answered,
  bodyOf: (written) => ({ lines: written }),
  toolOf: ({ name }) => name,
};

test('an agent speaks a shape that a plugin brings', async () => {
  await using agent = await openAgent({ session: 's', store: memoryStore(), shape: lines });
  await agent.say('Hello?');
  await agent.take({ lines: [{ who: 'it', text: 'Hello.' }] } as never);
  const { body } = await agent.request({ window: 10_000 });
  expect(body).toEqual({
    lines: [
      { who: 'me', text: 'Hello?' },
      { who: 'it', text: 'Hello.' },
    ],
  });
  expect(agent.definition).toBe('get_artifact');
});
