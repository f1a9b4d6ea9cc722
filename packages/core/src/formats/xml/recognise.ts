/**
 * XML is said of a well-formed beginning of an XML text: one scan over the tags with a stack of
 * open names, entities and attribute syntax not judged beyond quotes. HTML may be ill-formed; it is
 * known by its document type, or by its elements. Units: chars.
 */
import type { ContentKind } from '../../model/content.ts';
import type { TextSample } from '../../model/text-sample.ts';

const HTML_START = /^(?:<!--[^>]{0,400}-->\s{0,8})?<(?:!doctype\s+html\b|html[\s>]|head[\s>]|body[\s>])/i;
const HTML_ELEMENT =
  /^(?:a|abbr|article|aside|b|blockquote|body|br|button|caption|center|cite|code|col|colgroup|dd|details|div|dl|dt|em|fieldset|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|legend|li|link|main|meta|nav|ol|optgroup|option|p|pre|script|section|select|small|span|strong|style|sub|summary|sup|table|tbody|td|textarea|tfoot|th|thead|title|tr|tt|u|ul|video)$/i;
const NAME = /[A-Za-z_:\u0080-\uffff][\w:.\-\u0080-\uffff]*/y;
const MARKDOWN = /^(?:#{1,6} |```|[-*] |\d+\. |\[!?\[)|\]\(/m;

export function markupKind({ text, complete }: TextSample): ContentKind | undefined {
  const start = text.search(/\S/);
  if (start < 0 || text[start] !== '<') return undefined;
  if (HTML_START.test(text.slice(start, start + 1_000))) return 'html';
  const scan = new TagScan(text, start);
  scan.run();
  if (isWrappedText(text, start, scan)) return undefined;
  if (scan.root !== undefined && !scan.broken && (!complete || scan.closed)) {
    return isHtmlName(scan.root) && !MARKDOWN.test(text) ? 'html' : isHtmlName(scan.root) ? undefined : 'xml';
  }
  if (scan.root === undefined && !scan.broken && !complete && text.startsWith('<?xml', start)) return 'xml';
  const known = scan.names.filter(isHtmlName).length;
  const isFragment = scan.names.length >= 5 && known >= scan.names.length * 0.8 && !MARKDOWN.test(text);
  return isFragment ? 'html' : undefined;
}

/** Agents put a log or a file between two tags. Such a text has many lines and hardly a tag. */
function isWrappedText(text: string, start: number, { names }: TagScan): boolean {
  const lines = text.split('\n').length;
  return lines >= 40 && names.length * 20 <= lines && !text.startsWith('<?xml', start);
}

function isHtmlName(name: string): boolean {
  return HTML_ELEMENT.test(name);
}

class TagScan {
  readonly names: string[] = [];
  root: string | undefined;
  /** The root is closed and only white space, comments and instructions follow. */
  closed = false;
  /** Not the beginning of a well-formed text. */
  broken = false;
  readonly #text: string;
  readonly #open: string[] = [];
  #at: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
  }

  run(): void {
    while (this.#at < this.#text.length) {
      const tag = this.#text.indexOf('<', this.#at);
      const end = tag < 0 ? this.#text.length : tag;
      if (this.#open.length === 0 && this.#text.slice(this.#at, end).trim() !== '') this.broken = true;
      if (tag < 0) return;
      this.#at = tag;
      this.#markup();
    }
  }

  #markup(): void {
    const text = this.#text;
    if (text.startsWith('<!--', this.#at)) this.#skipTo('-->', 4);
    else if (text.startsWith('<![CDATA[', this.#at)) this.#skipTo(']]>', 9);
    else if (text.startsWith('<?', this.#at)) this.#instruction();
    else if (this.#endsWithin('<!--') || this.#endsWithin('<![CDATA[')) this.#at = text.length;
    else if (text.startsWith('<!', this.#at)) this.#documentType();
    else if (text[this.#at + 1] === '/') this.#close();
    else this.#openTag();
  }

  /** The sample ends before it can be told whether this begins so. */
  #endsWithin(opening: string): boolean {
    const rest = this.#text.slice(this.#at, this.#at + opening.length);
    return rest.length < opening.length && opening.startsWith(rest);
  }

  #instruction(): void {
    if (!/^<\?(?!php)(?:[a-z-]|$)/i.test(this.#text.slice(this.#at, this.#at + 8))) this.broken = true;
    this.#skipTo('?>', 2);
  }

  #skipTo(mark: string, opening = 0): void {
    const end = this.#text.indexOf(mark, this.#at + opening);
    this.#at = end < 0 ? this.#text.length : end + mark.length;
  }

  /** An internal subset may hold `>`. */
  #documentType(): void {
    if (this.root !== undefined || !/^<!(?:$|D)/.test(this.#text.slice(this.#at, this.#at + 3)))
      this.broken = true;
    const end = this.#text.indexOf('>', this.#at);
    const subset = this.#text.indexOf('[', this.#at);
    if (subset >= 0 && subset < end) this.#skipTo(']');
    this.#skipTo('>');
  }

  #name(at: number): string {
    NAME.lastIndex = at;
    return NAME.exec(this.#text)?.[0] ?? '';
  }

  #close(): void {
    const name = this.#name(this.#at + 2);
    const end = this.#text.indexOf('>', this.#at);
    const expected = this.#open.pop();
    if (end < 0) {
      if (expected === undefined || !`${expected} `.startsWith(name)) this.broken = true;
    } else if (name !== expected) this.broken = true;
    this.closed = this.#open.length === 0 && end >= 0 && !this.broken;
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  #openTag(): void {
    const text = this.#text;
    const name = this.#name(this.#at + 1);
    let at = this.#at + 1 + name.length;
    if (name === '') {
      if (at < text.length) this.broken = true;
      this.#at = at;
      return;
    }
    if (this.#open.length === 0 && this.root !== undefined) this.broken = true;
    this.root ??= name;
    this.names.push(name);
    at = this.#attributes(at);
    const empty = text[at - 1] === '/';
    if (at < text.length && !empty) this.#open.push(name);
    if (at < text.length && empty && this.#open.length === 0) this.closed = true;
    this.#at = at + 1;
  }

  /** The place of the `>`, or the end of the text. */
  #attributes(from: number): number {
    const text = this.#text;
    for (let at = from; at < text.length; at++) {
      const char = text[at];
      if (char === '>') return at;
      if (char === '<') this.broken = true;
      if (char !== '"' && char !== "'") continue;
      if (text[at - 1] !== '=' && text[at - 1] !== ' ') this.broken = true;
      const end = text.indexOf(char, at + 1);
      if (end < 0) return text.length;
      at = end;
    }
    return text.length;
  }
}
