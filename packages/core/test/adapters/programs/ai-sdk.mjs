// One turn of an agent on the AI SDK in a process of its own, on a store that is a file. It is given
// the user's new words alone; the rest is in the session. Tells the last prompt.
import { openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/ai-sdk';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { generateText, isStepCount, jsonSchema, streamText, ToolLoopAgent, tool } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';

globalThis.AI_SDK_LOG_WARNINGS = false;
const { file, loop } = JSON.parse(process.argv[2]);
await using agent = await openAgent({ session: 'run-1', store: sqliteStore({ file }) });
const { messages: number } = await agent.session.report();
const log = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const build = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => log });
const governed = spillway(agent, { tools: { build }, window: 100_000 });
const prompts = [];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** Builds once, then answers. */
function next(prompt) {
  prompts.push(prompt);
  const built = prompts.length > 1;
  const call = { type: 'tool-call', toolCallId: `call_${number}`, toolName: 'build', input: '{}' };
  const finishReason = { unified: built ? 'stop' : 'tool-calls', raw: undefined };
  return { part: built ? { type: 'text', text: 'Built.' } : call, finishReason };
}

const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const { part, finishReason } = next(prompt);
    return { content: [part], finishReason, usage, warnings: [] };
  },
  doStream: async ({ prompt }) => {
    const { part, finishReason } = next(prompt);
    const texts = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: part.text },
      { type: 'text-end', id: '1' },
    ];
    const parts = part.type === 'text' ? texts : [part];
    const end = { type: 'finish', finishReason, usage };
    return { stream: convertArrayToReadableStream([{ type: 'stream-start', warnings: [] }, ...parts, end]) };
  },
});
const settings = { model, stopWhen: isStepCount(5), ...governed };
const prompt = `Build part ${number}.`;
if (loop === 'generating') await generateText({ ...settings, prompt });
else if (loop === 'streaming') await streamText({ ...settings, prompt }).consumeStream();
else await new ToolLoopAgent(settings).generate({ prompt });
process.stdout.write(JSON.stringify({ prompt: prompts.at(-1).map((message) => JSON.stringify(message)) }));
