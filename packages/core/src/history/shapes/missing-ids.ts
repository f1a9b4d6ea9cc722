/**
 * Calls that came without an id, as some servers make them. Each gets one from its tool and its
 * arguments, so that taking the same conversation again gives the same; their results belong to
 * them in order.
 */
import { createHash } from 'node:crypto';
import type { ImportedMessage, ImportedPart, Losses } from './shape.ts';

const NO_TOOL = 'unknown';

/**
 * Messages in which every call and result has an id and a tool. Without `losses`, calls without ids
 * are what the framework makes: nothing is told, and a result that belongs to none stays as it is.
 */
export function withCallIds(messages: readonly ImportedMessage[], losses: Losses | null): ImportedMessage[] {
  const open: { readonly callId: string; readonly tool: string }[] = [];
  const filled = (part: ImportedPart, message: number): ImportedPart => {
    if (part.type !== 'call' && part.type !== 'result') return part;
    if (part.tool === '') losses?.add(message, 'the name of a tool: there is none');
    const tool = part.tool === '' && losses !== null ? NO_TOOL : part.tool;
    if (part.callId !== '') return { ...part, tool };
    if (part.type === 'call') {
      losses?.add(message, 'that a call had no id: it was given one');
      const hash = createHash('sha256').update(JSON.stringify([tool, part.input]));
      const callId = `call_${hash.digest('hex').slice(0, 12)}`;
      open.push({ callId, tool });
      return { ...part, tool, callId };
    }
    const same = open.findIndex((call) => call.tool === tool);
    const [call] = open.splice(Math.max(0, same), 1);
    if (losses === null) return { ...part, callId: call?.callId ?? '' };
    losses.add(
      message,
      call === undefined ? 'a result without a call' : 'that a result did not name its call',
    );
    return { ...part, tool: call?.tool ?? tool, callId: call?.callId ?? NO_TOOL };
  };
  return messages.map((message, i) => ({ ...message, parts: message.parts.map((part) => filled(part, i)) }));
}
