/**
 * Line shapes of output that programs write, as data. Each line of a sample is tried against each shape; a kind's score is the weight
 * of its best shape per line, summed. Every pattern is anchored at the line's start and runs in linear time: lengths are bounded and
 * neighbouring repetitions never share characters. Weight 1: most lines of such a text look so. Below: also seen elsewhere. Above: a
 * heading that hardly anything else writes.
 */
import type { ContentKind } from '../model/content.ts';

interface Shape {
  readonly kind: ContentKind;
  readonly weight: number;
  /** All shapes of this kind and weight in one. */
  readonly pattern: RegExp;
}

/** A path without blanks that has a letter; `C:` in front is allowed. */
const PATH = String.raw`(?:[A-Za-z]:(?=[\\/]))?(?=[^\s:]{0,200}[A-Za-z_])[^\s:"'\`<>|*?;={},()[\]]{1,200}`;
const SEVERITY = '(?:fatal error|error|warning|note|remark|info|hint|style|performance|refactor|convention)';
const at = (rest: string): RegExp => new RegExp(`^${PATH}${rest}`);

const shapes = (kind: ContentKind, weight: number, patterns: readonly RegExp[]): Shape => ({
  kind,
  weight,
  pattern: new RegExp(patterns.map(({ source }) => source).join('|')),
});

