/**
 * Lines that surely speak of a failure by their form, whatever text they stand in: a label in a
 * place of its own, `program: thing: message`, a traceback, a status that says so. In a table, a
 * listing, prose or source code only such lines count; a line that merely contains the word
 * (`error_handler.ts`, `status=200`, `throw new Error(…)`) does not. Patterns are tried on lines
 * without time stamp and colours.
 */
import { compiled } from '../text/compiled.ts';
import { lazy } from '../text/memo.ts';

const SYSTEM_MESSAGE =
  'Permission denied|No such file or directory|Operation not permitted|Input/output error|No space left on device|Connection (?:refused|reset by peer|timed out)|Is a directory|Not a directory|Directory not empty|File exists|Read-only file system|Device or resource busy|Too many open files|Cannot allocate memory|Broken pipe|(?:command )?not found|Invalid argument|(?:Host|Network) is unreachable|No route to host|Name or service not known|Temporary failure in name resolution|Disk quota exceeded|File name too long|Argument list too long|Bad file descriptor|Exec format error|Stale file handle|Resource temporarily unavailable|Access is denied\\.?|Segmentation fault|Killed';

/** What a program says that could not do something, behind its own name. */
const PROGRAM_VERB =
  "cannot|can't|could not|couldn't|unable to|failed to|fatal|error|failed|unrecognized|unknown (?:option|command)|invalid (?:option|argument)|\\(\\d+\\) (?:[Ff]ailed|[Cc]ould|[Rr]ecv|[Tt]he )|\\*\\*\\* ";

/** `Error` in the languages that tools are translated to. */
const ERROR_WORDS = 'Fehler|Erreur|Errore|Erro|Fout|Chyba|Hata|Fallo|Ошибка|Błąd|错误|錯誤|エラー|오류';

