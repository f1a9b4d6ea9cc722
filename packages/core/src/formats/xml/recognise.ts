/**
 * XML is said only of what is a well-formed beginning of an XML text: who cuts it by its grammar
 * relies on it. HTML may be ill-formed; it is known by its document type, or by its elements.
 */
import type { ContentKind } from '../../model/content.ts';
import type { TextSample } from '../../model/text-sample.ts';
import { type Markup, XmlScan } from '../../table/tree/xml-scan.ts';
import { decode } from '../../text/utf8.ts';

const HTML_START = /^(?:<!--[^>]{0,400}-->\s{0,8})?<(?:!doctype\s+html\b|html[\s>]|head[\s>]|body[\s>])/i;
const HTML_ELEMENT =
  /^(?:a|abbr|article|aside|b|blockquote|body|br|button|caption|center|cite|code|col|colgroup|dd|details|div|dl|dt|em|fieldset|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|label|legend|li|link|main|meta|nav|ol|optgroup|option|p|pre|script|section|select|small|span|strong|style|sub|summary|sup|table|tbody|td|textarea|tfoot|th|thead|title|tr|tt|u|ul|video)$/i;
const MARKDOWN = /^(?:#{1,6} |```|[-*] |\d+\. |\[!?\[)|\]\(/m;

export function markupKind(sample: TextSample): ContentKind | undefined {
  const { text, complete } = sample;
  const start = text.search(/\S/);
  if (start < 0 || text[start] !== '<' || text.startsWith('<?php', start)) return undefined;
  if (HTML_START.test(text.slice(start, start + 1_000))) return 'html';
  const { names } = read(sample, 'html');
  const hasDeclaration = text.startsWith('<?xml', start);
  if (isWrappedText(text, names) && !hasDeclaration) return undefined;
  const [root] = names;
  const isWellFormed = read(sample, 'xml').failure === null;
  if (root === undefined) return isWellFormed && !complete && hasDeclaration ? 'xml' : undefined;
  if (isWellFormed && !isHtmlName(root)) return 'xml';
  const known = names.filter(isHtmlName).length;
  const isFragment = isWellFormed || (names.length >= 5 && known >= names.length * 0.8);
  return isFragment && !MARKDOWN.test(text) ? 'html' : undefined;
}

/** Agents put a log or file between two tags: many lines, hardly a tag. */
function isWrappedText(text: string, names: readonly string[]): boolean {
  const lines = text.split('\n').length;
  return lines >= 40 && names.length * 20 <= lines;
}

function isHtmlName(name: string): boolean {
  return HTML_ELEMENT.test(name);
}

/** The names of the elements that begin in a sample, and why it is not well-formed. */
function read(
  { bytes, start, complete }: TextSample,
  markup: Markup,
): { names: string[]; failure: string | null } {
  const names: string[] = [];
  const scan = new XmlScan(
    { open: (token) => names.push(decode(token.key())), close() {}, leaf() {} },
    markup,
  );
  scan.push(bytes.subarray(start));
  if (complete) scan.finish();
  return { names, failure: scan.failure };
}
