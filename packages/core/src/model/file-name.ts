/**
 * The only way in which an id, a word or a number that was stored, imported or sent by a peer
 * becomes the name of a file. A `FileName` has no separator, is not `.` or `..`, and does not begin
 * with a dot, so that joining it to a folder stays in that folder. Whoever builds a path from
 * stored data takes a `FileName`; plain text does not compile.
 */
import { type ArtifactId, parseArtifactId } from './artifact.ts';

declare const named: unique symbol;

/** A file name that cannot leave the folder that it is joined to. */
export type FileName = string & { readonly [named]: true };

const WORD_CHARS = 60;

/** The name of a file of an output. What does not look like an id is refused. */
export function fileNameOfId(id: ArtifactId): FileName {
  return parseArtifactId(id) as string as FileName;
}

/** A word of letters, digits, `.`, `_` and `-`, safe everywhere; `_` if nothing is left. */
export function fileWord(text: string, maxChars = WORD_CHARS): FileName {
  const word = String(text)
    .slice(0, maxChars * 4)
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, maxChars);
  return (word === '' ? '_' : word) as FileName;
}

/**
 * Several words as one name: `fileName`${tool}-${call}.txt``. Only words of ours, whole numbers and
 * constant text go in.
 */
export function fileName(constant: TemplateStringsArray, ...words: readonly (FileName | number)[]): FileName {
  // Checked again: stored data may not have the type that is declared for it.
  const safe = words.map((word) => (typeof word === 'number' ? wholeNumber(word) : fileWord(word)));
  return constant.reduce((name, text, i) => `${name}${text}${safe[i] ?? ''}`, '') as FileName;
}

function wholeNumber(value: number): string {
  return Number.isSafeInteger(value) ? `${value}` : '_';
}
