import type { MastraModelConfig } from '@mastra/core/llm';

export type Part = { type: string; [field: string]: unknown };
export interface PromptMessage {
  readonly role: string;
  readonly content: string | readonly Part[];
}
export type Prompt = readonly PromptMessage[];
export function mockModel(reply: (prompt: Prompt, number: number) => readonly Part[]): {
  readonly model: MastraModelConfig;
  readonly prompts: Prompt[];
};
export function call(toolCallId: string, toolName?: string, input?: object): Part;
export function say(text: string): Part;
