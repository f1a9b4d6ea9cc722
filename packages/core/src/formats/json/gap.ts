/**
 * The markers inside JSON, so that it stays JSON: a string among the items of an array, one reserved key in an object, words inside a string,
 * a line of its own where each line is a value. Read by models, pinned by a test.
 */
import type { OmittedThings } from '../../model/selection.ts';
import { counted } from '../../text/numbers.ts';

export function jsonGap(what: Pick<OmittedThings, 'unit' | 'count' | 'slot' | 'of'>): string {
  const said = `"... ${counted(what.count, what.unit)} omitted ..."`;
  switch (what.slot) {
    case 'item,':
      return `${said},`;
    case 'member':
      return `"${what.of}":${said}`;
    case 'member,':
      return `"${what.of}":${said},`;
    case 'string':
      return ` ... [${counted(what.count, 'char')} omitted] ... `;
    case 'line':
      return `${said}\n`;
    case 'silent':
      return '';
    default:
      return said;
  }
}
