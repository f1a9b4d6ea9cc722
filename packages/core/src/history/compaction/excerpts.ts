/** What is worth keeping of what people and models said, taken out word for word: decisions, demands, names of files. Pure and deterministic. */

const SENTENCE = /[^\n.!?]+(?:[.!?](?!\s|$)[^\n.!?]*)*[.!?]*/g;
const DECISION =
  /\b(?:decid\w+|chose|choos\w+|going with|will use|(?:I|we)(?:'ll| will) (?:use|keep|go|switch|replace|write|add|remove)|instead of|settled on|conclu\w+|root cause|turns out|the (?:fix|cause|problem|reason) (?:is|was)|agreed|plan is)\b/i;
const DEMAND =
  /\b(?:must|never|always|only|do not|don't|make sure|required?|important|at most|at least|without|prefer)\b/i;
const PATH =
  /(?:[\w.@~+-]+\/)+[\w.@+-]*\.[A-Za-z]\w{0,7}\b|(?<![\w./-])[\w-]+\.(?:ts|tsx|js|mjs|cjs|jsx|py|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|sh|sql|md|json|ya?ml|toml|xml|html|css|lock|log|txt|csv)\b/g;

/** Sentences that tell what was decided and why. */
export function decisionsIn(text: string, most: number, chars: number): string[] {
  return sentences(text, DECISION, most, chars);
}

/** Sentences that tell what must or must not be. */
export function demandsIn(text: string, most: number, chars: number): string[] {
  return sentences(text, DEMAND, most, chars);
}

/** Names of files, each once, in order. */
export function filesIn(text: string, most: number): string[] {
  const found = new Set<string>();
  for (const [path] of text.matchAll(PATH)) {
    found.add(path);
    if (found.size === most) break;
  }
  return [...found];
}

/** One line, cut at a safe place. */
export function excerpt(text: string, chars: number): string {
  const line = text
    .slice(0, chars * 4)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
  if (line.length <= chars) return line;
  const cut = line.slice(0, chars - 1);
  // Half a character is worse than one less.
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

function sentences(text: string, pattern: RegExp, most: number, chars: number): string[] {
  const found: string[] = [];
  for (const [sentence] of text.slice(0, 100_000).matchAll(SENTENCE)) {
    if (!pattern.test(sentence)) continue;
    const line = excerpt(sentence, chars);
    if (line.length > 8) found.push(line);
    if (found.length === most) break;
  }
  return found;
}
