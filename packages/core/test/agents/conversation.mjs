// What long conversations have in common: a plan of many turns with outputs that are far too long,
// facts that are planted in what users and the assistant say, and the figures that are kept of
// every request. Everything follows from the seed.
import { createHash } from 'node:crypto';

const TOOLS = ['build', 'search', 'query'];

/** Small talk without any word that a summary looks for. */
const USER_WORDS = [
  'Have a look at the next part.',
  'What about the other module?',
  'Fine, the next one.',
  'Show me where it stands.',
];

/**
 * The plan of a conversation: for each turn what the user says, which calls are made and what comes
 * back, and what is answered.
 */
export function conversation({ turns, facts, chars }) {
  return Array.from({ length: turns }, (_, turn) => {
    const planted = (who) => {
      const number = who === 'user' ? turn * 2 : turn * 2 + 1;
      return number < facts ? ` By the way, ${factOf(number)}` : '';
    };
    const calls = Array.from({ length: 1 + (turn % 3) }, (_, i) => ({
      callId: `toolu_${turn}_${i}`,
      tool: TOOLS[(turn + i) % TOOLS.length],
      input: { turn, target: `part-${turn}-${i}` },
      output: outputOf(turn, i, chars),
    }));
    return {
      user: `${USER_WORDS[turn % USER_WORDS.length]}${planted('user')}`,
      thought: `Looking at part ${turn}.`,
      calls,
      answer: `Part ${turn} is as it was.${planted('assistant')}`,
    };
  });
}

/** A fact that can be told from every other, and in no words that stand out. */
export function factOf(number) {
  const code = createHash('sha256').update(`fact ${number}`).digest('hex').slice(0, 10);
  return `locker ${number} opens with ${code}.`;
}

function outputOf(turn, call, chars) {
  const length = 200 + ((turn * 7_919 + call * 104_729) % chars);
  if ((turn + call) % 5 === 4) return oneLine(turn, call, length);
  let text = '';
  for (let i = 0; text.length < length; i++)
    text += `${turn}.${call}.${i} ${i % 97 === 96 ? 'ERROR: step failed' : 'step done'} ünï ${(i * 31) % 1_000}\n`;
  return text;
}

function oneLine(turn, call, length) {
  const rows = [];
  for (let size = 0; size < length; size += 40)
    rows.push({ id: rows.length, of: `${turn}.${call}`, ok: true });
  return JSON.stringify({ rows });
}

/** What is kept of every request that an agent sends. */
export class Figures {
  requests = 0;
  /** The fullest request, as a share of its window. */
  fullest = 0;
  /** Requests that do not begin with the one before, although nothing was compacted. */
  changed = 0;
  #before = [];

  /** `written`: the messages as the framework has them. */
  add({ numbers, compactions }, written) {
    this.requests++;
    this.fullest = Math.max(this.fullest, numbers.tokens / numbers.window);
    const now = written.map((message) => JSON.stringify(message));
    const isRepeated = this.#before.every((message, i) => message === now[i]);
    if (compactions === 0 && !isRepeated) this.changed++;
    this.#before = now;
  }
}

/**
 * What an agent finds that reads a request and follows every handle in it, and in what it fetches.
 */
export async function reachable(spillway, scope, text) {
  const seen = new Set();
  const texts = [text];
  for (let i = 0; i < texts.length; i++)
    for (const id of texts[i].match(/art_\d+_[0-9a-z]+/g) ?? []) {
      if (seen.has(id)) continue;
      seen.add(id);
      for (let args = { artifact_id: id }; args !== null; ) {
        const page = await spillway.retrieve(args, scope).catch(() => null);
        texts.push(page?.body ?? '');
        args = page?.nextCursor == null ? null : { artifact_id: id, cursor: page.nextCursor };
      }
    }
  return texts.join('\n');
}

/** How many of the planted facts are in a text. */
export function factsIn(text, facts) {
  return Array.from({ length: facts }, (_, i) => factOf(i)).filter((fact) => text.includes(fact)).length;
}

/** How many outputs come back byte for byte; `recorded` holds texts by handle. */
export async function exactOf(spillway, scope, recorded) {
  let exact = 0;
  for (const [id, text] of recorded) {
    const chunks = [];
    for await (const chunk of await spillway.readRaw({ artifact_id: id }, scope)) chunks.push(chunk);
    if (Buffer.concat(chunks).equals(Buffer.from(text))) exact++;
  }
  return exact;
}

/** Hands the figures, and what was sent, to the test that started this agent. */
export function tell(figures) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
