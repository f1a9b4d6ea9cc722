/** The shapes by name. */
import { oneOf } from '../checking.ts';
import type { SpokenMessage } from '../spoken.ts';
import { aiModel } from './ai-model.ts';
import { aiUi } from './ai-ui.ts';
import { anthropic } from './anthropic.ts';
import { langchain } from './langchain.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Shape, ShapeName, Written } from './shape.ts';

/** Every shape that is known. */
export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  ai_ui: aiUi,
  ai_model: aiModel,
  openai_chat: openaiChat,
  openai_responses: openaiResponses,
  anthropic,
  langchain,
};

/** Messages in the words of a framework: those of a prepared request, or of a transcript. Says what it could not carry. */
export function writeAs(shape: ShapeName, messages: readonly SpokenMessage[]): Written {
  return shapeOf(shape).write(messages);
}

/** A shape by its name, or an error that lists those there are. */
export function shapeOf(name: ShapeName): Shape {
  oneOf(name, 'shape', Object.keys(SHAPES));
  return SHAPES[name];
}
