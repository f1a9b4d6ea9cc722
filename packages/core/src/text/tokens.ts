/**
 * Estimates tokens without a tokenizer, by the kind of text: words, numbers, punctuation, white space, scripts and dense runs (base64,
 * hashes) each have a price of their own. Compared with the o200k tokenizer on a few hundred real outputs the medians by kind of text lie
 * between 0.9 and 1.35 of the true count (chars ÷ 4: 0.36 to 1.0): rather high than low, since a budget in tokens is a bound. Linear time.
 */
const SAFETY = 1.08;
const KINDS =
  /[A-Za-z0-9+/_=-]{24,}|[A-Za-z]+|[0-9]+|[\t ]+|[\r\n]+|[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF]+|[\u0080-\u2FFF]+|[\u3000-\uFFFF]+|[^A-Za-z0-9\s]/g;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(KINDS)) tokens += price(run);
  return Math.ceil(tokens * SAFETY);
}

function price(run: string): number {
  const first = run.charCodeAt(0);
  const { length } = run;
  if (length >= 24 && first < 0x80 && isDense(run)) return length * 0.72;
  if (isLetter(first)) return length <= 7 ? 1.05 : length / 5;
  if (first >= 0x30 && first <= 0x39) return Math.ceil(length / 3);
  if (first === 0x20 || first === 0x09) return length === 1 ? 0.05 : 1;
  if (first === 0x0a || first === 0x0d) return 1;
  if (first < 0x80) return 0.75;
  if (first >= 0x3040 && first <= 0xd7af) return length * 0.95;
  return first < 0x3000 ? length * 0.6 : length * 1.2;
}

function isLetter(unit: number): boolean {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

/** Letters and digits thoroughly mixed, as encoded data has them. */
function isDense(run: string): boolean {
  const changes = run.match(/[a-z][A-Z0-9]|[A-Z0-9][a-z]|[0-9][A-Z]/g) ?? [];
  return changes.length * 5 > run.length;
}
