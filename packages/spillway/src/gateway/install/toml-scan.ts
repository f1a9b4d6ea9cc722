/**
 * Finds the tables and members of a TOML text and the places where they stand. One pass, in which
 * each char is looked at once: no text makes it slow. What is not TOML is passed over up to the
 * end of its line. Places are UTF-16 offsets.
 */
import { tomlString } from './toml-string.ts';

export interface TomlMember {
  /** The parts of a dotted key. */
  readonly key: readonly string[];
  /** From the key to the end of the value. */
  readonly start: number;
  readonly end: number;
  /** The value as it is written. */
  readonly value: string;
}

export interface TomlTable {
  /** The parts of its name; none for what stands before the first head. */
  readonly path: readonly string[];
  readonly members: readonly TomlMember[];
}

/** The tables of a file. */
export function tomlTables(text: string): TomlTable[] {
  const scan = new TomlScan(text);
  let members: TomlMember[] = [];
  const tables: TomlTable[] = [{ path: [], members }];
  for (scan.skipBlank(); !scan.done; scan.skipBlank()) {
    if (scan.next === '[') {
      members = [];
      tables.push({ path: scan.head(), members });
    } else {
      const member = scan.member();
      if (member !== null) members.push(member);
    }
    scan.skipLine();
  }
  return tables;
}

/** The strings in a list. */
export function tomlStrings(list: string): string[] {
  const scan = new TomlScan(list);
  const found: string[] = [];
  for (scan.skip(), scan.skipBlank(); !scan.done; scan.skipBlank()) {
    const value = scan.value();
    if (value === '') scan.skip();
    else if (isString(value)) found.push(tomlString(value));
  }
  return found;
}

/** The keys of an inline table. */
export function tomlKeys(table: string): string[] {
  const scan = new TomlScan(table);
  const found: string[] = [];
  for (scan.skip(), scan.skipBlank(); !scan.done; scan.skipBlank()) {
    const [key] = scan.member()?.key ?? [];
    if (key === undefined) scan.skip();
    else found.push(key);
  }
  return found;
}

export function isString(value: string): boolean {
  return value.startsWith('"') || value.startsWith("'");
}

/** A place in a text that only moves on. */
class TomlScan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  get next(): string {
    return this.#text[this.#at] ?? '';
  }

  skip(): void {
    this.#at += 1;
  }

  /** White space, line ends and comments. */
  skipBlank(): void {
    for (; !this.done; this.#at++) {
      if (this.next === '#') this.skipLine();
      else if (!/\s|\uFEFF/.test(this.next)) return;
    }
  }

  /** Up to the end of the line. */
  skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  /** `[a.b]` or `[[a.b]]`. */
  head(): string[] {
    while (this.next === '[') this.skip();
    return this.#key();
  }

  /** `key = value`; null if there is none here. */
  member(): TomlMember | null {
    const start = this.#at;
    const key = this.#key();
    if (key.length === 0 || this.next !== '=') return null;
    this.skip();
    this.#skipSpaces();
    const value = this.value();
    return value === '' ? null : { key, start, end: this.#at, value };
  }

  /** A value as it is written; empty if there is none here. */
  value(): string {
    const start = this.#at;
    if (isString(this.next)) this.#skipString();
    else if (this.next === '[' || this.next === '{') this.#skipBrackets();
    else while (!this.done && !/[\s,#\]}]/.test(this.next)) this.skip();
    return this.#text.slice(start, this.#at);
  }

  #key(): string[] {
    const parts: string[] = [];
    for (;;) {
      this.#skipSpaces();
      const start = this.#at;
      if (isString(this.next)) this.#skipString();
      else while (/[\w-]/.test(this.next)) this.skip();
      if (this.#at === start) return [];
      const part = this.#text.slice(start, this.#at);
      parts.push(isString(part) ? tomlString(part) : part);
      this.#skipSpaces();
      if (this.next !== '.') return parts;
      this.skip();
    }
  }

  #skipSpaces(): void {
    while (this.next === ' ' || this.next === '\t') this.skip();
  }

  /** A string that is not closed ends with its line, or with the text if it may have several. */
  #skipString(): void {
    const mark = this.next;
    const long = this.#text.startsWith(mark.repeat(3), this.#at);
    const close = long ? mark.repeat(3) : mark;
    this.#at += close.length;
    for (; !this.done; this.#at++) {
      if (this.#text.startsWith(close, this.#at)) {
        this.#at += close.length;
        // Quotes directly before the closing ones belong to the text.
        while (long && this.next === mark) this.skip();
        return;
      }
      if (!long && this.next === '\n') return;
      if (mark === '"' && this.next === '\\') this.#at++;
    }
  }

  #skipBrackets(): void {
    let depth = 0;
    do {
      if (isString(this.next)) this.#skipString();
      else if (this.next === '#') this.skipLine();
      else {
        if (this.next === '[' || this.next === '{') depth += 1;
        else if (this.next === ']' || this.next === '}') depth -= 1;
        this.skip();
      }
    } while (depth > 0 && !this.done);
  }
}
