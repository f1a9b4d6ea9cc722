/** Items of OpenAI's responses, as plain data. */
import { itemShape } from './item-shape.ts';
import type { Shape } from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'openai_responses';

export const openaiResponses: Shape = {
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
