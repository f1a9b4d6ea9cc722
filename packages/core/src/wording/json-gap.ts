/**
 * The markers inside JSON, which keep it valid: a string among the items of an array, one reserved
 * key in an object, words inside a string, a line of its own where each line is a value. Read by
 * models, pinned by a test.
 */
import type { OmittedThings } from '../model/selection.ts';
import { pluralize } from '../text/numbers.ts';

export function jsonGap(what: Pick<OmittedThings, 'unit' | 'count' | 'slot' | 'of'>): string {
  const marker = `"... ${pluralize(what.count, what.unit)} omitted ..."`;
  switch (what.slot) {
    case 'item,':
      return `${marker},`;
    case 'member':
      return `"${what.of}":${marker}`;
    case 'member,':
      return `"${what.of}":${marker},`;
    case 'string':
      return ` ... [${pluralize(what.count, 'char')} omitted] ... `;
    case 'line':
      return `${marker}\n`;
    case 'silent':
      return '';
    default:
      return marker;
  }
}

/**
 * Puts a notice into a JSON text: as a reserved key of the outermost object or as the first element
 * of the outermost array. The key is one that the text does not hold.
 */
export function embedNotice(body: string, notice: string): string {
  const marker = JSON.stringify(notice.trimEnd());
  const rest = body.slice(1);
  const comma = /^\s*[\]}]/.test(rest) ? '' : ',';
  if (body.startsWith('[')) return `[${marker}${comma}${rest}`;
  if (!body.startsWith('{')) return body;
  let key = '$spillway';
  while (body.includes(`"${key}"`)) key += '_';
  return `{"${key}":${marker}${comma}${rest}`;
}
