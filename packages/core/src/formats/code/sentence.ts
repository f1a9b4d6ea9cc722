/** Whether a trimmed line reads as natural language: most of its words are words of a language. */

const WORD = /^[("'*_`[“‘«¿¡]{0,3}\p{L}[\p{L}\p{M}'’-]{0,30}[.,;:!?)"'*_`\]”’»…]{0,3}$/u;
const OTHER_SCRIPT = /[\u0370-\u1fff\u2c80-\ud7ff\uf900-\ufdff\ufe70-\ufefc]/g;
const WORD_SHARE = 0.75;
const LEAST_WORDS = 4;

export function isSentence(text: string): boolean {
  const other = text.match(OTHER_SCRIPT)?.length ?? 0;
  if (other > 0 && other >= text.length * 0.25) return true;
  const words = text.split(/\s+/);
  if (words.length < LEAST_WORDS || /[;{}]$/.test(text)) return false;
  return words.filter((word) => WORD.test(word)).length >= words.length * WORD_SHARE;
}
