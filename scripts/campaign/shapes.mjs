// Texts of every kind that a tool may print, as streams of chunks that follow from a seed.
import { randomOf } from './content.mjs';

const CHUNK_CHARS = 65_536;

/** By kind: the text of one unit, from its number and a source of numbers. */
const UNITS = {
  log: (i, n) =>
    `2026-11-15T10:${i % 60}:00Z ${n(50) === 0 ? 'ERROR' : 'INFO'} worker-${n(20)} request ${n(1e9)} took ${n(1_000)} ms path=/api/items/${n(1e9)}\n`,
  'one line': (_, n) => `word${n(1e9)} `,
  JSON: (i, n) =>
    `${i === 0 ? '[' : ','}{"id":${i},"name":"item ${n(1e9)}","tags":["a","b${n(9)}"],"value":{"x":${n(1e3)},"y":null}}`,
  NDJSON: (i, n) => `{"id":${i},"level":"${n(9) === 0 ? 'error' : 'info'}","msg":"text ${n(1e9)}"}\n`,
  XML: (i, n) => `${i === 0 ? '<root>' : ''}<item id="${i}"><name>n${n(1e9)}</name><v>${n(100)}</v></item>\n`,
  CSV: (i, n) => (i === 0 ? 'id,name,value,when\n' : `${i},name ${n(1e9)},${n(1e3)},2026-11-15\n`),
  'tiny lines': (_, n) => `${n(10)}\n`,
  progress: (_, n) =>
    `\x1b[2K\x1b[1G\x1b[32mDownloading\x1b[0m ${n(100)}% [${'#'.repeat(n(40))}]${n(30) === 0 ? '\n' : '\r'}`,
};
const ENDS = { JSON: ']', XML: '</root>\n' };

export const KINDS = [...Object.keys(UNITS), 'binary'];

/** Chunks of so many bytes, and what closes the document. */
export function* shaped(kind, bytes, seed) {
  const random = randomOf(seed);
  const n = (below) => Math.floor(random() * below);
  let [left, i] = [bytes, 0];
  while (left > 0) {
    const chunk = kind === 'binary' ? noise(random) : Buffer.from(text());
    yield chunk.subarray(0, left);
    left -= chunk.length;
  }
  if (ENDS[kind] !== undefined) yield Buffer.from(ENDS[kind]);

  function text() {
    const units = [];
    for (let chars = 0; chars < CHUNK_CHARS; chars += units.at(-1).length) units.push(UNITS[kind](i++, n));
    return units.join('');
  }
}

function noise(random) {
  const words = new Uint32Array(CHUNK_CHARS / 4);
  for (let i = 0; i < words.length; i++) words[i] = random() * 2 ** 32;
  return Buffer.from(words.buffer);
}
