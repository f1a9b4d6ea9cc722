/**
 * The built-in shapes by name, and the way from a name to a shape. Adding one is a file and a line.
 */
import { oneOf } from '../check-message.ts';
import type { Message } from '../message.ts';
import { aiModel } from './ai-model.ts';
import { aiUi } from './ai-ui.ts';
import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { openaiAgents, openaiResponses } from './items.ts';
import { langchain } from './langchain.ts';
import { openaiChat } from './openai-chat.ts';
import type { Shape, ShapeName, Written } from './shape.ts';

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
} as const satisfies Readonly<Record<string, Shape>>;

/** Prepared messages or a transcript in the words of a framework, with what was lost. */
export function writeAs(shape: ShapeName | Shape, messages: readonly Message[]): Written {
  return shapeOf(shape).write(messages);
}

/** A shape by its name, or itself; an error that lists those there are. */
export function shapeOf(shape: ShapeName | Shape): Shape {
  if (typeof shape === 'object' && shape !== null) return shape;
  oneOf(shape, 'shape', Object.keys(SHAPES));
  return (SHAPES as Readonly<Record<string, Shape>>)[shape] as Shape;
}
