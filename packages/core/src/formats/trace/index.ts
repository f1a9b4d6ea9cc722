/**
 * Stack traces and reports of crashes. Only recognised: what is kept of them is the work of the
 * text strategies.
 */
import type { Format, LineShapes } from '../../model/format.ts';
import { anyOf } from '../by-line/patterns.ts';

const TRACE_SHAPES: LineShapes = {
  kind: 'trace',
  share: 0.25,
  plain: 0,
  cover: 0,
  least: 3,
  weighted: [
    [
      3,
      anyOf([
        /^\s{0,8}Traceback \(most recent call last\)/,
        /^\w{1,40}Sanitizer:|^#\s{1,4}(?:Fatal error in|Check failed)|^\s{0,8}(?:Fatal|fatal) signal /,
        /^thread '[^']{0,80}' (?:\(\d+\) )?panicked at |^panic: |^goroutine \d+ \[/,
        /^Exception in thread "|^Unhandled exception|^Uncaught |^\*\*\* stack smashing|^Fatal Python error/,
        /^={1,2}\d+={1,2} ?(?:ERROR|WARNING): \w+Sanitizer|^SUMMARY: \w+Sanitizer|^\s{0,8}(?:BUG|Oops|Kernel panic)\b.{0,20}:/,
        /^\s{0,8}(?:Call Trace|Backtrace|backtrace|Stack trace|stack backtrace|Stacktrace):?\s{0,4}$|^Program received signal /,
      ]),
    ],
    [
      1,
      anyOf([
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
    ],
  ],
};

export const trace: Format = {
  name: 'trace',
  kinds: ['trace'],
  hints: [{ kind: 'trace', ofCommands: true }],
  shapes: [TRACE_SHAPES],
  errorLines: 'own',
};
