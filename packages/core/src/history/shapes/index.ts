/**
 * The built-in shapes by name, and the way from a name to a shape. Adding one is a file and a line.
 */
import { oneOf } from '../check-message.ts';
import type { Message } from '../message.ts';
import { aiModel } from './ai-model.ts';
import { aiUi } from './ai-ui.ts';
import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { itemShape } from './item-shape.ts';
import { langchain } from './langchain.ts';
import { mastra } from './mastra.ts';
import { openaiAgents } from './openai-agents.ts';
import { openaiChat } from './openai-chat.ts';
import type { Shape, ShapeName, Written } from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

/** Items of OpenAI's responses, as plain data. */
const NAME = 'openai_responses';

const openaiResponses: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.openai_responses,
  unsent: ['id', 'status', 'logprobs', 'annotations'],
  usage: [['usage', 'input_tokens']],
  ...itemShape({
    name: NAME,
    callId: 'call_id',
    screenshot: 'image_url',
    exitCode: 'exit_code',
    outputOf: (callType) => `${callType}_output`,
    isOutput: (type) => type.endsWith('_call_output'),
    imageOf({ type, image_url: url, ...rest }) {
      return type === 'input_image' && typeof url === 'string' ? { url, rest } : null;
    },
    imagePart: (url) => ({ type: 'input_image', image_url: url }),
    newMessage: (role) => ({ about: { type: 'message', role }, asText: false }),
    newOutput: () => ({}),
    textOutput: (text) => text,
  }),
};

/** Every built-in shape. */
export const SHAPES = {
  ai_ui: aiUi,
  ai_model: aiModel,
  openai_chat: openaiChat,
  openai_responses: openaiResponses,
  openai_agents: openaiAgents,
  anthropic,
  google,
  langchain,
  mastra,
} as const satisfies Readonly<Record<string, Shape>>;

/**
 * Messages in the words of a framework: those of a prepared request, or of a transcript. Says what
 * it could not carry.
 */
export function writeAs(shape: ShapeName | Shape, messages: readonly Message[]): Written {
  return shapeOf(shape).write(messages);
}

/** A shape by its name, or itself; an error that lists those there are. */
export function shapeOf(shape: ShapeName | Shape): Shape {
  if (typeof shape === 'object' && shape !== null) return shape;
  oneOf(shape, 'shape', Object.keys(SHAPES));
  return (SHAPES as Readonly<Record<string, Shape>>)[shape] as Shape;
}
