/**
 * A model of the AI SDK that answers by a script and keeps every prompt, and the three ways in
 * which people run it.
 */
import { generateText, isStepCount, type ModelMessage, streamText, ToolLoopAgent, type ToolSet } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import type { Governed } from '../../src/adapters/ai-sdk.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
type Content = Generated['content'];
export type Prompt = Parameters<MockLanguageModelV4['doGenerate']>[0]['prompt'];
export type Reply = (prompt: Prompt, step: number) => Content;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that answers by a script. */
export class ScriptedModel extends MockLanguageModelV4 {
  readonly prompts: Prompt[] = [];

  constructor(reply: Reply) {
    const next = (prompt: Prompt): { content: Content; finish: Generated['finishReason'] } => {
      this.prompts.push(prompt);
      const content = reply(prompt, this.prompts.length - 1);
      const calls = content.some(({ type }) => type === 'tool-call');
      return { content, finish: { unified: calls ? 'tool-calls' : 'stop', raw: undefined } };
    };
    super({
      doGenerate: async ({ prompt }) => {
        const { content, finish } = next(prompt);
        return { content, finishReason: finish, usage, warnings: [] };
      },
      doStream: async ({ prompt }) => {
        const { content, finish } = next(prompt);
        const parts = content.flatMap((part, i): object[] => {
          if (part.type !== 'text') return [part];
          const id = String(i);
          const { text: delta } = part;
          return [
            { type: 'text-start', id },
            { type: 'text-delta', id, delta },
            { type: 'text-end', id },
          ];
        });
        const all = [
          { type: 'stream-start', warnings: [] },
          ...parts,
          { type: 'finish', finishReason: finish, usage },
        ];
        return { stream: convertArrayToReadableStream(all as never[]) };
      },
    });
  }
}

/** A call in an answer. */
export function call(toolCallId: string, toolName: string, input: object = {}): Content[number] {
  return { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) };
}

/** A text in an answer. */
export function text(words: string): Content[number] {
  return { type: 'text', text: words };
}

interface Run {
  readonly model: MockLanguageModelV4;
  readonly messages: readonly ModelMessage[];
  readonly governed: Pick<Governed<ToolSet>, 'tools'> & Partial<Governed<ToolSet>>;
  readonly abortSignal?: AbortSignal;
  /** Told of every result that is not the last one of its call. */
  readonly onPreliminary?: (output: unknown) => void;
}

export type Loop = (run: Run) => Promise<{ readonly responseMessages: readonly ModelMessage[] }>;

const MOST_STEPS = 200;

/** `generateText`. */
export const generating: Loop = async ({ model, messages, governed, abortSignal }) => {
  const stopWhen = isStepCount(MOST_STEPS);
  const wait = abortSignal === undefined ? {} : { abortSignal };
  return generateText({ model, messages: [...messages], stopWhen, ...wait, ...governed });
};

/** `streamText`, read to its end. */
export const streaming: Loop = async ({ model, messages, governed, abortSignal, onPreliminary }) => {
  const stopWhen = isStepCount(MOST_STEPS);
  const wait = abortSignal === undefined ? {} : { abortSignal };
  const result = streamText({
    model,
    messages: [...messages],
    stopWhen,
    onError: () => {},
    ...wait,
    ...governed,
  });
  for await (const part of result.fullStream) {
    if (part.type === 'tool-result' && part.preliminary === true) onPreliminary?.(part.output);
    if (part.type === 'abort') throw new DOMException('aborted', 'AbortError');
  }
  return { responseMessages: await result.responseMessages };
};

/** `ToolLoopAgent`. */
export const looping: Loop = async ({ model, messages, governed, abortSignal }) => {
  const agent = new ToolLoopAgent({ model, stopWhen: isStepCount(MOST_STEPS), ...governed });
  const wait = abortSignal === undefined ? {} : { abortSignal };
  return agent.generate({ messages: [...messages], ...wait });
};

/** The results in a prompt, in order: their texts, pictures and whether they are errors. */
export function resultsIn(prompt: Prompt | undefined) {
  const parts = (prompt ?? []).flatMap((message) => (message.role === 'tool' ? message.content : []));
  return parts.flatMap((part) => {
    if (part.type !== 'tool-result') return [];
    const { output, toolCallId } = part;
    const isError = output.type === 'error-text' || output.type === 'error-json';
    if (output.type === 'text' || output.type === 'error-text')
      return [{ toolCallId, text: output.value, images: [], isError }];
    if (output.type !== 'content') return [{ toolCallId, text: JSON.stringify(output), images: [], isError }];
    const texts = output.value.flatMap((each) => (each.type === 'text' ? [each.text] : []));
    const images = output.value.flatMap((each) => (each.type === 'file' ? [imageIn(each)] : []));
    return [{ toolCallId, text: texts.join('\n'), images, isError }];
  });
}

function imageIn({ data }: { data: { type: string } }): string {
  const { data: bytes } = data as { type: string; data?: string | Uint8Array };
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes ?? []).toString('base64');
}
