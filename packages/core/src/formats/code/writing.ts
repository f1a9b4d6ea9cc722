/**
 * Source code or natural language: what people write, as against what programs print. Each line is
 * given to the first of these it looks like — comment, code (with a family), Markdown, sentence —
 * and the shares decide. Code inside a Markdown fence does not count.
 */
import type { Detected } from '../../model/content.ts';
import type { SampleLine } from '../../model/text-sample.ts';
import { compiled } from '../../text/compiled.ts';

/**
 * Lines by what they look like. `symbols`: with symbols of code, but no known line of code. `hash`:
 * `# text`, a comment or a heading. `settings`: code lines of the family `config`. `script`: it
 * begins with `#!`.
 */
type Writing = ReturnType<typeof writingOf>;

type Role = 'code' | 'symbols' | 'comment' | 'sentence' | 'markdown' | 'hash' | 'fenced' | 'other';

export function writingOf(lines: readonly SampleLine[]) {
  const count = { code: 0, symbols: 0, comment: 0, sentence: 0, markdown: 0, hash: 0, fenced: 0, other: 0 };
  const families = new Map<string, number>();
  const blockOf = blockReader();
  for (const { pattern } of CODE) compiled(pattern);
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

/**
 * Lines of source code, as data: tried in order on trimmed lines, the first that fits names the
 * family. `worded`: some sentences look so too; a line that reads as a sentence is not code then.
 * Anchored and linear like the shapes of printed lines.
 */
interface CodeShape {
  readonly family: string;
  readonly pattern: RegExp;
  readonly worded?: true;
}

const MODIFIER =
  '(?:export|default|pub(?:\\(crate\\))?|async|static|public|private|protected|declare|abstract|final|override|inline|unsafe|extern|virtual|local)';
const KEYWORD =
  '(?:function|class|interface|enum|struct|union|typedef|trait|impl|fn|func|namespace|module|package|type|const|let|var|val|def|object|import|export|using|use)';
const SCALAR = `(?:0x[0-9a-fA-F]+|-?[\\d.]+f?|'[^']{1,40}'|"[^"]{1,80}")`;

export const CODE: readonly CodeShape[] = [
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
    worded: true,
  },
  {
    family: 'python-like',
    pattern:
      /^(?:raise \w+\(|return(?: [\w.[\]'"({-]+[^.]{0,120})?$|pass$|assert [\w(]|yield |@\w[\w.]{0,80}(?:\(.{0,200})?$)/,
    worded: true,
  },
  {
    family: 'ruby-like',
    pattern:
      /^(?:end(?: \w+){0,2}|END(?: \w+){0,2}|ensure|begin)$|^(?:module|class) [A-Z][\w:]{0,80}(?: < [\w:]{1,80})?$|^def [\w.?!=]{1,80}(?:\(.{0,200}\))?$/,
  },
  {
    family: 'ruby-like',
    pattern:
      /^require(?:_relative)? ['"]|\bdo(?: \|[^|]{0,80}\|)?$|^(?:local )?function [\w.:]{1,80}\(.{0,120}\)$/,
    worded: true,
  },
  {
    family: 'shell',
    pattern:
      /^(?:fi|done|esac|then|do|else|;;)$|^(?:if|elif|while|until) (?:! )?(?:\[{1,2} |test )|; (?:then|do)$|^#!.{0,40}\b(?:ba|z|da|k)?sh\b/,
  },
  {
    family: 'shell',
    pattern:
      /^(?:export )?[A-Za-z_]\w{0,60}=(?:["'$`\w/.-].{0,200})?$|^(?:echo|printf|cd|mkdir|rm|cp|mv|source|exec|trap|eval|unset) ["'$/-]|^set [\w:-]{1,60}(?: ["$[{\w*-]|$)/,
    worded: true,
  },
  {
    family: 'c-like',
    pattern: /^(?:import|export) .{0,300}(?: from |require\()|^(?:import|export|use) ['"@{*]/,
  },
  {
    family: 'c-like',
    pattern: new RegExp(`^(?:${MODIFIER} ){0,4}${KEYWORD}\\b.{0,200}(?:[({=;<[]|['"]$)`),
    worded: true,
  },
  {
    family: 'c-like',
    pattern: /[;{\\]$|^[})\]]{1,4}[;,)]{0,3}$|^\} ?(?:else|catch|finally|while|from)\b|[;{}] ?\/[/*]/,
  },
  {
    family: 'c-like',
    pattern:
      /^(?:if|for|while|switch|catch|foreach|else if) ?\(.{0,300}$|^(?:case .{1,120}|default):$|=> ?[({[]?$/,
  },
  {
    family: 'c-like',
    pattern:
      /^(?:['"]?[\w$.-]{1,60}['"]?|\[[^\]]{1,80}\])\??: .{1,240},$|^[\w$.>:-]{1,80}\(.{0,300}\)[,;]?$|^[\w$@.[\]'"]{1,80} ?[-+*/|&:?]{0,2}=(?!=) ?\S.{0,300}$|^[\w$]{1,80},$/,
  },
  { family: 'c-like', pattern: new RegExp(`^${SCALAR},(?: ?${SCALAR},)*$`) },
  {
    family: 'lisp-like',
    pattern:
      /^\(+(?:def\w*|let\*?|if|cond|setq|require|use|ns|lambda|progn|when|unless|interactive|provide|loop|fn)(?: |\)|$)|^\([a-z*][\w!?*<>=+:/.-]{0,60} [^()]{0,200}\(|\)\)\)$/,
  },
  {
    family: 'sql',
    pattern:
      /^(?:SELECT|INSERT INTO|CREATE (?:OR REPLACE )?(?:TABLE|INDEX|VIEW|FUNCTION|TYPE)|UPDATE|DELETE FROM|ALTER \w+|DROP|FROM|WHERE|GROUP BY|ORDER BY|LEFT JOIN|LANGUAGE)\b/,
  },
  { family: 'markup', pattern: /^<\/?[A-Za-z][\w.:-]{0,60}(?: [^<>]{0,300})?\/?>|^<\?php|^\{[%{#] / },
  { family: 'config', pattern: /^(?:- )?["']?[a-z][\w.-]{0,60}["']?:(?: [#["'{|>&*!].{0,200})?$/ },
  {
    family: 'config',
    pattern:
      /^(?:- )?["']?[a-z][\w.$/@-]{0,60}["']?:(?: ["'\w[{|>&*!/.#-].{0,120})?$|^\[{1,2}[\w.:"'-]{1,80}\]{1,2}$|^- [\w."'/@:=-]{1,80}$/,
    worded: true,
  },
];

/** Parts of lines that code has and sentences do not: calls, indexes, operators, generics. */
export const SYMBOLS = /\w\(|\w\[\w|::\w|->|&&|\|\||[!=<>]=|\w<\w|\w\*(?:,| \w)|\$\w|\w_\w/;

/** Blocks over several lines: comments, Markdown fences, literal blocks below `::`, Perl's manuals. */
const FENCE = /^(?:```|~~~)/;
const LITERAL = /(?:^|[\s\w.)])::$/;
const POD = /^=(?:head\d|pod|over|item|begin|for|encoding)\b/;

/** Whether each line lies in such a block. `indent`: blanks before the trimmed text. */
function blockReader(): (text: string, indent: number) => 'comment' | 'fenced' | undefined {
  /** Empty if none is open. */
  let fence = '';
  let comment = '';
  /** Indent of a literal block; 0 if none is open. */
  let literal = 0;
  return (text, indent) => {
    if (comment !== '') {
      if (text.includes(comment)) comment = '';
      return 'comment';
    }
    const mark = '`~'.includes(text[0] ?? ' ') ? FENCE.exec(text)?.[0] : undefined;
    if (mark !== undefined && (fence === '' || fence === mark)) fence = fence === '' ? mark : '';
    if (mark !== undefined || fence !== '') return 'fenced';
    if (literal > 0 && indent >= literal) return 'fenced';
    literal = text.endsWith('::') && LITERAL.test(text) ? indent + 1 : 0;
    const [closer, own] = opened(text);
    comment = closer;
    return own ? 'comment' : undefined;
  };
}

/** What ends the comment opened here (empty if it is closed), and whether the line is comment. */
function opened(text: string): readonly [string, boolean] {
  if (text.startsWith('/*')) return [text.includes('*/', 2) ? '' : '*/', !/\*\/ *\S/.test(text)];
  if (text.startsWith('<!--')) return [text.includes('-->', 4) ? '' : '-->', true];
  if (text.startsWith('=') && POD.test(text)) return ['=cut', true];
  const marks = text.includes('"""') ? '"""' : text.includes("'''") ? "'''" : '';
  if (marks === '') return ['', false];
  return [text.split(marks).length % 2 === 0 ? marks : '', /^\w?["']{3}/.test(text)];
}
