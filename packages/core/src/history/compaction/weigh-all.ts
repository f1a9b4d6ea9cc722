/** What messages cost to keep, in tokens. Results count by what was sent of them. */
import type { MessageRecord, MessageResult } from '../../model/message.ts';
import type { SessionContext } from '../context.ts';
import { unlessDamaged } from '../damage.ts';
import { messageTokens, shownTokens } from '../pricing.ts';
import type { SessionName } from '../read-session.ts';
import type { Weighed } from './boundary.ts';

/** Rather too many tokens than too few. */
const CHARS_A_TOKEN = 3;

/** Every message with its price. */
export async function weighAll(
  context: SessionContext,
  name: SessionName,
  messages: readonly MessageRecord[],
): Promise<Weighed[]> {
  const weighed: Weighed[] = [];
  for (const message of messages) {
    let tokens = await messageTokens(context, name, message, {});
    for (const part of message.parts)
      if (part.type === 'result') tokens += await tokensOfResult(context, name, part);
    weighed.push({ message, tokens });
  }
  return weighed;
}

/** What was sent of it, or the most that will be. */
async function tokensOfResult(
  context: SessionContext,
  { scope, session }: SessionName,
  { output, tool, foreign }: MessageResult,
): Promise<number> {
  const { counts, store, spillway } = context;
  const found = await unlessDamaged(() => store.find({ scope, id: output }));
  const beside = counts.extras(`result ${output}`, foreign);
  if (found === null || found === undefined || 'purgedAt' in found) return beside;
  const frozen = await unlessDamaged(() => store.frozen(output, 'model'));
  if (frozen !== null && frozen !== undefined)
    return beside + shownTokens(context, found, frozen.projection, {});
  const chars = found.parts.reduce((sum, part) => sum + (part.role === 'content' ? part.chars : 0), 0);
  const { inlineLimit } = spillway.explain(tool, { session }).policy;
  return beside + Math.ceil(Math.min(chars, inlineLimit) / CHARS_A_TOKEN);
}
