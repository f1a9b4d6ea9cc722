/**
 * Takes messages of a framework into a session. Every result becomes an output, whole as it was given; signs that it had been cut before
 * are marked. Taking the same messages again changes nothing: ids follow from the messages themselves.
 */
import { createHash } from 'node:crypto';
import type { CanonicalWriter, NewPart } from '../canonical.ts';
import { SHAPES } from './index.ts';
import type { ForeignMessage, Loss, ShapeName } from './shape.ts';

/** What was taken in. */
export interface Imported {
  readonly messages: number;
  readonly results: number;
  /** Results that seem to have been cut before they were given to us. */
  readonly legacy: number;
  readonly losses: readonly Loss[];
}

/** Reads and keeps; messages come in order. */
export async function importMessages(
  writer: CanonicalWriter,
  shape: ShapeName,
  given: unknown,
): Promise<Imported> {
  const { messages, losses } = SHAPES[shape].read(given);
  let [results, legacy] = [0, 0];
  for (const [i, message] of messages.entries()) {
    const parts: NewPart[] = [];
    for (const part of message.parts) {
      if (part.type !== 'result') {
        parts.push(part);
        continue;
      }
      const { type: _, result, ...of } = part;
      const { part: said } = await writer.record({ ...of, origin: 'imported' }, result);
      results++;
      if (said.legacy !== undefined) legacy++;
      parts.push(said);
    }
    const rest = message.foreign === undefined ? {} : { foreign: message.foreign };
    await writer.say([{ id: idOf(shape, message, i), role: message.role, parts, ...rest }]);
  }
  return { messages: messages.length, results, legacy, losses };
}

function idOf(shape: ShapeName, message: ForeignMessage, index: number): string {
  if (message.id !== undefined) return message.id;
  const hash = createHash('sha256').update(JSON.stringify(message)).digest('hex').slice(0, 16);
  return `${shape}/${index}/${hash}`;
}
