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
