// What the campaign writes: text that follows from a seed, a name and a place, so that any process
// can check any range of it without holding it. Lines are 64 bytes long, numbered from 1, and no
// two names have a line in common.
const LINE_BYTES = 64;

/** A stream of numbers in [0, 1) that follows from a seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function between(random, least, most) {
  return least + Math.floor(random() * (most - least + 1));
}

/** The bytes [start, end) of the text called `name`; `ending` takes the place of every line end. */
export function textRange(name, start, end, ending = '\n') {
  const first = Math.floor(start / LINE_BYTES);
  const last = Math.ceil(end / LINE_BYTES);
  const bytes = Buffer.allocUnsafe((last - first) * LINE_BYTES);
  for (let i = first; i < last; i++)
    bytes.latin1Write(lineOf(name, i + 1) + ending, (i - first) * LINE_BYTES);
  return bytes.subarray(start - first * LINE_BYTES, end - first * LINE_BYTES);
}

export function lineOf(name, number) {
  const head = `${number} ${name} `;
  return (head + FILLING.slice(number % 7)).slice(0, LINE_BYTES - 1);
}

const FILLING = 'the quick brown fox jumps over the lazy dog and goes on and on and on';

/** Chunks of a text of so many bytes. */
export function* chunks(name, bytes, { chunkBytes = 1 << 18, ending = '\n' } = {}) {
  for (let at = 0; at < bytes; at += chunkBytes)
    yield textRange(name, at, Math.min(bytes, at + chunkBytes), ending);
}

/** The same as an array of strings, one a line; of exactly as many bytes. */
export function* jsonChunks(name, bytes, chunkLines = 4_096) {
  const lines = bytes / LINE_BYTES;
  for (let first = 1; first <= lines; first += chunkLines) {
    const count = Math.min(chunkLines, lines - first + 1);
    yield Array.from({ length: count }, (_, i) => jsonLine(name, first + i, lines)).join('');
  }
}

function jsonLine(name, number, lines) {
  const opening = number === 1 ? '["' : '"';
  const closing = number === lines ? '"]\n' : '",\n';
  return `${opening}${lineOf(name, number).slice(0, LINE_BYTES - opening.length - closing.length)}${closing}`;
}
