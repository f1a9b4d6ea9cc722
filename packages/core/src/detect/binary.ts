/** Bytes that are no text, and text that is bytes in disguise: base64, PEM, data URLs. */
import type { Sample } from './sample.ts';

const MOST_FOREIGN = 0.1;
const LEAST_CHARS = 160;
const PEM = /^-----BEGIN [A-Z0-9 ]{1,60}-----/;
const DATA_URL = /^data:[\w.+/-]{1,80};base64,/;
const BLOB = /^[A-Za-z0-9+/_-]+={0,2}$/;

export function isBinary({ bytes, foreign, zeros }: Sample): boolean {
  if (foreign > bytes.length * MOST_FOREIGN) return true;
  // Zero bytes alone separate names; with other such bytes they are what programs and images have.
  return zeros > bytes.length * 0.01 && foreign - zeros > bytes.length * 0.005;
}

/** Lines of one width out of the base64 alphabet, using much of it. */
export function isEncoded({ text, lines }: Sample): boolean {
  const first = text.trimStart().slice(0, 100);
  if (DATA_URL.test(first) || PEM.test(first)) return true;
  if (text.length < LEAST_CHARS) return false;
  const rows = text.trim().split(/\r?\n/);
  const width = rows[0]?.length ?? 0;
  const isBlock = rows.every(
    (row, i) => BLOB.test(row) && (i === rows.length - 1 ? row.length <= width : row.length === width),
  );
  if (!isBlock || width < 40 || lines.length === 0) return false;
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text) && new Set(text).size >= 30;
}
