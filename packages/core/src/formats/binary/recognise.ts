/** Recognises binary bytes, and text that encodes bytes: base64, PEM, data URLs. */
import type { Detected } from '../../model/content.ts';
import type { TextSample } from '../../model/text-sample.ts';

const MOST_NON_TEXT = 0.1;
const LEAST_CHARS = 160;
const PEM = /^-----BEGIN [A-Z0-9 ]{1,60}-----/;
const DATA_URL = /^data:[\w.+/-]{1,80};base64,/;
const BLOB = /^[A-Za-z0-9+/_-]+={0,2}$/;

export function isBinary({ bytes, nonText, zeros }: TextSample): boolean {
  if (nonText > bytes.length * MOST_NON_TEXT) return true;
  // Zero bytes alone may separate names; with other control bytes it is a program or an image.
  return zeros > bytes.length * 0.01 && nonText - zeros > bytes.length * 0.005;
}

/** Not UTF-8, but text in another encoding: high bytes and hardly any control characters. */
const OTHER_ENCODING = 'another encoding';
const MOST_CONTROLS = 0.01;

export function isLegible({ detail }: Detected): boolean {
  return detail === 'base64' || detail === OTHER_ENCODING;
}

export function binaryName(bytes: Uint8Array): string {
  const controls = bytes.reduce((sum, byte) => sum + (byte < 7 || (byte > 13 && byte < 27) ? 1 : 0), 0);
  if (controls <= bytes.length * MOST_CONTROLS) return OTHER_ENCODING;
  const begin = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return SIGNATURES.find(([signature]) => begin.startsWith(signature))?.[1] ?? 'binary data';
}

const SIGNATURES: readonly (readonly [signature: string, name: string])[] = [
  ['\x89PNG', 'PNG image'],
  ['\xff\xd8\xff', 'JPEG image'],
  ['GIF8', 'GIF image'],
  ['RIFF', 'RIFF media'],
  ['%PDF-', 'PDF document'],
  ['\x1f\x8b', 'gzip archive'],
  ['PK\x03\x04', 'zip archive'],
  ['BZh', 'bzip2 archive'],
  ['\xfd7zXZ', 'xz archive'],
  ['\x28\xb5\x2f\xfd', 'Zstandard archive'],
  ['7z\xbc\xaf', '7z archive'],
  ['\x7fELF', 'ELF program'],
  ['MZ', 'Windows program'],
  ['\0asm', 'WebAssembly module'],
  ['SQLite format 3', 'SQLite database'],
  ['OggS', 'Ogg media'],
  ['ID3', 'MP3 audio'],
];

/** Lines of one width out of the base64 alphabet, using much of it. */
export function isEncoded({ text, lines }: TextSample): boolean {
  const first = text.trimStart().slice(0, 100);
  if (DATA_URL.test(first) || PEM.test(first)) return true;
  if (text.length < LEAST_CHARS) return false;
  const trimmed = text.trim();
  const width = trimmed.search(/\r?\n|$/);
  // The first line rules out most texts.
  if (!BLOB.test(trimmed.slice(0, width))) return false;
  const rows = trimmed.split(/\r?\n/);
  const isBlock = rows.every(
    (row, i) => BLOB.test(row) && (i === rows.length - 1 ? row.length <= width : row.length === width),
  );
  if (!isBlock || width < 40 || lines.length === 0) return false;
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text) && new Set(text).size >= 30;
}
