/**
 * What is worth keeping of what people and models said, taken out word for word: decisions,
 * demands, names of files. Pure and deterministic.
 */

const SENTENCE = /[^\n.!?]+(?:[.!?](?!\s|$)[^\n.!?]*)*[.!?]*/g;
const DECISION =
  /\b(?:decid\w+|decision|chose|choos\w+|going with|will use|(?:I|we)(?:'ll|’ll| will) (?:use|keep|go|switch|replace|write|add|remove|leave|skip)|(?:won't|won’t|will not|not going to|shall not|must not|cannot|ruled out|reject\w*)|instead of|settled on|conclu\w+|root cause|turns out|the (?:fix|cause|problem|reason) (?:is|was)|agreed|plan is|confirmed|assum(?:e|ing|ption)\w*|(?:keep|kept|leave|left|keeping|leaving) \S+ as)\b/i;
/** What is left to do: a sentence, or a heading with the list below it. */
const REMAINING =
  /\b(?:remaining|left to do|still (?:to do|open|missing|need\w*)|to-?do|next steps?|outstanding|open (?:points|items|questions|issues)|not (?:yet )?done|blocked (?:on|by))\b/i;
const LIST_ITEM = /^\s*(?:[-*•]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s+\S/i;
const DEMAND =
  /\b(?:must|never|always|only|do not|don't|don’t|make sure|required?|important|at most|at least|without|prefer)\b/i;
const SMALL_TALK =
  /^\W*(?:ok(?:ay)?|yes|yep|no|go (?:on|ahead)|continue|next|proceed|thanks?(?: you)?|great|good|fine|nice|perfect|well|and|so|done|hi|hello|please)\b[^\d:="'`/]*$/i;
const SMALL_TALK_CHARS = 40;
const PATH =
  /(?<![\w.@~+/-])\/*((?:[\w.@~+-]+\/)+[\w.@+-]*\.[A-Za-z]\w{0,7}\b)|(?<![\w./-])[\w-]+\.(?:ts|tsx|js|mjs|cjs|jsx|py|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|sh|sql|md|json|ya?ml|toml|xml|html|css|lock|log|txt|csv)\b/g;
/** Longer texts are not searched to their end. */
const MOST_SEARCHED = 100_000;

/** Sentences that tell what was decided and why, and lists of what is left to do. */
export function decisionsIn(text: string, most: number, chars: number): string[] {
  const { lists, rest } = remainingIn(text.slice(0, MOST_SEARCHED), chars);
  const reported = sentences(
    rest,
    (sentence) => DECISION.test(sentence) || REMAINING.test(sentence),
    most,
    chars,
  );
  return [...lists, ...reported].slice(0, most);
}

/** Sentences that tell what must or must not be. */
export function demandsIn(text: string, most: number, chars: number): string[] {
  return sentences(text, (sentence) => DEMAND.test(sentence), most, chars);
}

/** Whether a message only keeps the conversation going. */
export function isSmallTalk(text: string): boolean {
  return text.length <= SMALL_TALK_CHARS && SMALL_TALK.test(text);
}

/** Names of files, each once, in order. */
export function filesIn(text: string, most: number): string[] {
  const found = new Set<string>();
  for (const [word, path = word] of text.matchAll(PATH)) {
    found.add(path);
    if (found.size === most) break;
  }
  return [...found];
}

/** One line, cut at a safe place. */
export function excerpt(text: string, chars: number): string {
  const line = oneLine(text.slice(0, chars * 4));
  if (line.length <= chars) return line;
  return `${wholeCharacters(line.slice(0, chars - 1))}…`;
}

/** One line of both ends of a text: a question stands before or behind what was pasted. */
export function bothEnds(text: string, chars: number): string {
  const end = Math.floor(chars / 3);
  if (oneLine(text.slice(0, chars * 4)).length <= chars) return excerpt(text, chars);
  const tail = oneLine(text.slice(-end * 4));
  return `${excerpt(text, chars - end)} ${wholeCharacters(tail.slice(-end))}`;
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
}

function wholeCharacters(text: string): string {
  if (text.isWellFormed()) return text;
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '').toWellFormed();
}

/** Headings such as `Remaining:` with their lists as one line each, and the rest of the text. */
function remainingIn(text: string, chars: number): { readonly lists: string[]; readonly rest: string } {
  const lists: string[] = [];
  const rest: string[] = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    let end = i + 1;
    const isHeading = REMAINING.test(line) && !/[.!?]\s*$/.test(line);
    if (isHeading) while (end < lines.length && LIST_ITEM.test(lines[end] ?? '')) end++;
    if (end === i + 1) {
      rest.push(line);
      continue;
    }
    lists.push(excerpt(lines.slice(i, end).join(' '), chars));
    i = end - 1;
  }
  return { lists, rest: rest.join('\n') };
}

function sentences(
  text: string,
  isInformative: (sentence: string) => boolean,
  most: number,
  chars: number,
): string[] {
  const found: string[] = [];
  for (const [sentence] of text.slice(0, MOST_SEARCHED).matchAll(SENTENCE)) {
    if (!isInformative(sentence)) continue;
    const line = excerpt(sentence, chars);
    if (line.length > 8) found.push(line);
    if (found.length === most) break;
  }
  return found;
}
