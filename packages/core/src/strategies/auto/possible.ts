/**
 * What `auto` may still decide while a text streams by: whatever follows, `decide` will choose none
 * of the others. Pure, as `decide` is.
 */
import type { ContentKind } from '../../model/content.ts';
import { type AutoChoice, type AutoEvidence, isPrinted, type SampleKinds } from './decide.ts';

/** What is known of a text so far. */
export interface EvidenceSoFar extends Pick<AutoEvidence, 'isFile' | 'isCommand' | 'isSearch'> {
  readonly kinds: SampleKinds;
  /** Lines so far tell of errors, or surely do. */
  readonly hasErrors: { readonly any: boolean; readonly sure: boolean };
}

/** Whether a strategy other than a format's own may be chosen. */
export function isPossible(choice: Exclude<AutoChoice, 'element'>, evidence: EvidenceSoFar): boolean {
  const { isFile, isCommand, isSearch, kinds, hasErrors } = evidence;
  if (isFile) {
    // A file is a log only if all of it is, and of an unknown kind only if none is known.
    if (choice === 'smart') return every(kinds, isPrinted);
    return choice === 'reading' || every(kinds, (kind) => kind === 'text');
  }
  if (choice === 'plain') return !hasErrors.any;
  // What was written is not read where a program surely tells of errors in it.
  return choice === 'smart' || isSearch || !isCommand || !hasErrors.sure;
}

function every(kinds: SampleKinds, isOne: (kind: ContentKind) => boolean): boolean {
  for (let i = 0; i < kinds.length; i++) if (!isOne(kinds.at(i) ?? 'text')) return false;
  return true;
}
