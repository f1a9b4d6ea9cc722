/**
 * Tells where the blocks of a source file begin, by indentation and, in languages with braces, by
 * their depth; no parser. A block is what begins at the left margin, with the comments and
 * decorators right above it; inside classes and the like, members begin at the first inner
 * indentation. Imports that follow each other are one block. What looks like a definition at the
 * margin always begins a block, so a miscounted brace does no lasting harm.
 */

import type { Line } from '../../model/line-grammar.ts';

/**
 * Brace depth at the start of a line, and whether it lies in a comment or multi-line string. What
 * regular expressions and macros hide is corrected at the next definition at the margin.
 */
const QUOTES = new Set([34, 39, 96]);

class BraceDepth {
  readonly #counts: boolean;
  depth = 0;
  #closer: '' | '*/' | '`' | '"""' | "'''" = '';

  constructor(counts: boolean) {
    this.#counts = counts;
  }

  get inText(): boolean {
    return this.#closer !== '';
  }

  reset(): void {
    this.depth = 0;
    this.#closer = '';
  }

  /** A closing brace at the margin closes everything. */
  settle(): void {
    if (this.depth < 0) this.depth = 0;
  }

  line(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.#closer !== '') {
        at = this.#findCloser(bytes, at, to);
        continue;
      }
      const byte = bytes[at] ?? 0;
      if (byte > 125 || (byte > 96 && byte < 123)) at++;
      else if (QUOTES.has(byte)) at = this.#quote(bytes, at, to);
      else if (byte === 47 && this.#counts && bytes[at + 1] === 47) return;
      else if (byte === 35 && !this.#counts) return;
      else if (byte === 47 && this.#counts && bytes[at + 1] === 42) {
        this.#closer = '*/';
        at += 2;
      } else {
        if (this.#counts && byte === 123) this.depth++;
        else if (this.#counts && byte === 125) this.depth--;
        at++;
      }
    }
  }

  #findCloser(bytes: Uint8Array, from: number, to: number): number {
    const closer = this.#closer;
    for (let at = from; at < to; at++) {
      if (bytes[at] === 92) at++;
      else if (matches(bytes, at, to, closer)) {
        this.#closer = '';
        return at + closer.length;
      }
    }
    return to;
  }

  #quote(bytes: Uint8Array, at: number, to: number): number {
    const quote = bytes[at] ?? 0;
    const triple = quote === 34 ? '"""' : "'''";
    if (!this.#counts && quote !== 96 && matches(bytes, at, to, triple)) {
      this.#closer = triple;
      return at + 3;
    }
    if (quote === 96) {
      if (this.#counts) this.#closer = '`';
      return at + 1;
    }
    for (let end = at + 1; end < to; end++) {
      if (bytes[end] === 92) end++;
      else if (bytes[end] === quote) return end + 1;
    }
    // Unterminated: a lifetime, an apostrophe.
    return at + 1;
  }
}

function matches(bytes: Uint8Array, at: number, to: number, text: string): boolean {
  if (at + text.length > to) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

export type CodeRole = 'header' | 'block' | 'class' | 'member';

const MODIFIERS = String.raw`(?:(?:export|default|pub(?:\([\w: ]+\))?|public|private|protected|internal|static|async|abstract|final|override|virtual|unsafe|extern(?: "C")?|declare|inline|constexpr|sealed|partial|open|data|local|readonly|#\[[^\]]*\]|@\w+(?:\([^)]*\))?) )*`;
const CLASS = new RegExp(
  `^${MODIFIERS}(?:class|interface|struct|trait|impl|enum|object|namespace|module|mod|union|protocol|extension|record|contract|defmodule)\\b`,
);
const DEFINITION = new RegExp(
  `^${MODIFIERS}(?:function\\b|class |def |fn |func |fun |interface |struct |enum |trait |impl\\b|type |module |namespace |object |mod |protocol |extension |record |macro_rules!|defmodule |defp? |sub |procedure |create (?:table|view|function))`,
  'i',
);
const NAMED = new RegExp(
  `^${MODIFIERS}(?<kind>function\\*?|class|def|defp|fn|func(?: \\([^)]*\\))?|fun|interface|struct|enum|trait|impl(?:<[^>]*>)?|type|module|namespace|object|mod|protocol|extension|record|macro_rules!|defmodule|sub|procedure|const|let|var|val|#define)\\s+(?<name>[\\w$.:?!*~-]+(?: for [\\w$.:]+)?)`,
);
const IMPORT =
  /^(?:import\b|from [\w.]+ import|#\s*include|#\s*import|using [\w.:= ]+;|use [\w:{*]|package |extern crate|require(?:_relative)?\b|(?:const|let|var) [^=]{1,200}= (?:await )?(?:require|import)\(|module [\w./]+$|<\?php|#!|['"]use \w+['"]|@import|@charset|alias |-module|library\(|source )/;
/**
 * Comments, decorators and attributes belong to what follows. With braces, `#` begins a private
 * name.
 */
const LEADS = /^(?:\/\/|\/\*|\*|@\w|#\[|\[\w[^\]]*\]\s*$|template\s*<|<!--)/;
const LEADS_WITHOUT_BRACES = /^(?:#(?!!)|--|;|"""|'''|@\w|%)/;
const CLOSES =
  /^(?:[}\])>]|end\b|fi\b|done\b|esac\b|else\b|elif\b|elsif\b|except\b|catch\b|finally\b|rescue\b|ensure\b|\{|#\s*(?:endif|else|elif)|EOF\b|then\b|do\b|and\b|or\b|\|\||&&|\.\w|:|\?|=>)/;
const LOOKED_AT = 400;

export class CodeLines {
  role: CodeRole = 'header';
  name: string | null = null;
  blocks = 0;
  readonly #braces: BraceDepth;
  readonly #leads: RegExp;
  /** Comments and decorators began a block without a first line yet. */
  #leading = true;
  #className = '';
  #memberIndent = -1;
  #memberLeading = false;

  constructor(hasBraces: boolean) {
    this.#leads = hasBraces ? LEADS : LEADS_WITHOUT_BRACES;
    this.#braces = new BraceDepth(hasBraces);
  }

  begins({ bytes, from, to }: Line, isFirst: boolean): boolean {
    this.name = null;
    const indent = indentOf(bytes, from, to);
    const inside = this.#braces.inText;
    const { depth } = this.#braces;
    const atMargin = indent === 0 && from < to;
    const text =
      from < to && !inside ? textOf(bytes, from + (atMargin ? 0 : spaces(bytes, from, to)), to) : '';
    if (atMargin && DEFINITION.test(text)) this.#braces.reset();
    this.#braces.line(bytes, from, to);
    if (atMargin && text.startsWith('}')) this.#braces.settle();
    if (text === '' || inside) return isFirst;
    if (!atMargin) return this.#member(text, indent);
    if (depth > 0 && !DEFINITION.test(text)) return isFirst;
    if (CLOSES.test(text)) return isFirst;
    return this.#top(text) || isFirst;
  }

  #top(text: string): boolean {
    this.#memberIndent = -1;
    this.#memberLeading = false;
    const wasLeading = this.#leading;
    const leads = this.#leads.test(text);
    if (IMPORT.test(text)) {
      const begins = this.role !== 'header' && !wasLeading;
      this.role = 'header';
      this.#leading = false;
      return begins;
    }
    this.#leading = leads;
    if (leads) {
      if (wasLeading) return false;
      this.role = 'block';
      return true;
    }
    this.blocks++;
    this.role = CLASS.test(text) ? 'class' : 'block';
    this.name = nameOf(text);
    this.#className = this.role === 'class' ? this.name : '';
    return !wasLeading || this.blocks === 1;
  }

  /** In a class it may begin a member. */
  #member(text: string, indent: number): boolean {
    if (this.#className === '' || CLOSES.test(text)) return false;
    if (this.#memberIndent < 0) this.#memberIndent = indent;
    if (indent !== this.#memberIndent) return false;
    const wasLeading = this.#memberLeading;
    this.#memberLeading = this.#leads.test(text);
    if (this.#memberLeading) {
      if (wasLeading) return false;
      this.role = 'member';
      return true;
    }
    if (!DEFINITION.test(text) && !/^[\w$#*~<@[][^=;]{0,300}\(/.test(text)) {
      this.role = wasLeading ? 'member' : this.role;
      return false;
    }
    this.role = 'member';
    this.name = `${this.#className.replace(/^\w+ /, '')}.${memberName(text)}`;
    return !wasLeading;
  }
}

function memberName(text: string): string {
  return (
    /([#\w$~]{1,120})\s{0,120}(?:<[^(]{0,120}>)?\(/.exec(text.slice(0, 120))?.[1] ??
    nameOf(text).replace(/^\w+ /, '')
  );
}

const CLASS_KIND = /^(?:class|interface|struct|enum|trait|impl|module|namespace|object|type|protocol|record)/;

/** `class Store`, `parse`, or the beginning of the line. */
function nameOf(text: string): string {
  const named = NAMED.exec(text)?.groups;
  if (named?.name !== undefined) {
    const kind = CLASS_KIND.exec(named.kind ?? '')?.[0];
    return kind === undefined ? named.name : `${kind} ${named.name}`;
  }
  const called = /([\w$:~]{1,120})\s{0,120}\([^;]{0,120}$/.exec(text.slice(0, 120))?.[1];
  return called !== undefined && /[{):,(]\s*$/.test(text) && !/^\w+\s*\(/.test(text)
    ? called
    : text.slice(0, 30).trim();
}

/** Columns; a tab counts four. */
function indentOf(bytes: Uint8Array, from: number, to: number): number {
  let columns = 0;
  for (let at = from; at < to; at++) {
    if (bytes[at] === 32) columns++;
    else if (bytes[at] === 9) columns += 4;
    else break;
  }
  return columns;
}

function spaces(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] === 32 || bytes[at] === 9)) at++;
  return at - from;
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  const end = Math.min(to, from + LOOKED_AT);
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.max(0, end - from)).toString('latin1');
}
