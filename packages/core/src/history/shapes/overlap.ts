/**
 * How much of a list of messages a session has already: hosts hand over whole conversations again and again, a little longer each time. The end
 * of what is kept is matched with the beginning of what is given, part by part, whatever ids or grouping each of them has. Pure, linear.
 */
import { createHash } from 'node:crypto';
import type { MessageRecord, SaidPart } from '../../model/message.ts';
import type { ForeignMessage, ForeignPart } from './shape.ts';

/** What is kept, as far as it must be known to compare. */
export class Kept {
  readonly #parts: string[] = [];
  readonly #system = new Set<string>();
  /** Outputs that a message refers to as results. */
  readonly outputs = new Set<string>();

  add({ role, parts }: MessageRecord): void {
    for (const part of parts) {
      if (part.type === 'result') this.outputs.add(part.output);
      else if (role === 'system') this.#system.add(keyOf(role, part));
      else this.#parts.push(keyOf(role, part));
    }
  }

  /** The parts of each message that are new; results are always among them. */
  fresh(given: readonly ForeignMessage[]): readonly (readonly ForeignPart[])[] {
    const keys = given.flatMap(({ role, parts }) =>
      role === 'system' ? [] : parts.flatMap((part) => (part.type === 'result' ? [] : [keyOf(role, part)])),
    );
    let left = overlap(this.#parts, keys);
    return given.map(({ role, parts }) =>
      parts.filter((part) => {
        if (part.type === 'result') return true;
        if (role === 'system') return !this.#system.has(keyOf(role, part));
        return left-- <= 0;
      }),
    );
  }
}

/** The length of the longest end of `kept` that is a beginning of `given`. */
function overlap(kept: readonly string[], given: readonly string[]): number {
  const all = [...given, null, ...kept.slice(-given.length)];
  const fails: number[] = [0];
  for (let i = 1; i < all.length; i++) {
    let length = fails[i - 1] ?? 0;
    while (length > 0 && all[i] !== all[length]) length = fails[length - 1] ?? 0;
    fails.push(all[i] === all[length] && all[i] !== null ? length + 1 : 0);
  }
  return given.length === 0 || kept.length === 0 ? 0 : (fails.at(-1) ?? 0);
}

/** Short, and the same for the same words, calls and media. */
function keyOf(role: string, part: SaidPart | ForeignPart): string {
  const said =
    part.type === 'text'
      ? part.text
      : part.type === 'call'
        ? part.callId
        : part.type === 'media'
          ? part.mediaType
          : part.type === 'data'
            ? part.json
            : '';
  return createHash('sha256')
    .update(JSON.stringify([role, part.type, said]))
    .digest('base64')
    .slice(0, 22);
}
