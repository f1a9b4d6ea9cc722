// A former major of Mastra, which makes requests without asking processors: refused in words.
import { Agent } from '@mastra/core/agent';
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/mastra';

const session = await openAgent({ session: 'run', store: memoryStore() });
const { inputProcessors, tools } = spillway(session, { window: 100_000 });
const model = { specificationVersion: 'v2', provider: 'none', modelId: 'none', supportedUrls: {} };
const agent = new Agent({ name: 'Builder', instructions: 'Build.', model, inputProcessors, tools });
await agent.generate('Build.');
