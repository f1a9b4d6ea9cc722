/**
 * Entities that a document type declares mean something only where it is shown. Where there is no
 * room for it, what refers to them is left out: a reference to an entity that nobody declared would
 * not be well-formed.
 */
import type { Child, Frame } from './frame.ts';
import { referenceEnd } from './tags.ts';

const PREDEFINED = new Set(['&amp;', '&lt;', '&gt;', '&quot;', '&apos;']);
const AMPERSAND = 0x26;

/** The document type, if it may declare entities. */
export function declaration(top: Frame): Child | undefined {
  const doctype = top.head.find((child) => 'is' in child && child.is === 'doctype');
  if (doctype?.kind !== 'raw') return doctype;
  const text = Buffer.from(doctype.source.bytes).toString('latin1');
  return text.includes('<!ENTITY') || text.includes('%') || /SYSTEM|PUBLIC/.test(text) ? doctype : undefined;
}

export function allowsAll(): boolean {
  return true;
}

/** Whether all references are to what every reader of XML knows. */
export function allowsPredefined(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) {
    const end = referenceEnd(bytes, at, bytes.length);
    if (end < 0 || bytes[at + 1] === 0x23) continue;
    if (!PREDEFINED.has(Buffer.from(bytes.subarray(at, end)).toString('latin1'))) return false;
  }
  return true;
}