const SURE: readonly RegExp[] = [
  // A label in capitals at the beginning: `ERROR migrating …`, `[FATAL] …`, `FAILED: …`.
  /^[[(<*!]{0,3}\s?(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG(?:ENCY)?|PANIC|FAILED|FAILURE|FAIL|ABORTED|CRASHED)\b(?![-_./=(]|\s*[=|])(?=.*\w\W*\S)/,
  // The same behind what loggers write first: `[worker-1] ERROR …`, `app.main - ERROR - …`.
  /^(?:(?:\[[\w .:/-]{1,40}\]|[\d:.,TZ/+-]{4,30}|[\w$-]+(?:\.[\w$-]+)+|[\w.-]+(?:\[\d+\]:?|:))\s+(?:[|-]\s)?){1,4}\[?(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG|PANIC)\]?\s*(?:[:|-]\s|\[|\s\w)/,
  // A label in any case, followed by what happened: `error: …`, `error[E0308]: …`, `fatal: …`.
  /^[[(<*!]{0,2}(?:fatal error|internal error|syntax error|error|fatal|panic|failure|critical)(?:\[[A-Z]?\d+\]| [A-Z]{1,4}\d{2,5})?\]?\s?[:!]\s*[^\s,;{[]/i,
  // Behind a program or place: `psql:load.sql:15: ERROR: …`, `src/a.ts(3,4): error TS2322: …`.
  /^[\w@.~+/\\-]{1,160}(?:\[\d+\])?(?:[:(]\s?[\w.~+/\\,-]{1,160}\)?){0,3}(?::| -) (?:fatal |internal |syntax )?(?:error|ERROR|Error|fatal|FATAL|panic|PANIC)(?:\[[A-Z]?\d+\]| [A-Z]{1,4}\d{2,5})?\s?:/,
  /^\*\* \((?:\w+\.)*\w*(?:Error|throw|exit|stop)\)|^\*\*(?:error|exit|throw):[{[a-z]/,
  /^(?:npm ERR!|npm error |##\[error\]|::error|E: |e: \S+:\d|Error in )/,
  new RegExp(
    `^[\\w./@+-]{1,60}(?:\\[\\d+\\])?: (?:.{1,200}: )?(?:${SYSTEM_MESSAGE})(?: \\(.{1,60}\\))?[.!]?$`,
  ),
  new RegExp(
    `^(?!note|info|hint|tip|todo|usage|example|warning|debug)[a-z][\\w.+-]{0,30}(?:\\[\\d+\\])?: (?:${PROGRAM_VERB})(?:\\b|(?<=\\s)|:)`,
  ),
  new RegExp(`^[[(<*!]{0,2}(?:${ERROR_WORDS}|${ERROR_WORDS.toUpperCase()})\\]?\\s?(?:[:：!]|\\s)`, 'u'),
  // Tracebacks and crashes.
  /^\s*Traceback \(most recent call last\)|^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|Fault|Interrupt|Panic)(?:: \S|$)|^Exception in thread |^(?:Caused by|panic|Unhandled \w+|Uncaught \w+)\b.*:|^thread '.*' panicked at|^(?:Segmentation fault|Bus error|Illegal instruction|Aborted)\b|\(core dumped\)|^terminate called after|Kernel panic|^Out of memory|\wSanitizer: \w|^\S+:\d+:\d+: runtime error: |^\w[\w.]*: .{0,300}Assertion .{0,300} failed/,
  // Sections and counts of test runs.
  /^=+ (?:FAILURES|ERRORS) =+$|^=+ .{0,400}\b[1-9]\d* (?:failed|errors?)\b.{0,400} =+$|^E {3,}\S/,
  // Results of single checks.
  /^\s*\[\s*\d+(?:%|\/\d+)\]\s+(?:FAILED|ERROR|error|failed)\b|^\s*(?:not ok \d|--- FAIL: |[✗✖✘✕❌] ?\S)|^\s*(?:[-*] )?\[[ xX!✗✘-]?\] .*\b(?:FAILED|FAILURE|ERROR)\b|(?:\.{3}|: |\s{2})\[?\s?(?:FAILED|FAIL|ERROR)\s?\]?(?:\s*\([\d.]+ ?m?s\))?$/,
  // Structured logs: a level, a status of a server, the state of a pod.
  /(?:^|\s)(?:level|lvl|severity|loglevel)="?(?:error|err|fatal|critical|crit|alert|emerg\w*|panic|dpanic|severe)"?(?=\s|$)/i,
  /^\{.*"(?:level|lvl|severity|log\.level|levelname)":\s?(?:"(?:error|err|fatal|critical|crit|alert|emerg\w*|panic|dpanic|severe)"|[56]0\b)/i,
  /(?:^|\s)status(?:_code)?=5\d\d(?=\s|$)|" 5\d\d (?:\d+|-)(?: |$)|^\{.*"status(?:_?[cC]ode)?":\s?5\d\d\b/,
  /\s\d+\/\d+\s+(?:Init:)?(?:\w*Error|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|Evicted|OOMKilled|ContainerStatusUnknown)\s/,
  // Ends of commands and codes of databases.
  /^make(?:\[\d+\])?: \*\*\*|^(?:BUILD FAILED|Build failed|Command failed)\b|^(?:Process|Command|Script|The command)\b.{0,120} (?:completed|exited|failed|terminated) with (?:code|status|exit|[1-9])|\bORA-\d{5}: |^SQLSTATE\[|^ERROR \d+ \(/,
];

const sure = lazy(() => SURE.map(compiled));

/** Behind a time stamp a few words may stand before the label. */
const STAMPED = /^(?:[^\s"'`]{1,40}\s+){0,4}\[?(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG|PANIC)\b(?![-_./=(])/;

/** Says that there were none. */
const NONE = /^\W*(?:errors?|failures?|failed|fatal)\s*[:=]\s*(?:0|none|null|nil|false|no|n\/a|-)\W*$/i;
/** A comment or a string of source code, or a heading of prose. */
const QUOTED = /^\s*(?:\/\/|\/\*|\*\s|#|"|'|`|<!--|--\s|;|%)/;

export function isSureFailure(text: string, start: 'bare' | 'stamped'): boolean {
  if (QUOTED.test(text) && !text.startsWith('##[error]')) return false;
  if (start === 'stamped' && STAMPED.test(text)) return true;
  return sure().some((pattern) => pattern.test(text)) && !NONE.test(text);
}
