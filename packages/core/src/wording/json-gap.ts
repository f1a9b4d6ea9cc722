/**
 * The markers inside JSON, which keep it valid: a string among the items of an array, one reserved
 * key in an object, words inside a string, a line of its own where each line is a value. Read by
 * models, pinned by a test.
 */
import type { OmittedThings } from '../model/selection.ts';
import { pluralize } from '../text/numbers.ts';

export function jsonGap({ unit, count, slot, of, key }: JsonGap): string {
  const about = of === undefined ? '' : `: ${of}`;
  const marker = `"... ${pluralize(count, unit)} omitted${about} ..."`;
  switch (slot) {
    case 'item,':
      return `${marker},`;
    case 'member':
      return `"${key}":"${pluralize(count, unit)}${about}"`;
    case 'member,':
      return `"${key}":"${pluralize(count, unit)}${about}",`;
    case 'string':
      return ` ... [${pluralize(count, 'char')} omitted] ... `;
    case 'line':
      return `${marker}\n`;
    case 'silent':
      return '';
    default:
      return marker;
  }
}

type JsonGap = Pick<OmittedThings, 'unit' | 'count' | 'slot' | 'of' | 'key'>;

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
