/**
 * The markers inside XML and HTML, which keep them well-formed: a comment between elements, words
 * inside a text or a value, and the end of a tag with a comment behind it where attributes were
 * left out, wherever in the tag they stood. Read by models, pinned by a test.
 */
import type { OmittedThings } from '../model/selection.ts';
import { pluralize } from '../text/numbers.ts';

export function xmlGap(what: Pick<OmittedThings, 'unit' | 'count' | 'slot' | 'of'>): string {
  switch (what.slot) {
    case 'text':
      return ` ... [${pluralize(what.count, 'char')} omitted] ... `;
    case 'tag':
      return `><!-- ${pluralize(what.count, 'char')} of attributes omitted -->`;
    case 'tag/':
      return `/><!-- ${pluralize(what.count, 'char')} of attributes omitted -->`;
    case 'silent':
      return '';
    default:
      return `<!-- ${pluralize(what.count, what.unit)} omitted${what.of === undefined ? '' : `: ${what.of}`} -->`;
  }
}

/**
 * Puts a notice into a text as a comment behind its declaration. A comment must not hold two
 * hyphens.
 */
export function embedNotice(body: string, notice: string): string {
  const [declaration = ''] = /^<\?xml\s[^>]*\?>/.exec(body) ?? [];
  const comment = notice.trimEnd().replace(/-(?=-)/g, '- ');
  return `${declaration}<!-- ${comment} -->${body.slice(declaration.length)}`;
}
