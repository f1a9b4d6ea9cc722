/** What messages cost to keep, in tokens. Results count by what was sent of them. */
import type { MessageRecord, SaidResult } from '../../model/message.ts';
import type { SessionContext } from '../context.ts';
import { MESSAGE_TOKENS } from '../counting.ts';
import { unlessDamaged } from '../damage.ts';
import type { SessionName } from '../reading.ts';
import type { Weighed } from './boundary.ts';

/** Rather too many tokens than too few. */
const CHARS_A_TOKEN = 3;

/** Every message with its price. */
export async function weighAll(
  context: SessionContext,
  name: SessionName,
  messages: readonly MessageRecord[],
): Promise<Weighed[]> {
  const { scope, session } = name;
  const weighed: Weighed[] = [];
  for (const message of messages) {
    let tokens = MESSAGE_TOKENS;
    for (const [i, part] of message.parts.entries()) {
      tokens += context.counts.part(JSON.stringify([scope, session, message.id, i]), part);
      if (part.type === 'result') tokens += await tokensOfResult(context, name, part);
    }
    weighed.push({ message, tokens });
  }
  return weighed;
}

/** What was sent of it, or the most that will be. */
async function tokensOfResult(
  { counts, store, spillway }: SessionContext,
  { scope, session }: SessionName,
  { output, tool }: SaidResult,
): Promise<number> {
  const frozen = await unlessDamaged(() => store.frozen(output, 'model'));
  if (frozen !== null && frozen !== undefined) return counts.projection(output, frozen.projection);
  const found = await unlessDamaged(() => store.find({ scope, id: output }));
  if (found === null || found === undefined || 'purgedAt' in found) return 0;
  const chars = found.parts.reduce((sum, part) => sum + (part.role === 'content' ? part.chars : 0), 0);
  const { inlineLimit } = spillway.explain(tool, { session }).policy;
  return Math.ceil(Math.min(chars, inlineLimit) / CHARS_A_TOKEN);
}
