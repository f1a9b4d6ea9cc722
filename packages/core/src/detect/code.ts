/**
 * Source code or natural language: what people write, as against what programs print. Each line is given to the first of these it looks
 * like — comment, code (with a family), sentence, Markdown — and the shares decide. Code inside a Markdown fence does not count.
 */
import type { Detected } from '../model/content.ts';
import type { Line } from './sample.ts';

interface CodeShape {
  readonly family: string;
  readonly pattern: RegExp;
}

const MODIFIER =
  '(?:export|default|pub(?:\\(crate\\))?|async|static|public|private|protected|declare|abstract|final|override|inline|unsafe|extern|virtual|local)';

/** On trimmed lines; the first that fits names the family. */
const CODE: readonly CodeShape[] = [
  {
    family: 'c-like',
    pattern:
      /^#\s{0,4}(?:include|define|if|ifdef|ifndef|endif|else|elif|pragma|undef|error)\b(?! \w+ \w+ \w+ \w+)/,
  },
  {
    family: 'python-like',
    pattern:
      /^(?:async )?(?:def|class) \w+\s?(?:\(.{0,300})?:?$|^from [\w.]{1,80} import |^import [\w.]{1,80}(?: as \w+)?(?:, [\w.]+)*$/,
  },
  {
    family: 'python-like',
    pattern: /^(?:if|elif|for|while|with|except) [^,]{1,200}:$|^(?:else|try|finally):$|^(?:self|cls)\.\w/,
  },
  {
    family: 'python-like',
    pattern:
      /^(?:raise \w+\(|return(?: [\w.[\]'"({-]+[^.]{0,120})?$|pass$|assert [\w(]|yield |@\w[\w.]{0,80}(?:\(.{0,200})?$)/,
  },
  {
    family: 'ruby-like',
    pattern:
      /^(?:end|ensure|begin)$|^(?:module|class) [A-Z][\w:]{0,80}(?: < [\w:]{1,80})?$|^def [\w.?!=]{1,80}(?:\(.{0,200}\))?$|^require(?:_relative)? ['"]|\bdo(?: \|[^|]{0,80}\|)?$|^(?:local )?function [\w.:]{1,80}\(.{0,120}\)$/,
  },
  {
    family: 'shell',
    pattern:
      /^(?:fi|done|esac|then|do|else|;;)$|^(?:if|elif|while|until) (?:! )?(?:\[{1,2} |test )|; (?:then|do)$|^#!.{0,40}\b(?:ba|z|da|k)?sh\b/,
  },
  {
    family: 'shell',
    pattern:
      /^(?:export )?[A-Za-z_]\w{0,60}=(?:["'$`\w/.-].{0,200})?$|^(?:echo|printf|cd|mkdir|rm|cp|mv|source|set|exec|trap|eval|unset) ["'$/-]/,
  },
  {
    family: 'c-like',
    pattern: new RegExp(
      `^(?:${MODIFIER} ){0,4}(?:function|class|interface|enum|struct|union|typedef|trait|impl|fn|func|namespace|module|package|type|const|let|var|val|def|object|import|export|using|use)\\b.{0,200}(?:[({=;<[]|['"]$)`,
    ),
  },
  {
    family: 'c-like',
    pattern:
      /[;{]$|^[})\]]{1,4}[;,)]{0,3}$|^\} ?(?:else|catch|finally|while|from)\b|[;{}] ?(?:\/\/|\/\*).{0,200}$/,
  },
  {
    family: 'c-like',
    pattern:
      /^(?:if|for|while|switch|catch|foreach|else if) ?\(.{0,300}$|^(?:case .{1,120}|default):$|=> ?[({[]?$/,
  },
  {
    family: 'c-like',
    pattern:
      /^['"]?[\w$-]{1,60}['"]?\??: .{1,240},$|^[\w$.>:-]{1,80}\(.{0,300}\)[,;]?$|^[\w$.[\]'"]{1,80} ?[-+*/|&:?]{0,2}= ?\S.{0,300}$/,
  },
  {
    family: 'c-like',
    pattern:
      /^(?:0x[0-9a-fA-F]+|-?[\d.]+f?|'[^']{1,40}'|"[^"]{1,80}"),(?: ?(?:0x[0-9a-fA-F]+|-?[\d.]+f?|'[^']{1,40}'|"[^"]{1,80}"),?)*$/,
  },
  {
    family: 'lisp-like',
    pattern: /^\(+(?:[a-z*][\w!?*<>=+:/.-]{0,60})(?: .{0,300}|\)*)$|^[^(]{0,200}\){3,}$/,
  },
  {
    family: 'sql',
    pattern:
      /^(?:SELECT|INSERT INTO|CREATE (?:TABLE|INDEX|VIEW)|UPDATE|DELETE FROM|ALTER TABLE|DROP|FROM|WHERE|GROUP BY|ORDER BY|LEFT JOIN)\b/,
  },
  { family: 'markup', pattern: /^<\/?[A-Za-z][\w.:-]{0,60}(?: [^<>]{0,300})?\/?>|^<\?php|^\{[%{#] / },
  {
    family: 'config',
    pattern:
      /^(?:- )?["']?[a-z][\w.$/@-]{0,60}["']?:(?: ["'\w[{|>&*!/.-].{0,120})?$|^\[{1,2}[\w.:"'-]{1,80}\]{1,2}$|^- [\w."'/@:=-]{1,80}$/,
  },
];

const COMMENT =
  /^(?:\/\/|\/\*|\*\/|\*(?: |$)|--(?: |\[\[)|;;|%(?: |%)|<!--|dnl |rem |REM |'{3}|"{3}|r?"""|\.\\")/;
const HASH = /^#/;
const MARKDOWN =
  /^(?:#{1,6} \S|[-*+•] +\S|\d{1,3}[.)] +\S|> |!?\[|\|.{0,300}\|$|[-=*_~^"]{3,}$|:\w+:|\.\. \S)|\]\(|\]\[/;
const FENCE = /^(?:```|~~~)/;
const WORD = /^[("'*_`[“‘«¿¡]{0,3}\p{L}[\p{L}\p{M}'’-]{0,30}[.,;:!?)"'*_`\]”’»…]{0,3}$/u;
const OTHER_SCRIPT = /[\u0370-\u1fff\u2c80-\ud7ff\uf900-\ufdff\ufe70-\ufefc]/g;

export interface Writing {
  readonly lines: number;
  readonly code: number;
  readonly comment: number;
  readonly sentence: number;
  readonly markdown: number;
  readonly hash: number;
  readonly fenced: number;
  readonly family: string;
}

export function writingOf(lines: readonly Line[]): Writing {
  const count = { code: 0, comment: 0, sentence: 0, markdown: 0, hash: 0, fenced: 0, other: 0 };
  const families = new Map<string, number>();
  const state: BlockState = { fence: false, comment: '' };
  for (const line of lines) {
    const text = line.text.trim();
    const role = blockRole(text, state) ?? lineRole(text, families);
    count[role]++;
  }
  const family = [...families].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ['', 0]);
  return { ...count, lines: lines.length, family: family[0] };
}

/** What someone wrote: code, prose, or neither plainly. */
export function writtenKind(writing: Writing): Detected {
  const { lines, code, comment, sentence, markdown, hash, fenced, family } = writing;
  const prose = sentence + markdown + fenced + (code === 0 || fenced > 0 ? hash : 0);
  const source = code + comment + hash;
  const isCode =
    code > 0 &&
    ((code >= prose && code >= lines * 0.3) ||
      (source > prose && source >= lines * 0.6 && code >= lines * 0.04));
  if (isCode && fenced < code) return { kind: 'code', ...(family === '' ? {} : { detail: family }) };
  if (comment >= lines * 0.9 && comment > 3) return { kind: 'code' };
  return { kind: prose >= lines * 0.4 && sentence + markdown + fenced > 0 ? 'prose' : 'text' };
}

interface BlockState {
  fence: boolean;
  /** What ends the comment that is open. */
  comment: string;
}
type Role = 'code' | 'comment' | 'sentence' | 'markdown' | 'hash' | 'fenced' | 'other';

function blockRole(text: string, state: BlockState): Role | undefined {
  if (state.comment !== '') {
    if (text.includes(state.comment)) state.comment = '';
    return 'comment';
  }
  if (FENCE.test(text)) {
    state.fence = !state.fence;
    return 'fenced';
  }
  if (state.fence) return 'fenced';
  const opener = text.startsWith('/*')
    ? '*/'
    : /^[rub]?"""/.test(text)
      ? '"""'
      : text.startsWith('<!--')
        ? '-->'
        : '';
  if (opener === '') return undefined;
  if (!text.slice(3).includes(opener)) state.comment = opener;
  return 'comment';
}

function lineRole(text: string, families: Map<string, number>): Role {
  if (isDense(text)) return 'code';
  const found = CODE.find(({ pattern }) => pattern.test(text));
  if (found !== undefined && !isSentence(text)) {
    families.set(found.family, (families.get(found.family) ?? 0) + 1);
    return 'code';
  }
  if (HASH.test(text)) return 'hash';
  if (COMMENT.test(text)) return MARKDOWN.test(text) ? 'markdown' : 'comment';
  if (MARKDOWN.test(text)) return 'markdown';
  return isSentence(text) ? 'sentence' : 'other';
}

/** Minified code: a long line with much punctuation. */
function isDense(text: string): boolean {
  if (text.length < 200) return false;
  const marks = text.match(/[;{}()=&|!]/g)?.length ?? 0;
  return marks > text.length * 0.1 && !text.startsWith('|');
}

function isSentence(text: string): boolean {
  const other = text.match(OTHER_SCRIPT)?.length ?? 0;
  if (other > 0 && other >= text.length * 0.25) return true;
  const words = text.split(/\s+/);
  if (words.length < 4 || /[;{}]$/.test(text)) return false;
  return words.filter((word) => WORD.test(word)).length >= words.length * 0.75;
}
