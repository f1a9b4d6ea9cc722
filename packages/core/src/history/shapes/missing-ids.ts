/**
 * Calls that came without an id, as some servers make them. Each gets one from its tool and its
 * arguments, so that taking the same conversation again gives the same; their results belong to
 * them in order. Told as losses.
 */
import { createHash } from 'node:crypto';
import type { ImportedMessage, ImportedPart, Losses } from './shape.ts';

const NO_TOOL = 'unknown';

/** Messages in which every call and result has an id and a tool. */
export function withCallIds(messages: readonly ImportedMessage[], losses: Losses): ImportedMessage[] {
  const open: { readonly callId: string; readonly tool: string }[] = [];
  const filled = (part: ImportedPart, message: number): ImportedPart => {
    if (part.type !== 'call' && part.type !== 'result') return part;
    if (part.tool === '') losses.add(message, 'the name of a tool: there is none');
    const tool = part.tool === '' ? NO_TOOL : part.tool;
    if (part.callId !== '') return { ...part, tool };
    if (part.type === 'call') {
      losses.add(message, 'that a call had no id: it was given one');
      const callId = callIdOf(tool, part.input);
      open.push({ callId, tool });
      return { ...part, tool, callId };
    }
    const same = open.findIndex((call) => call.tool === tool);
    const [call] = open.splice(Math.max(0, same), 1);
    losses.add(
      message,
      call === undefined ? 'a result without a call' : 'that a result did not name its call',
    );
    return { ...part, tool: call?.tool ?? tool, callId: call?.callId ?? NO_TOOL };
  };
  return messages.map((message, i) => ({ ...message, parts: message.parts.map((part) => filled(part, i)) }));
}

/** The id of a call that has none: the same for the same tool and arguments. */
export function callIdOf(tool: string, input: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([tool, input]))
    .digest('hex');
  return `call_${hash.slice(0, 12)}`;
}
