/**
 * The words by which failure shows itself, as data: a person can read, extend and test it. A cue
 * has a name, a weight (how surely its line tells why something failed), stems and a pattern; a
 * damper makes a line count less, because it only looks like a failure. Stems are one quick look: a
 * line that holds none of a cue's stems does not match its pattern. Patterns are tried on the first
 * 600 chars of a cleaned line and are linear in practice: no nested repetition over the same
 * characters.
 */
import { compiled } from '../text/compiled.ts';

/** Says whether a line matches: a regular expression, or something of a host. */
export interface Test {
  test(line: string): boolean;
}

export interface Cue {
  readonly name: string;
  /**
   * Every line that the pattern matches holds one of these: lower case, 0 for any digit, LF for the
   * beginning of a line. Without any, the pattern is only tried on lines that are looked at for
   * another reason.
   */
  readonly stems: readonly string[];
  readonly weight: number;
  readonly pattern: Test;
  /** Without a digit, no line matches. */
  readonly needsDigit?: true;
  /** Opens a block that belongs together: a failing test, a summary, a stack. */
  readonly opens?: true;
  /** A step that ended badly: what stands before it matters. */
  readonly ends?: true;
  /** The whole ended well: errors before it did not stop it. */
  readonly passes?: true;
}

export interface Damper {
  readonly name: string;
  /** What is left of the line's own score. */
  readonly factor: number;
  /** What is left of what it takes from its neighbours. */
  readonly contextFactor: number;
  /** Where given, lines that the pattern matches hold one of these. */
  readonly stems?: readonly string[];
  readonly pattern: RegExp;
}

