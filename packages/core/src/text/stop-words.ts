/**
 * Words that say nothing about the place they stand in: of English, and of programming languages.
 * Known by their hash.
 */

const WORDS = `
  about above after again against almost along already also although always another anything around
  because become before being below between cannot could different doesn during either enough every
  everything first following found given having however instead itself least might never nothing often
  other others perhaps please rather really return returns second several should since something still
  their them there therefore these thing things third those though through together under until using
  usually where whether which while whose within without would yourself
  abstract assert async await begin boolean break catch class const continue debugger declare default
  defer delete double elif elsif export extends false final finally float foreach from function global
  implements import include inline input instanceof integer interface internal lambda length local
  module namespace native object operator output override package pass print private protected public
  raise readonly require rescue self short signed sizeof static string struct super switch template this
  throw throws transient trait true type typedef typeof undefined union unless unsigned using value values
  virtual void volatile when with write yield
`;

const hashes = new Set<number>();

/** Whether a word with this hash says nothing of its place. */
export function isStopWord(hash: number): boolean {
  if (hashes.size === 0) fill();
  return hashes.has(hash);
}

/** FNV-1a of `bytes[from … to]`. */
export function fnv(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash;
}

/** The same of the text in lower case, as far as it is ASCII. */
export function fnvLower(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    hash = Math.imul(hash ^ (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte), 0x01000193);
  }
  return hash;
}

function fill(): void {
  for (const word of WORDS.trim().split(/\s+/)) {
    const capital = word[0]?.toUpperCase() + word.slice(1);
    for (const spelling of [word, capital]) hashes.add(fnv(Buffer.from(spelling), 0, spelling.length));
  }
}
