// Mastra 0 sends requests past its processors: it is refused in words.
import { Agent } from '@mastra/core/agent';
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/mastra';
import { MockLanguageModelV2 } from 'ai/test';

const layer = spillway(await openAgent({ session: 'run', store: memoryStore() }), { window: 100_000 });
const model = new MockLanguageModelV2();
await new Agent({ name: 'a', instructions: 'You build.', model, ...layer }).generate('Build.');
