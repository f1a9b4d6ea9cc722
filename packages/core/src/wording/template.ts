/**
 * A sentence that we write from facts and find again in a text. A template is literal text with
 * slots. Its pattern is made from the same literals and slots, so what is written is recognised.
 *
 * Example: template<Amount>`${amount('lines', 'line')} omitted` writes `1,200 lines omitted` and
 * reads `{ lines: 1200 }` from it.
 */
import { formatCount, pluralize } from '../text/numbers.ts';

type Groups = Readonly<Record<string, string | undefined>>;

/** A place in a template that depends on the facts. */
export interface Slot<Facts> {
  write(facts: Facts): string;
  /** A regular expression whose groups are named after the facts that it reads. */
  readonly pattern: string;
  read(groups: Groups): Partial<Facts>;
}

export interface Opening {
  /** The pattern up to `RECOGNISED`: a line that begins so looks like this sentence. */
  readonly opening: string;
}

export interface Template<Facts> extends Slot<Facts>, Opening {
  /** Every line of a text that is this sentence, with where it stands. */
  find(text: string): Found<Facts>[];
  /** The first place in a text where this sentence stands. */
  search(text: string): Found<Facts> | null;
}

interface Found<Facts> {
  readonly facts: Partial<Facts>;
  readonly at: number;
}

export function template<Facts>(
  literals: TemplateStringsArray,
  ...slots: readonly Slot<Facts>[]
): Template<Facts> {
  // Compiled on first read: most sentences are only written.
  let made: readonly string[] | undefined;
  const patterns = () => {
    made ??= literals.map((literal, i) => escaped(literal) + (slots[i]?.pattern ?? ''));
    return made;
  };
  const read = (groups: Groups): Partial<Facts> =>
    Object.assign({}, ...slots.map((slot) => slot.read(groups)));
  return {
    get pattern() {
      return patterns().join('');
    },
    get opening() {
      const recognised = (slots as readonly unknown[]).indexOf(RECOGNISED);
      return patterns()
        .slice(0, recognised < 0 ? undefined : recognised + 1)
        .join('');
    },
    write(facts) {
      let text = literals[0] ?? '';
      for (const [i, slot] of slots.entries()) text += slot.write(facts) + (literals[i + 1] ?? '');
      return text;
    },
    read,
    find: (text) =>
      [...text.matchAll(new RegExp(`^${patterns().join('')}$`, 'gm'))].map(({ groups = {}, index }) => ({
        facts: read(groups),
        at: index,
      })),
    search(text) {
      const match = new RegExp(patterns().join('')).exec(text);
      return match === null ? null : { facts: read(match.groups ?? {}), at: match.index };
    },
  };
}

/** Marks how much of a sentence a line must have to look like it. Writes nothing. */
export const RECOGNISED: Slot<unknown> = { write: () => '', pattern: '', read: () => ({}) };

const NUMBER = String.raw`[\d,]{1,30}`;

/** `1,200` */
export function number<Key extends string>(key: Key): Slot<Record<Key, number>> {
  return {
    write: (facts) => formatCount(facts[key]),
    pattern: `(?<${key}>${NUMBER})`,
    read: (groups) => fact(key, groups[key], numberIn),
  };
}

/** `-1` */
export function integer<Key extends string>(key: Key): Slot<Record<Key, number>> {
  return { ...number(key), write: (facts) => String(facts[key]), pattern: `(?<${key}>-?\\d+)` };
}

/** `1,200 lines`, `1 line` */
export function amount<Key extends string>(key: Key, noun: string): Slot<Record<Key, number>> {
  return {
    ...number(key),
    write: (facts) => pluralize(facts[key], noun),
    pattern: `(?<${key}>${NUMBER}) ${noun}s?`,
  };
}

/** A text as it is; `pattern` says how it can look. */
export function words<Key extends string>(key: Key, pattern: string): Slot<Record<Key, string>> {
  return {
    write: (facts) => facts[key],
    pattern: `(?<${key}>${pattern})`,
    read: (groups) => fact(key, groups[key], String),
  };
}

/** A text that is not read back. */
export function unread<Key extends string>(key: Key, pattern: string): Slot<Record<Key, string>> {
  return { write: (facts) => facts[key], pattern: `(?:${pattern})`, read: () => ({}) };
}

/** Written where the fact is there; null and undefined mean that it is not. */
export function optional<Key extends string, Value>(
  key: Key,
  inner: Slot<Record<Key, Value>>,
): Slot<Record<Key, Value | null>> {
  const isThere = (facts: Record<Key, Value | null>): facts is Record<Key, Value> =>
    (facts[key] ?? null) !== null;
  return {
    write: (facts) => (isThere(facts) ? inner.write(facts) : ''),
    get pattern() {
      return `(?:${inner.pattern})?`;
    },
    read: (groups) => inner.read(groups),
  };
}

/** Whether a line begins like one of these sentences, whatever the case of its letters. */
export function openingOf(templates: readonly Opening[], before = ''): RegExp {
  // Drop group names, which would repeat; nothing is read here.
  const openings = templates.map(({ opening }) => opening.replace(/\(\?<\w+>/g, '(?:'));
  return new RegExp(`^${before}(?:${openings.join('|')})`, 'i');
}

export function numberIn(text: string): number {
  return Number(text.replaceAll(',', ''));
}

function fact<Key extends string, Value>(
  key: Key,
  text: string | undefined,
  read: (text: string) => Value,
): Partial<Record<Key, Value>> {
  return text === undefined ? {} : ({ [key]: read(text) } as Record<Key, Value>);
}

function escaped(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
