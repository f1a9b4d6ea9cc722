// Texts to measure with: made here from a seed, the same in every run.

const SERVICES = ['api', 'worker', 'scheduler', 'billing', 'search', 'mailer', 'gateway'];
const LEVELS = ['INFO', 'INFO', 'INFO', 'INFO', 'INFO', 'DEBUG', 'DEBUG', 'WARN', 'ERROR'];
const WORDS =
  'request finished order cache miss retry queue flush index user session token payload timeout upstream connection closed opened batch page'.split(
    ' ',
  );
const ASTRAL = ['😀', '🚀', '𝛑', '🧪', '𠮷'];

/** Numbers in 0 … 1 (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Lines as a server writes them: ASCII, 60 to 140 chars each. */
export function logLines(chars, seed = 1) {
  const random = randomFrom(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const lines = [];
  let length = 0;
  for (let number = 1; length < chars; number++) {
    const words = Array.from({ length: 4 + Math.floor(random() * 8) }, () => pick(WORDS)).join(' ');
    const time = new Date(1_700_000_000_000 + number * 37).toISOString();
    const line = `${time} ${pick(LEVELS).padEnd(5)} [${pick(SERVICES)}-${number % 17}] ${words} id=${Math.floor(random() * 1e9)}`;
    lines.push(line);
    length += line.length + 1;
  }
  return flat(`${lines.join('\n')}\n`.slice(0, chars));
}

/** The same without a word that may speak of failure. */
export function quietLines(chars, seed = 1) {
  return flat(logLines(chars, seed).replaceAll(/ERROR|WARN |timeout|connection/g, 'INFO '));
}

/** Short lines, each with a word that may speak of failure. */
export function shortLines(chars) {
  const lines = [];
  for (let i = 0, length = 0; length < chars; i++) {
    lines.push(`a line of an output that does not fit ${i}`);
    length += lines[i].length + 1;
  }
  return flat(`${lines.join('\n')}\n`.slice(0, chars));
}

/** One line of JSON-like text without a line end, with characters of two UTF-16 units in it. */
export function giantLine(chars, seed = 2) {
  const random = randomFrom(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const items = [];
  let length = 1;
  while (length < chars) {
    const item = `{"id":${Math.floor(random() * 1e9)},"note":"${pick(WORDS)} ${pick(ASTRAL)}${pick(ASTRAL)} ${pick(WORDS)}"}`;
    items.push(item);
    length += item.length + 1;
  }
  return flat(`[${items.join(',')}]`.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '!'));
}

/** Results that differ from each other, so that nobody can store one for another. */
export function distinctResults(count, chars, seed = 3) {
  const body = logLines(chars, seed);
  return Array.from({ length: count }, (_, i) => {
    const title = `result ${seed}-${i} of ${count}\n`;
    return flat(title + body.slice(title.length));
  });
}

let pool;

/**
 * A stream of log lines, one fresh chunk of 64 KB after another, as a pipe gives them; each in a
 * turn of the event loop of its own.
 */
export async function* logStream(bytes) {
  pool ??= Buffer.from(logLines(512 * 1024, 4));
  const size = 64 * 1024;
  for (let given = 0; given < bytes; given += size) {
    const from = given % (pool.length - size);
    await new Promise(setImmediate);
    yield Buffer.from(pool.subarray(from, from + Math.min(size, bytes - given)));
  }
}

/** The same text as one run of memory: what join and + make is a tree until somebody reads it. */
function flat(text) {
  return Buffer.from(text).toString();
}
