/**
 * How much of a list of messages a session has already: hosts hand over whole conversations again
 * and again, a little longer each time. The end of what is kept is matched with the beginning of
 * what is given, part by part, whatever ids or grouping each of them has. A result is matched with
 * what the same call came to, not with its id alone: some providers use ids again and again. Pure,
 * linear.
 */
import { createHash } from 'node:crypto';
import type { ArtifactId } from '../../model/artifact.ts';
import type { MessageMedia, MessagePart, MessageRecord } from '../../model/message.ts';
import { encode } from '../../text/utf8.ts';
import { jsonOf } from './json.ts';
import type { ImportedMessage, ImportedPart } from './shape.ts';

interface FreshPart {
  readonly part: ImportedPart;
  /** Outputs that count as results of its call already; of results only. */
  readonly known: ReadonlySet<ArtifactId>;
}

/** A message of which something may be new. */
export interface FreshMessage {
  readonly parts: readonly FreshPart[];
  /** Whether all there is of it is kept: it has no parts, and was said. */
  readonly kept: boolean;
}

type Outputs = Set<ArtifactId>;

interface KeptPart {
  readonly key: string;
  readonly isCall: boolean;
  readonly outputs: Outputs;
}

/** What is kept, as far as it must be known to compare. */
export class Kept {
  readonly #parts: KeptPart[] = [];
  readonly #system = new Set<string>();
  /** Results of the latest call of an id, or of one that is not here. */
  readonly #results = new Map<string, Outputs>();
  readonly #called = new Set<string>();

  /** `digest` tells images and files apart by their content. */
  add({ role, parts, foreign }: MessageRecord, digest: (part: MessageMedia) => string): void {
    const put = (key: string, outputs?: Outputs) => {
      if (role === 'system') this.#system.add(key);
      else this.#parts.push({ key, isCall: outputs !== undefined, outputs: outputs ?? new Set() });
    };
    if (parts.length === 0) put(emptyKey(role, foreign));
    const seen = new Set<string>();
    for (const part of parts) {
      if (part.type === 'result') this.#outputsOf(part.callId).add(part.output);
      else if (part.type === 'call') put(keyOf(role, part), this.#begin(part.callId, seen));
      else put(keyOf(role, part, part.type === 'media' ? digest(part) : ''));
    }
  }

  /** Whether a message has a call or result of this id, or this output. */
  has(callId: string, output: ArtifactId): boolean {
    const isOutput = (outputs: Outputs) => outputs.has(output);
    if (this.#called.has(callId) || this.#results.has(callId)) return true;
    return [...this.#results.values(), ...this.#parts.map(({ outputs }) => outputs)].some(isOutput);
  }

  /** What of each message may be new. */
  fresh(given: readonly ImportedMessage[]): readonly FreshMessage[] {
    const keys = given.map(keysOf);
    const compared = keys.flatMap((list, i) => (given[i]?.role === 'system' ? [] : list));
    const matched = this.#matched(compared.flatMap((key) => key ?? [])).values();
    const latest = new Map<string, Outputs>();
    return given.map(({ role, parts }, i) => {
      const list = keys[i] ?? [];
      const isKept = (key: string): KeptPart | boolean =>
        role === 'system' ? this.#system.has(key) : (matched.next().value ?? false);
      if (parts.length === 0) return { parts: [], kept: isKept(list[0] ?? '') !== false };
      const fresh = parts.flatMap((part, n): FreshPart[] => {
        if (part.type === 'result') {
          const known = latest.get(part.callId) ?? this.#results.get(part.callId);
          return [{ part, known: known ?? new Set() }];
        }
        const kept = isKept(list[n] ?? '');
        if (part.type === 'call')
          latest.set(part.callId, typeof kept === 'object' ? kept.outputs : new Set());
        return kept === false ? [{ part, known: new Set() }] : [];
      });
      return { parts: fresh, kept: false };
    });
  }

  /** The parts of what is kept that what is given begins with. */
  #matched(given: readonly string[]): readonly KeptPart[] {
    const kept = this.#parts.map(({ key }) => key);
    const ending = this.#parts.slice(kept.length - overlap(kept, given));
    const differs = kept.findIndex((key, i) => key !== given[i]);
    const beginning = this.#parts.slice(0, differs < 0 ? kept.length : differs);
    // A conversation that went back to an earlier point repeats its call ids.
    const takenBack = beginning.length > ending.length && beginning.some(({ isCall }) => isCall);
    return takenBack ? beginning : ending;
  }

  #outputsOf(callId: string): Outputs {
    const outputs = this.#results.get(callId) ?? new Set();
    this.#results.set(callId, outputs);
    return outputs;
  }

  /** A call of an id that was there before begins anew; the first one has what came before it. */
  #begin(callId: string, seen: Set<string>): Outputs {
    if (this.#called.has(callId) && !seen.has(callId)) this.#results.set(callId, new Set());
    this.#called.add(callId);
    seen.add(callId);
    return this.#outputsOf(callId);
  }
}

function keysOf({ role, parts, foreign }: ImportedMessage): (string | null)[] {
  if (parts.length === 0) return [emptyKey(role, foreign)];
  return parts.map((part) => (part.type === 'result' ? null : keyOf(role, part, digestOf(part))));
}

/** The length of the longest end of `kept` that is a beginning of `given`. */
function overlap(kept: readonly string[], given: readonly string[]): number {
  if (given.length === 0 || kept.length === 0) return 0;
  const all = [...given, null, ...kept.slice(-given.length)];
  const fails: number[] = [0];
  for (let i = 1; i < all.length; i++) {
    let length = fails[i - 1] ?? 0;
    while (length > 0 && all[i] !== all[length]) length = fails[length - 1] ?? 0;
    fails.push(all[i] === all[length] && all[i] !== null ? length + 1 : 0);
  }
  return fails.at(-1) ?? 0;
}

/** Short, and the same for the same words, calls and media. */
function keyOf(role: string, part: MessagePart | ImportedPart, digest = ''): string {
  const compared =
    part.type === 'text'
      ? part.text
      : part.type === 'call'
        ? part.callId
        : part.type === 'media'
          ? `${part.mediaType} ${digest}`
          : part.type === 'data'
            ? part.json
            : '';
  return short([role, part.type, compared]);
}

/** A message without parts is known by what its framework said about it. */
function emptyKey(role: string, foreign: unknown): string {
  return short([role, 'empty', jsonOf(foreign)]);
}

function digestOf(part: ImportedPart): string {
  if (part.type !== 'media') return '';
  if ('source' in part) return 'url' in part.source ? part.source.url : '';
  const bytes = typeof part.data === 'string' ? encode(part.data) : part.data;
  return createHash('sha256').update(bytes).digest('hex');
}

function short(compared: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(compared)).digest('base64').slice(0, 22);
}
