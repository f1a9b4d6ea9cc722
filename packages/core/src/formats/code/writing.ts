/**
 * Source code or natural language: what people write, as against what programs print. Each line is
 * given to the first of these it looks like — comment, code (with a family), Markdown, sentence —
 * and the shares decide. Code inside a Markdown fence does not count.
 */
import type { Detected } from '../../model/content.ts';
import type { SampleLine } from '../../model/text-sample.ts';
import { blockReader } from './blocks.ts';
import { CODE, SYMBOLS } from './shapes.ts';

export interface Writing {
  readonly lines: number;
  readonly code: number;
  /** With symbols of code, but no known line of code. */
  readonly symbols: number;
  readonly comment: number;
  readonly sentence: number;
  readonly markdown: number;
  /** `# text`: a comment or a heading. */
  readonly hash: number;
  readonly fenced: number;
  /** Code lines of the family `config`. */
  readonly settings: number;
  readonly family: string;
  /** It begins with `#!`. */
  readonly script: boolean;
}

type Role = 'code' | 'symbols' | 'comment' | 'sentence' | 'markdown' | 'hash' | 'fenced' | 'other';

export function writingOf(lines: readonly SampleLine[]): Writing {
  const count = { code: 0, symbols: 0, comment: 0, sentence: 0, markdown: 0, hash: 0, fenced: 0, other: 0 };
  const families = new Map<string, number>();
  const blockOf = blockReader();
  for (const line of lines) {
    const text = line.text.trim();
    const indent = text.length === line.text.length ? 0 : line.text.length - line.text.trimStart().length;
    const role = blockOf(text, indent) ?? lineRole(text, families);
    count[role]++;
  }
  const family = [...families].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0]);
  return {
    ...count,
    lines: lines.length,
    settings: families.get('config') ?? 0,
    family: family[0],
    script: lines[0]?.text.startsWith('#!') === true,
  };
}

const CODE_SHARE = 0.4;
const COMMENTED_SHARE = 0.6;

/** Settings do not count: logs look like them. */
export function isSource({ lines, code, comment, fenced, settings, script }: Writing): boolean {
  const source = code - settings;
  return (
    script ||
    source + fenced >= lines * CODE_SHARE ||
    (source > 0 && source + comment >= lines * COMMENTED_SHARE)
  );
}

const PROSE_SHARE = 0.25;

export function writtenKind(writing: Writing): Detected {
  const { lines, code, symbols, comment, sentence, markdown, hash, fenced, family, script } = writing;
  const isMarkdown = fenced > 0 || markdown > code;
  const prose = sentence + markdown + fenced + (isMarkdown ? hash : 0);
  const source = code + comment + symbols / 2 + (isMarkdown ? 0 : hash);
  const isMostlyCode = code > prose && code + symbols / 2 >= lines * 0.3;
  const isCommentedCode = code >= lines * 0.04 && source > prose && source >= lines * 0.5;
  if (script || ((isMostlyCode || isCommentedCode) && fenced < code)) {
    return family === '' ? { kind: 'code' } : { kind: 'code', detail: family };
  }
  if (comment > 3 && comment >= lines * 0.9) return { kind: 'code' };
  return { kind: prose >= lines * PROSE_SHARE && prose > code && prose > hash ? 'prose' : 'text' };
}

const COMMENT = /^(?:\/\/|\*\/|\*(?: |$)|--(?: |\[\[|$)|;;|%(?: |%)|dnl |rem |REM |\.\\"|\/\*)/;
const MARKDOWN =
  /^(?:#{2,6} \S|[-*+•] +\S|\d{1,3}[.)] +\S|> |!?\[[^\]]{0,200}\](?:[([]|: [^,;{]{1,300}$|$)|\|.{0,300}\|$|[-=*_~^"]{3,}$|:\w+:|\.\. \S)|\]\(|\]\[/;

function lineRole(text: string, families: Map<string, number>): Role {
  if (isDense(text)) return 'code';
  const shape = CODE.find(({ pattern }) => pattern.test(text));
  if (shape !== undefined && !(shape.worded && isSentence(text))) {
    families.set(shape.family, (families.get(shape.family) ?? 0) + 1);
    return 'code';
  }
  if (MARKDOWN.test(text)) return 'markdown';
  if (text.startsWith('#')) return 'hash';
  if (COMMENT.test(text)) return 'comment';
  if (isSentence(text)) return 'sentence';
  return SYMBOLS.test(text) ? 'symbols' : 'other';
}

const DENSE_CHARS = 200;

/** Minified code: a long line with much punctuation. */
function isDense(text: string): boolean {
  if (text.length < DENSE_CHARS || text.startsWith('|')) return false;
  const marks = text.match(/[;{}()=&|!<>[\]:"']/g)?.length ?? 0;
  return marks > text.length * 0.1 && /[({]/.test(text);
}

const WORD = /^[("'*_`[“‘«¿¡]{0,3}\p{L}[\p{L}\p{M}'’-]{0,30}[.,;:!?)"'*_`\]”’»…]{0,3}$/u;
const OTHER_SCRIPT = /[\u0370-\u1fff\u2c80-\ud7ff\uf900-\ufdff\ufe70-\ufefc]/g;
const WORD_SHARE = 0.75;
const LEAST_WORDS = 4;

function isSentence(text: string): boolean {
  const other = text.match(OTHER_SCRIPT)?.length ?? 0;
  if (other > 0 && other >= text.length * 0.25) return true;
  const words = text.split(/\s+/);
  if (words.length < LEAST_WORDS || /[;{}]$/.test(text)) return false;
  return words.filter((word) => WORD.test(word)).length >= words.length * WORD_SHARE;
}
