/**
 * Items of OpenAI Agents (`AgentInputItem`), as plain data: those of OpenAI's responses under names
 * of its own. Calls of tools that the provider runs carry their output themselves.
 */
import { itemShape } from './item-shape.ts';
import { dataUrl, type Fields, isRecord } from './json.ts';
import type { Shape } from './shape.ts';
import { VOCABULARIES } from './vocabularies.ts';

const NAME = 'openai_agents';
const OUTPUTS: Readonly<Record<string, string>> = {
  function_call: 'function_call_result',
  computer_call: 'computer_call_result',
  program: 'program_output',
};
const RESULTS: readonly string[] = [
  ...Object.values(OUTPUTS),
  'shell_call_output',
  'apply_patch_call_output',
];

export const openaiAgents: Shape = {
  name: NAME,
  vocabulary: VOCABULARIES.openai_agents,
  unsent: ['id', 'status', 'namespace', 'logprobs', 'annotations'],
  usage: [['usage', 'inputTokens']],
  ...itemShape({
    name: NAME,
    callId: 'callId',
    screenshot: 'data',
    exitCode: 'exitCode',
    hosted: 'hosted_tool_call',
    hasObjects: true,
    outputOf: (callType) => OUTPUTS[callType] ?? `${callType}_output`,
    isOutput: (type) => RESULTS.includes(type),
    imageOf({ type, image, ...rest }) {
      const isUrl = typeof image === 'string' && (dataUrl(image) !== null || /^https?:/.test(image));
      return type === 'input_image' && isUrl ? { url: image, rest } : null;
    },
    imagePart: (image) => ({ type: 'input_image', image }),
    newMessage: (role) => ({
      about: { type: 'message', role, ...(role === 'assistant' ? { status: 'completed' } : {}) },
      asText: role === 'system',
    }),
    newOutput: ({ tool, status }, type) =>
      type === OUTPUTS.function_call
        ? { name: tool, status: status === 'cancelled' || status === 'timeout' ? 'incomplete' : 'completed' }
        : {},
    textOutput,
  }),
};

/** As it came; what came from elsewhere, as the library itself writes it. */
function textOutput(text: string, { $string, $object }: Fields): unknown {
  if ($string === true) return text;
  return isRecord($object) ? { ...$object, text } : { type: 'text', text };
}