/** The heavier shapes of a kind come first. */
export const SHAPES: readonly Shape[] = [
  shapes('hits', 1, [
    at(String.raw`:\d{1,7}:`), // grep -n, rg
    at(String.raw`:(?=[^\s:]{0,200}[./])[^\s:]{1,200}:\d{1,7}:`), // git grep -n REV
    /^\d{1,7}:(?!\d\d\b)/, // rg --heading, grep -n in one file
    /^(?:\w:)?(?=[^\s:]{0,200}\/)(?![a-z]+:\/\/)[^\s:"'`<>|*?;={},()[\]]{1,200}:(?! \S|:|$)/, // grep -r; `::` is the name of a test
    /^(?:\w:)?(?=[^\s:]{0,200}\.\w{1,8}:)[^\s:"'`<>|*?;={},()[\]]{1,200}:(?![ :]|$)/, // grep -r
  ]),
  shapes('hits', 0.6, [
    at(String.raw`-\d{1,7}-`), // lines around a hit
    /^\d{1,7}-(?!\d)/,
    /^--$/,
  ]),

  shapes('compiler', 1, [
    // gcc, clang, javac, mypy, shellcheck; tsc, msbuild; tsc --pretty; flake8, ruff, pylint
    at(
      String.raw`(?:(?::\d{1,7}(?::\d{1,5})?(?::| -)|\(\d{1,7}(?:,\d{1,5})?\) ?:) ${SEVERITY}|:\d{1,7}:\d{1,5}: [A-Z]{1,4}\d{3,4})\b`,
    ),
    /^(?:error|warning)(?:\[\w{1,12}\])?: \S/, // rustc
    /^\s{0,8}--> \S{1,200}:\d{1,7}:\d/,
    /^\s{1,8}\d{1,7}:\d{1,5}\s{1,8}(?:error|warning)\s/, // eslint
    /^\s{0,4}(?:In file included from \S|from \S{1,200}:\d{1,7}(?::\d{1,5})?[:,]$|collect2: error|\S{1,200}: In (?:member )?(?:function|constructor)|\d{1,5} (?:errors?|warnings?)(?: generated)?\.?$)/,
    /^\S{0,80}ld: \S|^make(?:\[\d+\])?: \*\*\*|^Found \d{1,5} errors?|^✖ \d{1,5} problems?/,
  ]),
  shapes('compiler', 0.8, [at(String.raw`:\d{1,7}:\d{1,5}: [^\s\d]`)]), // go build, go vet
  shapes('compiler', 0.5, [
    /^\s{0,12}\d{0,6}\s?\|(?:\s|$)/,
    /^\s{0,200}(?:[|>]\s{0,200})?[\^~]+[\^~\s-]*/,
    /^\s{1,8}= (?:note|help): /,
  ]),

  shapes('trace', 3, [
    /^\s{0,8}Traceback \(most recent call last\)/,
    /^\w{1,40}Sanitizer:|^#\s{1,4}(?:Fatal error in|Check failed)|^\s{0,8}(?:Fatal|fatal) signal /,
    /^thread '[^']{0,80}' (?:\(\d+\) )?panicked at |^panic: |^goroutine \d+ \[/,
    /^Exception in thread "|^Unhandled exception|^Uncaught |^\*\*\* stack smashing|^Fatal Python error/,
    /^={1,2}\d+={1,2} ?(?:ERROR|WARNING): \w+Sanitizer|^SUMMARY: \w+Sanitizer|^\s{0,8}(?:BUG|Oops|Kernel panic)\b.{0,20}:/,
    /^\s{0,8}(?:Call Trace|Backtrace|backtrace|Stack trace|stack backtrace|Stacktrace):?\s{0,4}$|^Program received signal /,
  ]),
  shapes('trace', 1, [
    /^\s{1,12}at [\w$.<>[\]#*/@ ~-]{1,200}(?:\(|:\d|$)/, // JVM, JavaScript, .NET
    /^\s{2,8}File "[^"]{1,200}", line \d/, // Python
    /^\s{0,8}#\d{1,4}:?\s{1,4}(?:0x[0-9a-f]|\S{1,200}\s{0,2}\(|pc |in )/, // sanitizers, gdb, PHP, Android
    /^\s{0,8}from \S{1,200}:\d{1,7}:in |^\S{1,200}\.rb:\d{1,7}:in /, // Ruby
    /^\s{1,8}\d{1,4}:\s{1,20}(?:0x[0-9a-f]{4,16} - )?[\w<{]{1,80}(?:::|$)/, // Rust
    /^\s{0,8}(?:\[<[0-9a-f]{8,16}>\]|\? ?[\w.]{1,80}\+0x|[\w.]{1,80}\+0x[0-9a-f]{1,8}\/0x)/, // kernels
    /^\s{0,4}(?:\d{1,3} )?[0-9a-f`]{8,17} [0-9a-f`]{8,17} [\w.]{1,80}!|^\t\/\S{1,200}:\d{1,7} \+0x/, // Windows, Go
    /^\s{0,8}\S{1,200}\+0x[0-9a-f]{1,8}\) ?\[0x|^\s{0,8}\[0x[0-9a-f]{6,16}\]$/, // glibc
    /^(?:Caused by|Suppressed): |^\s{1,8}\.{3} \d{1,4} (?:more|common frames)/,
    /^(?:[\w$]{1,40}\.){0,10}[A-Z]\w{0,60}(?:Error|Exception)(?:: |$)/,
    /^\s{0,4}(?:READ|WRITE) of size \d|^\s{0,4}0x[0-9a-f]{8,16} is located |^\s{0,8}(?:[REe]?[A-Za-z]{2}|R\d\d?|x\d\d?|r\d\d?):? ?[=:]? ?(?:0x)?[0-9a-f]{8,16}\s/,
  ]),

  shapes('test', 3, [
    /^={3,} (?:test session starts|FAILURES|ERRORS|short test summary info|.{0,80}\b(?:passed|failed|skipped)\b.{0,60}) ?={3,}$/, // pytest
    /^(?:Test Suites|Tests|Test Files|Snapshots):?\s{1,8}\d+ \w/, // jest, vitest
    /^(?:running \d+ tests?$|test result: \w)/, // cargo
    /^(?:=== RUN\s|\s{0,12}--- (?:PASS|FAIL|SKIP): |(?:PASS|FAIL)$)/, // go
    /^(?:\[\w+\] )?\s{0,4}(?:T E S T S$|Tests run: \d|Running (?:\w+\.){2,10}\w+$)/, // Surefire
    /^(?:TAP version \d|1\.\.\d+$|# (?:tests|pass|fail|suites) \d)/, // TAP
    /^\s{0,8}\d+ (?:passing|failing|pending)\b|^\d+ examples?, \d+ failure/, // mocha, rspec
    /^Ran \d+ tests? in |^OK \(\d+ tests?|^Tests: \d+, Assertions: |^PHPUnit \d|^\[={10}\] /, // unittest, PHPUnit, gtest
    /^\s{0,8}ℹ (?:tests|suites|pass|fail) \d/, // node --test
  ]),
  shapes('test', 1, [
    /^\s{0,12}(?:not )?ok \d+\b/,
    /^test \S{1,200} \.{3} (?:ok|FAILED|ignored|bench)/,
    /^(?:ok|FAIL|\?)\s{1,4}\t?\S{1,200}\t/,
    /^\[\s{0,4}(?:RUN|OK|FAILED|PASSED|SKIPPED)\s{0,6}\] ?\S/,
    /^(?=\S{0,240}(?:::|\.py ))\S{1,240} (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|[.FEsx]{1,80}\s)/,
    /^(?:PASSED|FAILED|ERROR|PASS|FAIL)\s{1,4}\S{1,200}[./:]\w/,
    /^\w{1,120} \([\w.]{1,200}\) \.{3} (?:ok|FAIL|ERROR|skipped)/,
    /^_{3,} \S.{0,120} _{3,}$|^E {3,}\S|^\s{2,8}● \S/,
    /^\s{0,16}[✓✔✗✘✖√×] \S/,
    /^\s{2,16}(?:duration_ms|failureType|location|expected|actual|operator): \S/,
    /^\s{0,12}# Subtest: |^\s{2,12}(?:\.{3}|---)$/,
    /^\s{2,12}\d{1,4}\) \S|^(?:Finished in|Duration|Time:|Start at)\s/,
  ]),

  shapes('listing', 1, [
    /^(?:\s{0,12}\d{1,12}\s{1,12}\d{1,12} )?[-dlbcps][-rwxsStT]{9}[.+@]?\s{1,8}\d/, // ls -l, tar tv, find -ls
    /^[│├└|`\s\u00a0]{0,200}(?:[├└]─[─┬]|[|`+]--) /, // tree, npm ls
    /^\d{6} (?:blob|tree|commit) [0-9a-f]{40}/, // git ls-tree
    /^\d{6} [0-9a-f]{40} \d\t/,
    /^(?:[ MADRCU?!]{2}) [^\s:;,]{1,240}(?: -> [^\s]{1,240})?$/, // git status --short
    /^[0-9a-f]{32,128} [ *]\S/, // sha256sum
    /^\d{1,12}[KMGT]?\t[^\t,;]{1,240}$|^\d+(?:\.\d)?[KMGT]\s{1,8}\.{0,2}\//, // du
    /^\[(?:DIR|FILE)\] \S/,
    /^\d\d\/\d\d\/\d{4}\s{1,4}\d\d:\d\d/, // dir
    /^total \d{1,12}[KMG]?$|^\d+ director(?:y|ies)(?:, \d+ files?)?$/,
    /^\s{0,4}\S{1,200}\s{1,200}\|\s{1,12}(?:\d+ [+-]{0,200}|Bin .{1,60})$/, // git diff --stat
    /^\.{1,2}:?$|^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)[^:;,(){}<>"'=|\t]{0,240}:?$/, // a path alone
    /^[\w@.+~%#-]{1,80}(?:[/\\][\w@.+~%#$[\]()-]{1,120}){1,40}[/\\]?:?$/,
  ]),
  shapes('listing', 0.8, [/^[\w@.+~-]{1,80}\.\w{1,10}$/, /^[\w@.+~-]{1,60}\/$/]),
  shapes('listing', 0.4, [/^[A-Za-z_@.][\w@.+~-]{0,80}$/]),

  shapes('log', 1, [
    /^\s{0,4}[[(<|]?\s?(?:TRACE|VERBOSE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|EMERG|ALERT)\s?[\])>|]?(?=[\s:,|-]|$)/,
    /^\s{0,4}\[\s?(?:trace|debug|info|notice|warn|warning|error|fatal|Info|Warning|Error)\s?\]/,
    /^\s{0,4}(?:[EWNIDV][:/] ?\S|(?:debug|info|notice|warn|warning|error|fatal|Debug|Info|Warning|Error|Notice): \S|\d{1,6} (?:silly|verbose|http|timing|info|warn|error) |npm (?:ERR!|WARN|warn|error|notice|verb|http|info)\b|level=\w)/,
    /^(?:ok|changed|failed|fatal|skipping|unreachable|included): \[|^(?:TASK|PLAY|RUNNING HANDLER) \[/, // Ansible
    /^\S{1,64} \S{1,64} \S{1,64} \[\d\d\/[A-Z][a-z]{2}\/\d{4}:/, // access logs
    /^(?:travis_(?:fold|time):|##\[\w{1,20}\]|::(?:group|endgroup|error|warning|notice|debug)\b|section_(?:start|end):|##teamcity\[)/, // CI
    /^\++ \S|^(?:make|gmake|ninja|bazel)(?:\[\d+\])?: |^\[\s{0,3}\d{1,5}(?:%|\/\d{1,5})\] |^ > \w{1,20} |^\$ \S|^> Task :|^#\d{1,3} (?:\[|DONE|CACHED|\d)/, // commands
    /^\s{0,4}(?:remote: |Receiving objects|Resolving deltas|Counting objects|Compressing objects|Cloning into|Updating files: )/,
    /^(?:Get|Hit|Ign|Err):\d{1,5} \w|^(?:Selecting previously|Preparing to unpack|Unpacking|Setting up|Processing triggers|Reading (?:package|state)|Fetched \d)/,
    /^(?:Collecting|Requirement already satisfied|Successfully (?:installed|built)|Using cached|Installing collected)\b/,
    /^\s{0,4}(?:Downloading|Downloaded|Installing|Installed|Fetching|Compiling|Building|Linking|Extracting|Checking|Copying|Created|Creating|Starting|Stopping|Started|Stopped|Running|Executing|Loading|Loaded|Adding|Removing|Updating|Generating|Wrote|Scanning|Verifying|Waiting|Initializing|Connecting|Connected)(?:\.{3}|:| (?!.{0,200}[;{]$))/,
    /^\s{0,4}(?:checking (?:for|whether|if|how)|configure:|--\s(?:Found|Looking|Performing|Check|The|Detecting|Configuring|Build))/,
    /^\s{0,4}(?:CC|CXX|LD|AR|GEN|HOSTCC|RM|CCLD)(?:\(\w\))?\s{1,8}\S{1,200}$|^\S{0,80}(?:gcc|g\+\+|clang|cc|javac|rustc|ld|ar|libtool|install) .{0,40}-\w/,
  ]),
  shapes('log', 0.6, [
    /^\[[\w@./:-][\w@./: -]{0,60}\] (?!\()\S/,
    /^\S{1,60}(?:\[\d+\]|\(\d+\)): /,
    /^\s{0,4}[^\s%]{0,40}\s{0,20}\d{1,3}(?:\.\d+)?%(?:\s|$|\|)/,
  ]),
];