export const CUES: readonly Cue[] = [
  {
    name: 'failed test',
    stems: ['fail', 'error', 'not ok', 'timeout', '[-] ', '✗', '✖', '✘', '✕', '❌'],
    weight: 8,
    opens: true,
    pattern: onlyWith(
      /FAIL|ERROR|TIMEOUT|not ok|\[-\] |[✗✖✘✕❌]/,
      /^\s*\[-\] |^\W{0,6}(?:--- FAIL|FAIL(?:ED|URE)?\b|not ok\b|ERROR\b)|[✗✖✘✕❌]|\*\*\* FAILED|<<< (?:FAIL|ERROR)|(?:[.:\])]\s*|\s)(?:FAILED|FAIL|ERROR)!?\s*(?:\([\d.]+ ?m?s\)|in [\d.][\s\S]*|\[[^\]]{0,200}\])?$|\[\s*(?:FAILED|FAIL|ERROR)\s*\]|(?:^|[\s:|])TIMEOUT(?:$|[\s:|!])|\(FAILED - \d+\)|UNEXPECTED[ -](?:FAIL|ERROR)/,
    ),
  },
  {
    name: 'failure entry',
    stems: [
      '\n0) ',
      '\n00) ',
      '\n000) ',
      ' 0) ',
      ' 00) ',
      ' 000) ',
      '●',
      'stdout -',
      'stderr -',
      '___ ',
      'fail',
      'error: ',
      'caused an error',
      'test case',
      'scenario',
    ],
    weight: 8,
    opens: true,
    pattern:
      /^\s{0,6}\d{1,3}\) \S|^\s*●\s+\S|^-{3,} \S+ (?:stdout|stderr) -{3,}$|^_{3,} \S.* _{3,}$|^\W{0,6}(?:FAIL|ERROR|FAILED|FAILURE): \S|^\s*(?:\[\w+\] )?(?:(?:Testcase|Test|Name|Failure|Scenario|Test Case)\b.*(?:FAILED|Caused an ERROR)|(?:Test [Cc]ase|Failure|Scenario)\b.*:$)/,
  },
  {
    name: 'crash',
    stems: [
      'panicked at',
      'panic:',
      'traceback (most',
      'segmentation fault',
      'sigsegv',
      'sigabrt',
      'core dumped',
      'sanitizer',
      'runtime error:',
      'bug:',
      'oops',
      'kernel panic',
      'unhandled',
      'uncaught',
      'stack overflow',
      'out of memory',
      'access violation',
      'deadlysignal',
      'bus error',
      'illegal instruction',
      'unable to handle',
      'call trace',
      'abort',
      'no space left',
      'cannot allocate',
      'quota exceeded',
      'too many open',
    ],
    weight: 8,
    pattern:
      /panicked at|\bpanic:|Traceback \(most recent|[Ss]egmentation fault|SIGSEGV|SIGABRT|core dumped|Sanitizer:|runtime error:|\bBUG:|\bOops\b|[Kk]ernel panic|[Uu]nhandled|[Uu]ncaught|stack overflow|[Oo]ut of memory|access violation|DEADLYSIGNAL|Bus error|Illegal instruction|Unable to handle|Call [Tt]race|Abort(?:ed)? (?:message|trap)|[Nn]o space left on|[Cc]annot allocate memory|[Qq]uota exceeded|[Tt]oo many open files/,
  },
  {
    name: 'error said',
    // Also in the languages that tools are translated to.
    stems: [
      ...['error', 'fatal', 'failure', 'fehler', 'erreur', 'erro', 'fout:', 'chyba', 'hata:', 'fallo:'],
      ...['Ошибка', 'ОШИБКА', 'ошибка', 'błąd', 'bŁĄd', '错误', '錯誤', 'エラー', '오류'],
    ],
    weight: 7,
    pattern:
      /(?:^|[\s:[(])(?:Fehler|Erreur|Errore|Erro|Fout|Chyba|Hata|Fallo|Ошибка|Błąd|错误|錯誤|エラー|오류)\]?\s?[:：!]|(?:^|[^\w./-])(?<!\w::)(?:fatal error|error|fatal|failure)(?:\[[A-Z]?\d+\])?\)?\s?(?:[:!]|\s[A-Z]{1,4}\d{2,5}\b)|^\s*(?:error|fatal)\b(?![-./=]\w| *$)/i,
  },
  {
    name: 'exception',
    stems: ['error', 'exception', 'failure', 'fault', 'panic', 'interrupt', '** ('],
    weight: 7,
    pattern:
      /\b[A-Z][\w$]{0,200}(?:Error|Exception|Failure|Fault|Panic|Interrupt)\b(?=[:(\]]|\s|$)|\*\* \(\w+/,
  },
  {
    name: 'error tag',
    stems: [
      ...['error', 'err!', 'fatal', 'critical', 'severe', 'emerg', 'e   ', '\n! '],
      ...[
        'level":00',
        'level": 00',
        'level=panic',
        'level=crit',
        'level=alert',
        'level":"panic',
        'level":"crit',
      ],
    ],
    weight: 7,
    pattern:
      /\b(?:[Ll]evel|lvl|severity|levelname)["']?\s?[:=]\s?["']?(?:error|err|ERROR|fatal|FATAL|critical|CRITICAL|crit|alert|emerg\w*|panic|dpanic|severe|SEVERE)\b|"level":\s?[56]0\b|##\[error\]|npm ERR!|^\W{0,3}\[?(?:ERROR|FATAL|CRITICAL|SEVERE|error|fatal)\]|(?:^|[\s|:])(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG)(?=[\s|:]|$)|^E {2,}|^! [A-Z]/,
  },
  {
    name: 'expectation',
    stems: ['expected', 'assert', 'wanted ', 'is not equal', 'was not ', 'did not '],
    weight: 6,
    pattern:
      /[Ee]xpected\b.{1,120}?\b(?:but (?:got|was|found|received|had|instead)|to (?:be|equal|eq|match|have|not|include|contain)|got\b|actual|received)|[Ee]xpected and actual|AssertionError|Assertion (?:failed|with)|[Aa]ssertion [`'"(].{1,200} failed|Failed asserting|assert(?:ion)? failed|wanted .{1,80} (?:but )?got|is not equal to|was not (?:equal|greater|less)|did not (?:equal|match)/,
  },
  {
    name: 'summary of failures',
    stems: ['fail', 'errors', 'in error', 'went wrong', 'test summary', 'there w'],
    weight: 6,
    opens: true,
    pattern:
      /^\W*(?:FAILURES|ERRORS|Failures|Failed [Tt]ests|Failed examples|failures|Summary of all failing tests|Tests in error|What went wrong|short test summary info|Failing tests|First failure)\b[^a-z]*$|[Tt]here (?:was|were) [1-9]\d* (?:failure|error)|short test summary|\bfailing\b\s*$|Failed tests:|^Failed examples/,
  },
  {
    name: 'stack',
    stems: ['stack', 'trace', 'crash', 'faulting', 'exception_', 'signal 0'],
    weight: 6,
    opens: true,
    pattern:
      /\b(?:stack ?-?trace|back ?-?trace|call (?:trace|stack)|STACK_TEXT|stack dump|crash(?:ed)? (?:stack|thread|reason|address|dump)|Faulting|FAULTING_\w+|EXCEPTION_\w+|signal \d+ \(SIG)|^\W*stack:|Thread \d+ .{0,200}[Cc]rashed/i,
  },
  {
    name: 'error code',
    stems: [
      'enoent',
      'eacces',
      'eperm',
      'econn',
      'eaddr',
      'enospc',
      'etimedout',
      'eexist',
      'einval',
      'epipe',
      'emfile',
      'ehostunreach',
      'enotfound',
      'eresolve',
      'eintegrity',
      'eisdir',
      'enotdir',
      'enotempty',
      'ebusy',
      'e000',
      'ora-0000',
      'cs0000',
      'msb0000',
      'nu0000',
      'lnk0000',
      'ts0000',
      'bc0000',
      'al0000',
      'ca0000',
      'http 000',
      'http/0 000',
      'http/0.0 000',
      'status 000',
      'status: 000',
      'status code',
      'statuscode',
      'crashloop',
      'imagepull',
      'errimage',
      'oomkilled',
      'failedscheduling',
      'fullyqualified',
      'categoryinfo',
      '0xc000',
      '" 000 ',
      'status=000',
      'status_code=000',
      '"status":000',
      '"status": 000',
      'conflict (',
      'linker command',
      'symbol(s)',
    ],
    weight: 6,
    pattern:
      /" 5\d\d (?:\d+|-)(?:\s|$)|\bstatus(?:_code)?=5\d\d\b|"status(?:_?[cC]ode)?":\s?5\d\d\b|\bE(?:NOENT|ACCES|PERM|CONN[A-Z]+|ADDR[A-Z]+|NOSPC|TIMEDOUT|EXIST|INVAL|PIPE|MFILE|HOSTUNREACH|NOTFOUND|RESOLVE|INTEGRITY|ISDIR|NOTDIR|NOTEMPTY|BUSY|4\d\d|5\d\d)\b|\bORA-\d{4,}|\b(?:CS|MSB|NU|LNK|TS|BC|AL|CA)\d{4}\b|HTTP(?:\/[\d.]+)? [45]\d\d|[Ss]tatus(?: ?[Cc]ode)?:? [45]\d\d\b|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled|FailedScheduling|FullyQualifiedErrorId|CategoryInfo|0x[cC]000[0-9A-Fa-f]{4}|CONFLICT \(|linker command failed|symbol\(s\) not found/,
  },
  {
    name: 'strong refusal',
    stems: [
      'no space left',
      'permission denied',
      'access denied',
      'not found',
      'undefined reference',
      'cannot ',
      "can't ",
      'can not ',
      'could not ',
      'unresolved',
      'connection re',
      'connection timed',
      'connection error',
      'no such file',
      'unable to ',
      'timed',
      'timeout',
      'time-out',
      'exceeded',
      'problem:',
      'does not ',
      'is not ',
      'failed to',
      'undefined:',
      'killed',
      'unexpected ',
      'is required',
      'no matching',
      'has no member',
      'not satisf',
    ],
    weight: 5,
    pattern:
      /no space left|permission denied|access denied|\bnot found\b|undefined reference|can(?:not|'t| not) (?:find|connect|open|access|load|resolve|execute|create|stat)|could not (?:find|resolve|connect|be|open|load|read|compile|execute|determine|access|create|start|write)|unresolved|connection (?:refused|reset|timed out|error)|no such file|command not found|unable to (?:access|find|resolve|locate|connect|open|load|execute|create)|timed[ -]?out|time-?out (?:exceeded|expired|after|of \d|waiting|reached|occur)|exceeded|^\W*problem:|does not (?:exist|match|contain)|is not (?:defined|a member|a function|found|recognized|installed|allowed)|failed to|undefined:|\bkilled\b|unexpected (?:token|end|character|identifier|symbol|EOF)|is required|no matching|has no member|not satisf/i,
  },
  {
    name: 'bad end',
    stems: [
      'exit',
      'returned ',
      '*** [',
      ': ***',
      'command failed',
      'build fail',
      'failed to execute',
      'errored and',
      'failed with',
      'elifecycle',
      'status=',
      'non-zero',
    ],
    weight: 4,
    ends: true,
    pattern:
      /\bexit(?:ed)?\b[^.\n]{0,24}(?:code|status|with)[ :=]*\(?[1-9-]|returned (?:non-?zero|[1-9]\d* exit|exit (?:code|status))|exit (?:code|status):? *[1-9]|\*\*\* \[.{0,400}\] Error [1-9]|[Cc]ommand failed|BUILD (?:FAILED|FAILURE)|[Bb]uild (?:failed|FAILED)|Failed to execute goal|errored and exited|failed with (?:exit|status|code|return)|ELIFECYCLE|status=[1-9]\d{0,2}\/[A-Z]|Failed with result|non-zero exit|^make(?:\[\d+\])?: \*\*\*/,
  },
  {
    name: 'count of failures',
    stems: [
      '0 error',
      '0 fail',
      '0 test',
      '0 spec',
      '0 example',
      '0 assertion',
      '0) error',
      '0) fail',
      '0) test',
      '0 problem',
      '0 offen',
      '0 broken',
      '0 incorrect',
      'errors=',
      'errors =',
      'errors:',
      'errors :',
      'failures=',
      'failures =',
      'failures:',
      'failures :',
      'failed=',
      'failed =',
      'failed:',
      'failed :',
    ],
    weight: 4,
    pattern:
      /\b[1-9]\d*\)? (?:tests? |specs? |examples? |assertions? )?(?:failed|failures?|errors?|failing|problems?|offen[sc]es?|broken|incorrect)\b|(?:failures|errors|failed)\s?[=:]\s*[1-9]/i,
  },
  {
    name: 'first frames',
    stems: ['#0', '0 0000', '0 pc '],
    weight: 4,
    pattern:
      /^\W{0,4}#[0-3]:?\s+(?!\[|DONE|CACHED|CANCELED|\d+\.\d|(?:building|transferring|resolve|exporting|writing|naming) )\S|^\s*#?0[0-3] +(?:pc )?[0-9a-f`]{6,}/,
  },
  {
    name: 'lint finding',
    stems: ['error', 'warning', '✖'],
    weight: 4,
    pattern: /^\s*\d+:\d+\s+(?:error|warning|✖)|\b\d+:\d+:? (?:error|warning)\b/,
  },
  {
    name: 'comparison',
    stems: [
      'assert',
      'check failed',
      'expected',
      'actual',
      ' got',
      '\ngot',
      'wanted',
      'left:',
      'right:',
      'should ',
      'to equal',
      'was not ',
      'is not equal',
    ],
    weight: 3,
    pattern:
      /\bassert|\bassertion\b|\bCHECK failed|[Cc]heck failed|\bexpected\b|\bactual(?:ly)?\b|(?:^|\s)got\b|\bwanted\b|\bleft:|\bright:|should (?:have|be|equal|contain|not)|to equal\b|was not (?:equal|greater|less|true|false)|is not equal/i,
  },
  {
    name: 'place in a source',
    stems: [],
    needsDigit: true,
    weight: 2.5,
    pattern: /^\W{0,4}(?:[\w@.~+-]*[/\\])*[\w@.~+-]+\.\w{1,8}[:([]\s?\d+(?:[:,]\s?\d+)?[\])]?/,
  },
  {
    name: 'cause',
    stems: ['caused by', 'reason', 'because', 'due to'],
    weight: 3,
    pattern: /\b[Cc]aused by\b|\b[Rr]eason\b|\bbecause\b|\bdue to\b/,
  },
  {
    name: 'weak refusal',
    stems: [
      'not ',
      'no such',
      'cannot',
      "n't",
      'undefined',
      'undeclared',
      'unknown',
      'missing',
      'refused',
      'denied',
      'forbidden',
      'unauthorized',
      'invalid',
      'illegal',
      'unexpected',
      'unsupported',
      'mismatch',
      'conflict',
      'incompatible',
      'corrupt',
      'abort',
      'violat',
      'disallowed',
      'rejected',
      'broken',
      'unreachable',
      'unavailable',
      'unused',
      'disconnected',
      'has no',
      'must be',
      'too ',
      'out of date',
      'redefin',
      'duplicate',
      'improper',
      'vulnerab',
      'denial of',
      'deprecated',
      'bad ',
    ],
    weight: 2.5,
    pattern:
      /\bnot (?:be|exist|allowed|permitted|supported|available|resolved?|match|being)|no such|cannot\b|can't\b|can not\b|could ?n[o']t\b|does ?n[o']t\b|did ?n[o']t\b|is ?n[o']t\b|\bundefined\b|\bundeclared|unknown|\bmissing\b|refused|denied|forbidden|unauthorized|\binvalid\b|\billegal\b|unexpected|unsupported|mismatch|conflict|incompatible|corrupt|abort(?:ed|ing)|violat|disallowed|rejected|\bbroken\b|unreachable|unavailable|\bunused\b|disconnected|has no\b|must be|too (?:many|few|long|large)|out of date|redefin|duplicate|improper|vulnerab|denial of service|deprecated|bad /i,
  },
  { name: 'warning', stems: ['warn'], weight: 2, pattern: /\bwarn(?:ing)?s?\b/i },
  {
    name: 'failure word',
    stems: ['error', 'fail', 'exception', 'fatal', 'panic', 'crash'],
    weight: 2,
    pattern: /error|fail|exception|fatal|panic|crash/i,
  },
  {
    name: 'message field',
    stems: [
      ':"',
      ': "',
      ":'",
      ": '",
      '="',
      "='",
      '= "',
      "= '",
      '<failure',
      '<error',
      '<message',
      '<problem',
      '<description',
      '<longmessage',
      '<shortmessage',
    ],
    weight: 2,
    pattern:
      /["']?\b(?:message|title|description|summary|reason|details?|error|msg|stderr|failure)["']?\s*[:=]\s*["']|<(?:failure|error|message|problem|description|LongMessage|ShortMessage)\b/i,
  },
  {
    name: 'good end',
    stems: [
      'build success',
      'exited with 0',
      'exited with code 0',
      'exit code 0',
      'exit code: 0',
      'exit status 0',
      'exit status: 0',
      'finished: success',
      'build succeeded',
      'tests passed',
      '0 passed',
      'test result: ok',
      ' 0 fail',
      '\n0 fail',
      '\nok (0',
    ],
    weight: 0,
    passes: true,
    pattern:
      /\bBUILD SUCCESS(?:FUL)?\b|\bexited with (?:code )?0\b|\bexit(?:ed)?(?: with)? (?:code|status):? 0\b|^Finished: SUCCESS\b|\bBuild succeeded\b|\b[Aa]ll tests passed\b|^=+ .{0,400}\b\d+ passed\b.{0,400} =+$|^\s*Tests:?\s+\d+ passed\b|^test result: ok\.|^OK \(\d+ tests?|^\s*0 fail(?:ed|ing|ures?)?$/,
  },
  {
    // What was made, or where it is now: `Local: http://…`, `Deployed to https://…`, an address
    // alone. It says nothing of failure; results.ts remembers such lines.
    name: 'result',
    stems: ['://', 'successfully ', 'published ', 'released ', 'deployed ', ' changed, 0'],
    weight: 0,
    pattern:
      /^https?:\/\/\S+$|^\W*(?:Local|Network|URL|Preview|Inspect|Production|Website|Live|Pull request)\b[^\n]{0,30}https?:\/\/|\b(?:listening|running|available|live|deployed|published|serving|served|ready|hosted)\b.{0,60}https?:\/\/|^Successfully (?:built|tagged|published|deployed) \S|^(?:Published|Released|Deployed) \S+ ?@?v?\d|^ \d+ files? changed, \d/i,
  },
  {
    name: 'advisory',
    stems: ['cve-', 'ghsa-', 'cwe-'],
    weight: 2,
    pattern: /\b(?:CVE-\d{4}-\d+|GHSA-\w{4}|CWE-\d+)/,
  },
  {
    name: 'banner',
    stems: ['===', '---', '***', '___', '###', '~~~'],
    weight: 1,
    opens: true,
    pattern: { test: isBanner },
  },
];

/** A pattern that takes long, tried on lines that hold what every match holds. */
function onlyWith(
  needed: RegExp,
  pattern: RegExp,
): Test & { readonly needed: RegExp; readonly pattern: RegExp } {
  return { needed, pattern, test: (line) => needed.test(line) && compiled(pattern).test(line) };
}

/** Words between two rules, or a long rule. */
function isBanner(line: string): boolean {
  const end = line.trimEnd();
  for (let back = 1; back <= 3; back++) if (!'=_*#~-'.includes(end.at(-back) ?? ' ')) return false;
  return /^\W{0,4}[=_*#~-]{3} ?\S/.test(end.slice(0, -3));
}

/** A line of a stack, from its first sign on. */
export const STACK_FRAME =
  /(?:\[\w+\]\s+)?(?:at [\w$.<>[]|#\d+:? |from \S+:\d|File "|\.{3} \d+ more|\S+\.\w+:\d+:in |\([a-z_]+\) \S+:\d+|\d+: +0x|in \S+ )/y;

/** How tools label a warning: by a word of their own, at the place where others say `error`. */
export const WARNING_LABEL =
  /^\W{0,3}(?:W|[Ww]arn(?:ing)?)\b[\]:]|^\s*warning[ [(]|(?:^|[\s|:[(])WARN(?:ING)?(?=[\s|:\])]|$)|: [Ww]arning(?: [A-Z]{1,4}\d{2,5})?\s?:|\d:\d+:?\s+warning\b|##\[warning\]/;
/** Said before that label, it is an error all the same. */
export const ERROR_LABEL = /(?:^|[^\w./-])(?:error|fatal|severe|critical|fail(?:ed|ure)?)\b/i;

export const DAMPERS: readonly Damper[] = [
  {
    name: 'passed or skipped',
    factor: 0.05,
    contextFactor: 0.15,
    stems: ['pass', 'ok', '✓', '✔', '√', '[+] ', '[no test files]', '..', 'skip'],
    pattern:
      /^\s*\[\+\] |^\W{0,6}(?:[✓✔√]|ok\s|PASS(?:ED)?\b|OK\b|Passed!? )|^\?\s+\S+\s+\[no test files\]|\.\.\s*(?:ok|OK|passed|PASSED|yes|no|done)\b|(?:\s|\b)(?:PASSED|PASS|ok|OK):?\s*(?:\([\d.]+ ?m?s\)|\[[ \d%]*\]|in [\d.][\s\S]*)?$|[✓✔√]|\[\s*(?:OK|PASS(?:ED)?)\s*\]|[([][Ss]kipped[)\]]\s*$|\s# SKIP\b/,
  },
  {
    name: 'none of it',
    factor: 0.1,
    contextFactor: 1,
    stems: [
      'fail',
      'errors',
      'problems',
      'offenses',
      '0 error',
      'no error',
      'zero error',
      'without error',
      'any error',
      'test error',
      'tests error',
      'error-free',
      '0 warning',
    ],
    pattern:
      /\b(?:0|no|zero|without(?: any)?) (?:tests? )?(?:errors?|failures?|failed|failing|problems|offenses)\b|(?:failures|errors|failed|fail)["']?\s?[=:]\s*["']?0\b|error-free|^\W*0 warnings?(?:\(s\))?\W*$/i,
  },
  {
    name: 'advice',
    factor: 0.2,
    contextFactor: 0.35,
    stems: [
      'for more ',
      'to see ',
      'rerun ',
      're-run ',
      'see http',
      'see the',
      'see also',
      'please ',
      'run with',
      'try running',
      'try adding',
      'try `',
      'use --',
      'you can',
      'after correcting',
      '[help 0',
      'if you ',
      'get more help',
      'a complete log',
      'hint:',
      'visit ',
    ],
    pattern:
      /^\W*(?:\[\w+\]\s*)?(?:For more (?:information|details)|To see (?:the )?(?:full|more)|Re-?run |See (?:also )?(?:http|the)|please (?:read|see|verify|report)|Run with |Try (?:running|adding|`)|Use --|You can |After correcting|\[Help \d|If you |Get more help|A complete log|> Run with|hint:|Visit )/i,
  },
  {
    name: 'housekeeping',
    factor: 0.3,
    contextFactor: 0.3,
    stems: [
      'get:0',
      'hit:',
      'ign:',
      'download',
      'fetch',
      'unpacking',
      'setting up',
      'selecting',
      'preparing',
      'install',
      'collecting',
      'requirement already',
      'compil',
      'building',
      'copying',
      'extracting',
      'updating',
      'cloning',
      'processing',
      'creat',
      'resolving',
      'using',
      'remote:',
      'adding',
      'inflating',
      'scanning',
      'generating',
      'linking',
      'checking',
      'looking',
      'progress',
      'receiving',
      'running',
      '\ncc',
      '\n cc',
      '\nld',
      '\n ld',
      '\nar',
      '\n ar',
      '\ncxx',
      '\n cxx',
      '0%]',
      '0]',
    ],
    pattern:
      /^\W{0,3}(?:Get:\d|Hit:|Ign:|Download(?:ing|ed)|Fetch(?:ed|ing)|Unpacking|Setting up|Selecting|Preparing|Install(?:ing|ed)|Collecting|Requirement already|Compil(?:ing|ed)|Building|Copying|Extracting|Updating|Cloning|Processing|Created|Creating|Resolving|Using|remote:|adding|inflating|creating|copying|Scanning|Generating|Linking|Checking|checking|Looking|Progress|Receiving|Running)\b|^\s{0,3}(?:CC|LD|AR|CXX)\b|^\s*\[\s*\d+(?:%|\/\d+)\]/,
  },
  {
    name: 'command line',
    factor: 0.3,
    contextFactor: 0.8,
    stems: [
      '\n$ ',
      '\n+',
      '\n> ',
      ' -w',
      ' -d',
      ' -i',
      ' -f',
      ' -m',
      '##[',
      '[command]',
      '||',
      '\nexport',
      '\n export',
      '\nset',
      '\n set',
      '\nif',
      '\n if',
      '\nthen',
      '\n then',
      '\nelse',
      '\n else',
      '\nfi',
      '\n fi',
      '\necho',
      '\n echo',
    ],
    pattern:
      /^(?:\$|\+{1,3}(?! +(?:CategoryInfo|FullyQualifiedErrorId) )|>(?! Task )) |\s-[WDIfm][\w=-].{0,400}\s-[WDIfmcoO]|##\[(?:group|endgroup|command)\]|^\[command\]|^\s*(?:export|set|if|then|else|fi|echo)\b|\|\| ?(?:exit|true|return|echo)/,
  },
  {
    name: 'dump of memory',
    factor: 0.3,
    contextFactor: 0.2,
    pattern:
      /^(?:=>)?\s*(?:0x)?[0-9a-f]{4,16}:?(?: {1,2}|\[| \[)[0-9a-f]{2}(?:[\] [|]+[0-9a-f]{2}){7}|^\s*Shadow byte|^ {2}[A-Z][\w -]+: {0,20}(?:[0-9a-f]{2} ?)+$|^\s*(?:[a-z]{1,3}\d{0,2} +[0-9a-f]{8,16} *){3,}/,
  },
  {
    name: 'bare path',
    factor: 1,
    contextFactor: 0.3,
    stems: ['\n/', '\n /', '\n~/', '\n ~/', '\n./', '\n ./', '\n../', '\n ../', ':\\'],
    pattern: /^\s*(?:\/|~\/|\.\.?\/|[A-Z]:\\)[^\s:()]*$/,
  },
  {
    name: 'milder label',
    factor: 0.7,
    contextFactor: 1,
    stems: ['w:', 'w]', 'warn', 'info', 'debug', 'verbose', 'note'],
    pattern: /^\W{0,3}(?:W|WARN(?:ING)?|warning|Warning|INFO|info|DEBUG|debug|VERBOSE|note|Note)\b[\]:]/,
  },
  {
    name: 'line of a milder level',
    factor: 0.5,
    contextFactor: 1,
    stems: ['info', 'debug', 'trace', 'verbose', 'notice'],
    pattern:
      /^(?:\[[^\]]{1,40}\]\s*){0,2}(?:INFO|DEBUG|TRACE|VERBOSE)\s|(?:^|\s)(?:level|lvl|severity)="?(?:info|debug|trace|notice)\b|"(?:level|severity)":\s?"(?:info|debug|trace|notice)"/i,
  },
  {
    name: 'warning of a compiler',
    factor: 0.5,
    contextFactor: 1,
    stems: ['warning'],
    pattern: /: warning(?: [A-Z]{1,4}\d+)?: |^\s*\d+:\d+\s+warning\b/,
  },
];
